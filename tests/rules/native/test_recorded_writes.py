"""The prefilters of the library's rules over recorded writes: honest ones make no call, and every bad one does."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Final

import pytest

from rules.case_write import write_of
from rules.compile import compile_rule
from rules.documents import Document, parse
from rules.native.expression import Expression
from rules.native.prefilter import prefilter
from rules.ruleset import RuleSet, judge
from rules.suite import Suite, is_rule, is_suite, load
from rules.write import Request, Resource, Roots, Write
from tests.library import LIBRARY
from tests.recordings import recorded
from webhook.commands.demo import recorded_writes

from .engine import is_suspect

SHARED: Final = Path(__file__).parents[4] / "shared"
"""Where the project's recordings lie beside a checkout of its developers; the tests need none of them."""

shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the project's own recordings are not beside this checkout")


@dataclass(frozen=True)
class Asked:
    """A write and a rule that it concerns: whether it breaks the rule, and the prefilter with what that is asked about."""

    write: str
    rule: str
    broken: bool
    suspect: Expression = field(repr=False)
    old: Any = field(repr=False)
    new: Any = field(repr=False)

    @cached_property
    def called(self) -> bool:
        """Whether the webhook is called for the write."""
        return is_suspect(self.suspect, self.old, self.new)


def asked(writes: Iterable[tuple[str, Write]], rules: RuleSet) -> Iterator[Asked]:
    """Ask the prefilter of each rule that a write concerns and that has one."""
    for name, write in writes:
        for rule in rules.concerned(write.request):
            suspect = _suspect(rule.title, rules)
            if suspect is None or write.request.operation != "UPDATE":
                continue
            old, new = ({each: side[each] for each in side.names()} for side in (write.old, write.new))
            verdicts = judge([rule], write)
            broken = any(verdict.violations or verdict.error for verdict in verdicts)
            yield Asked(name, rule.title, broken, suspect, old, new)


@cache
def _suspect(title: str, rules: RuleSet) -> Expression | None:
    (spec,) = (rule.source.spec for rule in rules.rules if rule.title == title)
    return prefilter(spec).suspect


def _documents(file: Path) -> list[Document]:
    return parse(file.read_bytes(), file.name)


@cache
def library() -> RuleSet:
    files = (file for file in LIBRARY.rglob("*.yaml") if not file.name.endswith(".test.yaml"))
    return RuleSet(compile_rule(each.data) for file in files for each in _documents(file) if is_rule(each.data))


def suites() -> Iterator[Suite]:
    for file in LIBRARY.rglob("*.test.yaml"):
        for document in _documents(file):
            if is_suite(document.data):
                yield load(document, partial(_rules_beside, file))


def _rules_beside(file: Path, name: str) -> list[Document]:
    return _documents(file.parent / name)


def of_review(body: bytes) -> Write:
    """Return the write of an AdmissionReview."""
    request: dict[str, Any] = json.loads(body, parse_float=Decimal)["request"]
    resource = request["resource"]
    named = Resource(resource["group"], resource["version"], resource["resource"], request.get("subResource", ""))
    names = {"namespace": request.get("namespace", ""), "name": request.get("name", "")}
    old = request["oldObject"] or {}
    return Write(Request(named, request["operation"], **names), Roots(request["object"]), Roots(old))


def by_controllers() -> list[tuple[str, Write]]:
    return [(each.write, of_review(bytes(each.review))) for each in recorded("controller-writes.jsonl.gz")]


def assert_uncalled(found: list[Asked], least: int) -> None:
    """Assert that no write of honest controllers was brought to the webhook, and that as many were asked about."""
    assert len(found) >= least
    assert [each for each in found if each.called] == []


def test_what_controllers_wrote_makes_no_call() -> None:
    assert_uncalled(list(asked(by_controllers(), library())), 100)


@shared
def test_nor_does_all_that_the_project_recorded_of_them() -> None:
    with gzip.open(SHARED / "captures" / "controllers.jsonl.gz") as lines:
        writes = [(f"line {number}", of_review(line)) for number, line in enumerate(lines, 1)]
    assert_uncalled(list(asked(writes, library())), 300)


def test_the_bad_writes_of_the_three_systems_are_brought_to_the_webhook() -> None:
    writes = [(each.write, of_review(bytes(each.review))) for each in recorded_writes()]
    broken = [each for each in asked(writes, library()) if each.broken]
    assert len(broken) >= 5
    assert [each for each in broken if not each.called] == []


def test_so_is_every_bad_write_of_the_librarys_suites() -> None:
    found = [each for suite in suites() for each in asked(_cases(suite), suite.rules)]
    broken = [each for each in found if each.broken]
    assert len(broken) >= 200
    assert [each for each in broken if not each.called] == []


def _cases(suite: Suite) -> Iterator[tuple[str, Write]]:
    for case in suite.cases:
        if case.source == "admission" and case.old is not None:
            yield f"{suite.name}: {case.name}", write_of(case)
