"""Rules from files, read once: what the offline commands judge by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rules.api import Action
from rules.compile import CompiledRule, compile_rule
from rules.documents import Document, DocumentError
from rules.located import LocatedProblem, locate, unreadable
from rules.problem import InvalidRuleError, Problem
from rules.suite import is_rule
from webhook.errors import InputError
from webhook.files import find_files, read_documents


@dataclass(frozen=True, slots=True)
class LoadedRule:
    """A compiled rule and the document it came from."""

    rule: CompiledRule
    document: Document


@dataclass(frozen=True, slots=True)
class Loaded:
    """What files held: the rules that are good, and everything that is wrong with the others."""

    rules: tuple[LoadedRule, ...]
    problems: tuple[LocatedProblem, ...]


def load(paths: Iterable[Path]) -> Loaded:
    """Read all rules in files and folders; documents of other kinds are passed over. Raises InputError for a missing path."""
    good: list[LoadedRule] = []
    problems: list[LocatedProblem] = []
    for file in find_files(paths):
        try:
            documents = read_documents(file)
        except DocumentError as error:
            problems.append(unreadable(error))
            continue
        for document in documents:
            if is_rule(document.data):
                _compile(document, good, problems)
    return _without_doubles(good, problems)


def load_good(paths: Iterable[Path], action: Action | None = None) -> list[CompiledRule]:
    """Return the rules of files and folders, with another action if one is given. Raises InputError if any is broken."""
    loaded = load(paths)
    if loaded.problems:
        raise InputError("\n".join(map(str, sorted(loaded.problems))))
    if not loaded.rules:
        raise InputError(f"no rule found in {', '.join(map(str, paths))}")
    return [each.rule if action is None else each.rule.with_action(action) for each in loaded.rules]


def _compile(document: Document, good: list[LoadedRule], problems: list[LocatedProblem]) -> None:
    try:
        good.append(LoadedRule(compile_rule(document.data), document))
    except InvalidRuleError as error:
        problems += [locate(problem, document) for problem in error.problems]


def _without_doubles(good: list[LoadedRule], problems: list[LocatedProblem]) -> Loaded:
    """Of rules with one name none is good: nobody can say which is meant."""
    by_title: dict[str, list[LoadedRule]] = {}
    for each in good:
        by_title.setdefault(each.rule.title, []).append(each)
    for title, doubles in by_title.items():
        for each in doubles if len(doubles) > 1 else ():
            other = next(double for double in doubles if double is not each).document
            message = f"two rules are named {title}; the other is at {other.place(('metadata', 'name'))}"
            problems.append(locate(Problem(("metadata", "name"), message, "duplicate-rule"), each.document))
    return Loaded(tuple(each for each in good if len(by_title[each.rule.title]) == 1), tuple(problems))
