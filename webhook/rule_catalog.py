"""The rules that are served: documents come and go, break and are mended, and the last good rules go on being served."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rules.compile import CompiledRule, compile_rule
from rules.documents import Document
from rules.located import LocatedProblem, locate
from rules.problem import InvalidRuleError, Problem
from rules.suite import is_rule, misnamed

Identity: TypeAlias = tuple[str, str, str]
"""Kind, namespace and name."""


@dataclass(frozen=True, slots=True)
class Served:
    """What is served after a change: the rules, how many documents are broken, and what is wrong with them."""

    rules: tuple[CompiledRule, ...]
    broken: int
    problems: tuple[LocatedProblem, ...]


class RuleCatalog:
    """Makes the served rules out of documents, and remembers the last good rule of each name.

    An invalid document keeps the last good rule of its kind, namespace and name, and so do two documents with one name, which
    are both broken. A rule that no document names any more goes.
    """

    def __init__(self) -> None:
        self._good: dict[Identity, CompiledRule] = {}
        self._compiled: dict[int, tuple[Document, CompiledRule | InvalidRuleError]] = {}

    def update(self, documents: Iterable[Document]) -> Served:
        """Take up all documents there are now; those of other API groups, and suites, are passed over."""
        documents = list(documents)
        rules = [document for document in documents if is_rule(document.data)]
        # Documents of files that did not change are the same objects: they are not compiled again.
        self._compiled = {id(document): self._compile(document) for document in rules}
        by_identity: dict[Identity | None, list[Document]] = {}
        for document in rules:
            by_identity.setdefault(_identity(document.data), []).append(document)
        problems = [problem for document in documents if (problem := misnamed(document)) is not None]
        broken = len(problems)
        for identity, named in by_identity.items():
            found = self._problems(identity, named)
            problems += found
            if found:
                broken += len(named)
            elif identity is not None:
                result = self._compiled[id(named[0])][1]
                assert isinstance(result, CompiledRule)  # noqa: S101  it has no problem
                self._good[identity] = result
        self._good = {identity: rule for identity, rule in self._good.items() if identity in by_identity}
        return Served(tuple(self._good.values()), broken, tuple(sorted(problems)))

    def sources(self) -> Iterator[tuple[CompiledRule, Document]]:
        """Yield the rules that are good now, each with the document it was made from."""
        served = set(map(id, self._good.values()))
        for document, result in self._compiled.values():
            if isinstance(result, CompiledRule) and id(result) in served:
                yield result, document

    def _compile(self, document: Document) -> tuple[Document, CompiledRule | InvalidRuleError]:
        known = self._compiled.get(id(document))
        if known is not None:
            return known
        try:
            return document, compile_rule(document.data)
        except InvalidRuleError as error:
            return document, error

    def _problems(self, identity: Identity | None, named: Sequence[Document]) -> list[LocatedProblem]:
        found: list[LocatedProblem] = []
        for document in named:
            result = self._compiled[id(document)][1]
            if isinstance(result, InvalidRuleError):
                found += [locate(problem, document) for problem in result.problems]
        if identity is not None and len(named) > 1:
            found += [_double(document, named) for document in named]
        return found


def _double(document: Document, named: Sequence[Document]) -> LocatedProblem:
    other = next(each for each in named if each is not document).place(("metadata", "name"))
    name = document.data["metadata"]["name"]
    return locate(
        Problem(("metadata", "name"), f"two rules are named {name}; the other is at {other}", "duplicate-rule"),
        document,
    )


def _identity(data: Mapping[str, Any]) -> Identity | None:
    """Return what a document calls itself, valid or not; None if it has no name to be known by."""
    metadata = data.get("metadata")
    if not isinstance(metadata, Mapping) or not isinstance(metadata.get("name"), str):
        return None
    default = "default" if data["kind"] == "StatusRule" else ""
    namespace = metadata.get("namespace")
    return data["kind"], namespace if isinstance(namespace, str) else default, metadata["name"]
