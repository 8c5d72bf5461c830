from __future__ import annotations

import pytest

from rules.fieldpath import parse
from rules.invariants.observed_generation import ObservedGeneration
from tests.rules.judging import broken, rule, verdict, violations, write

PLAIN = "status.observedGeneration"


def fields(spec: str, old: str | None, new: str) -> list[str]:
    return broken(f"observedGeneration: {spec}", old, new)


def generation(value: str, limit: str = "9") -> str:
    return f"{{metadata: {{generation: {limit}}}, status: {{observedGeneration: {value}}}}}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("1", "2", [], id="forward"),
        pytest.param("2", "2", [], id="stays"),
        pytest.param("2", "1", [PLAIN], id="goes back"),
        pytest.param("2", "2.0", [], id="3 == 3.0"),
        pytest.param("2", "null", [PLAIN], id="disappears"),
        pytest.param("2", "0", [PLAIN], id="0 and absent are the same: cleared"),
        pytest.param("0", "null", [], id="0 and absent are the same: stays"),
        pytest.param("null", "0", [], id="absent and 0 are the same: stays"),
        pytest.param("null", "1", [], id="first"),
        pytest.param("9007199254740993", "9007199254740992", [PLAIN], id="beyond doubles"),
        pytest.param("2", "text", [PLAIN], id="another type is absent"),
        pytest.param("text", "1", [], id="an old value of another type is absent"),
    ],
)
def test_broken_when_a_value_goes_back_or_disappears(old: str, new: str, expected: list[str]) -> None:
    limit = "10000000000000000000"
    assert fields("{}", generation(old, limit), generation(new, limit)) == expected


@pytest.mark.parametrize(
    ("new", "limit", "expected"),
    [
        ("3", "3", []),
        ("4", "3", [PLAIN]),
        ("3.5", "3", [PLAIN]),
        ("4", "0", []),
        ("4", "null", []),
        ("4", "text", []),
        ("4", "-1", []),
        ("4", "3.0", [PLAIN]),
    ],
)
def test_broken_when_ahead_of_the_generation(new: str, limit: str, expected: list[str]) -> None:
    assert fields("{}", generation("1", limit), generation(new, limit)) == expected
    assert fields("{notAhead: false}", generation("1", limit), generation(new, limit)) == []


def test_the_generation_is_read_by_not_ahead_only() -> None:
    assert fields("{}", generation("5", "0"), generation("5", "3")) == [PLAIN]
    assert fields("{notAhead: false}", generation("5", "0"), generation("5", "3")) == []


def test_a_fault_that_was_there_before_is_not_judged_again() -> None:
    old, new = generation("5", "3"), "{metadata: {generation: 3}, status: {observedGeneration: 5, replicas: 1}}"
    assert fields("{}", old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(generation("7", "3"), generation("3", "3"), [], id="repaired"),
        pytest.param(generation("7", "3"), generation("1", "3"), [], id="any value up to the generation"),
        pytest.param(generation("7", "3"), generation("null", "3"), [], id="cleared"),
        pytest.param(generation("7", "3"), generation("6", "3"), [PLAIN], id="still ahead"),
        pytest.param(generation("7", "7"), generation("6", "8"), [PLAIN], id="it was possible"),
    ],
)
def test_an_old_value_above_the_generation_was_impossible(old: str, new: str, expected: list[str]) -> None:
    assert fields("{}", old, new) == expected


def test_without_not_ahead_nothing_was_impossible() -> None:
    assert fields("{notAhead: false}", generation("7", "3"), generation("3", "3")) == [PLAIN]


ITEM = "status.conditions[type=Ready].observedGeneration"


def conditions(*values: str) -> str:
    items = ", ".join(f"{{type: Ready, observedGeneration: {value}}}" for value in values)
    return f"{{metadata: {{generation: 9}}, status: {{conditions: [{items}]}}}}"


@pytest.mark.parametrize(
    ("spec", "old", "new", "expected"),
    [
        pytest.param("{}", conditions("3"), conditions("2"), [ITEM], id="goes back"),
        pytest.param("{}", conditions("3"), conditions("10"), [ITEM], id="ahead"),
        pytest.param("{}", conditions("3"), conditions("null"), [], id="a path through items may clear by default"),
        pytest.param("{}", conditions("3"), conditions("0"), [], id="0 is cleared too"),
        pytest.param("{mayClear: false}", conditions("3"), conditions("0"), [ITEM], id="may not clear"),
        pytest.param("{}", conditions("3"), conditions(), [], id="the item is gone"),
        pytest.param("{mayClear: false}", conditions("3"), conditions(), [], id="gone though it may not clear"),
        pytest.param("{mayClear: false}", conditions("3"), "{}", [], id="the whole list is gone"),
        pytest.param("{}", conditions(), conditions("10"), [ITEM], id="a new item is ahead"),
        pytest.param("{}", conditions("3", "3"), conditions("3", "1"), [], id="the first of several is read"),
        pytest.param(
            "{fields: ['status.conditions[type=Ready].observedGeneration']}",
            conditions("3"),
            conditions("2"),
            [ITEM],
            id="the one item",
        ),
        pytest.param(
            "{fields: ['status.conditions[type=Ready].observedGeneration']}",
            conditions("3"),
            conditions("null"),
            [],
            id="the one item may clear too",
        ),
    ],
)
def test_items(spec: str, old: str, new: str, expected: list[str]) -> None:
    assert fields(spec, old, new) == expected


def test_a_plain_path_may_clear_if_the_rule_says_so() -> None:
    assert fields("{mayClear: true}", generation("3"), generation("null")) == []
    assert fields("{mayClear: true}", generation("3"), generation("0")) == []
    assert fields("{mayClear: true}", generation("3"), generation("2")) == [PLAIN]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("3", "-1", []),
        ("-1", "3", []),
        ("-1", "10", [PLAIN]),
        ("3", "-1.0", []),
        ("3", "-2", [PLAIN]),
    ],
)
def test_ignored_values_never_compare(old: str, new: str, expected: list[str]) -> None:
    assert fields("{ignoreValues: [-1]}", generation(old), generation(new)) == expected


def test_other_fields() -> None:
    spec = "{fields: [status.a, status.b.c]}"
    old, new = "status: {a: 2, b: {c: 2}, observedGeneration: 2}", "status: {a: 1, observedGeneration: 1}"
    assert fields(spec, old, new) == ["status.a", "status.b.c"]


@pytest.mark.parametrize(
    ("new", "expected"),
    [(generation("10"), [PLAIN]), (generation("9"), []), (generation("-1"), []), (conditions("10"), [ITEM])],
)
def test_on_create_only_not_ahead_judges(new: str, expected: list[str]) -> None:
    assert fields("{}", None, new) == expected
    assert fields("{notAhead: false}", None, new) == []


def test_values_of_another_type_are_counted() -> None:
    found = verdict(rule("observedGeneration: {}"), write(generation("'2'"), generation("2")))
    assert (found.violations, found.type_mismatches) == ((), 1)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (generation("2"), generation("1"), "went back from {old} to {new}"),
        (generation("2"), generation("0"), "was cleared: it was {old}"),
        (generation("2"), generation("10"), "is ahead of metadata.generation: {new} > 9 (was {old})"),
    ],
)
def test_problems(old: str, new: str, problem: str) -> None:
    (violation,) = violations(old, new, "observedGeneration: {}")
    assert violation.finding.problem == problem
    assert violation.cured_by_waiting


def test_the_default_fields() -> None:
    assert ObservedGeneration().fields == [parse(PLAIN), parse("status.conditions[type].observedGeneration")]
