"""Rules from files, read once: what the offline commands judge by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rules.api import Action
from rules.compile import CompiledRule
from rules.diagnosis import suggestion
from rules.documents import Document
from rules.located import LocatedProblem, unreadable
from webhook.errors import InputError
from webhook.rule_catalog import RuleCatalog
from webhook.rule_files import RuleFile, RuleFiles, Scan
from webhook.rule_folders import reason


@dataclass(frozen=True, slots=True)
class Loaded:
    """What files held: the rules that are good, each with its document, and everything that is wrong with the others."""

    rules: tuple[tuple[CompiledRule, Document], ...]
    problems: tuple[LocatedProblem, ...]


def scan(paths: Sequence[Path]) -> Scan:
    """Read all files in files and folders, once. Raises InputError for a path that is not there or cannot be looked at."""
    for path in paths:
        try:
            path.stat()
        except OSError as error:
            raise InputError(f"{path}: {reason(error)}") from None
    return RuleFiles(paths).scan()


def documents_of(files: Sequence[RuleFile]) -> list[Document]:
    """Return the documents of all files, in order."""
    return [document for file in files for document in file.documents]


def load(paths: Sequence[Path]) -> Loaded:
    """Read all rules in files and folders; documents of other kinds are passed over. Raises InputError for a missing path."""
    found = scan(paths)
    catalog = RuleCatalog()
    served = catalog.update(documents_of(found.files))
    return Loaded(tuple(catalog.sources()), (*map(unreadable, found.errors), *served.problems))


def load_good(paths: Sequence[Path], action: Action | None = None) -> list[CompiledRule]:
    """Return the rules of files and folders, with another action if one is given. Raises InputError if any is broken."""
    return [rule.with_action(action) for rule, _ in load_named(paths, None)]


def load_named(paths: Sequence[Path], name: str | None) -> list[tuple[CompiledRule, Document]]:
    """Return the rules of files and folders with their documents, only the one of a name if one is given.

    Raises InputError if any is broken, or if there is none.
    """
    loaded = load(paths)
    if loaded.problems:
        raise InputError(*map(str, sorted(loaded.problems)))
    if not loaded.rules:
        raise InputError(f"no rule found in {', '.join(map(str, paths))}")
    chosen = [(rule, document) for rule, document in loaded.rules if name in {None, rule.title}]
    if not chosen:
        hint = suggestion(str(name), [rule.title for rule, _ in loaded.rules])
        raise InputError(f"there is no rule {name} in {', '.join(map(str, paths))}{hint}")
    return chosen
