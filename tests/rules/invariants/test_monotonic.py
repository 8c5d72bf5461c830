from __future__ import annotations

import pytest

from tests.rules.judging import broken, rule, verdict, violations, write

A = ["status.a"]


def fields(old: str, new: str, direction: str = "NonDecreasing", more: str = "") -> list[str]:
    invariant = f"monotonic: {{fields: [status.a], direction: {direction}{more}}}"
    return broken(invariant, f"status: {{a: {old}}}", f"status: {{a: {new}}}")


@pytest.mark.parametrize(
    ("less", "more"),
    [
        pytest.param("1", "2", id="numbers"),
        pytest.param("-1", "0", id="negative"),
        pytest.param("1", "1.0000000000000000000000001", id="decimals"),
        pytest.param("9007199254740992", "9007199254740993", id="beyond doubles"),
        pytest.param("'2026-01-01T00:00:00Z'", "'2026-01-01T00:00:01Z'", id="times"),
        pytest.param("'2026-01-01T01:00:00+02:00'", "'2026-01-01T00:00:00Z'", id="times in offsets"),
        pytest.param("'2026-01-01T00:00:00Z'", "'2026-01-01T00:00:00.000000000001Z'", id="times with digits"),
        pytest.param("500m", "'1'", id="quantities"),
        pytest.param("1k", "1Ki", id="decimal and binary quantities"),
        pytest.param("1", "1500m", id="a number and a quantity compare"),
        pytest.param("1G", "10000000001", id="a quantity and a number compare"),
    ],
)
def test_order(less: str, more: str) -> None:
    assert fields(less, more) == []
    assert fields(more, less) == A
    assert fields(less, more, "NonIncreasing") == A
    assert fields(more, less, "NonIncreasing") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3", "3.0"),
        ("'2026-01-01T00:00:00Z'", "'2026-01-01T01:00:00+01:00'"),
        ("1000m", "'1'"),
        ("1000m", "1"),
    ],
)
@pytest.mark.parametrize("direction", ["NonDecreasing", "NonIncreasing"])
def test_the_same_size_breaks_nothing(one: str, other: str, direction: str) -> None:
    assert fields(one, other, direction) == fields(other, one, direction) == []


@pytest.mark.parametrize(
    ("old", "expected"),
    [("0", []), ("5", A), ("-5", []), ("0m", []), ("5m", A), ("'2026-01-01T00:00:00Z'", A), ("''", []), ("text", [])],
)
def test_disappearing_is_going_to_zero(old: str, expected: list[str]) -> None:
    assert fields(old, "null") == expected
    assert fields(old, "null", more=", mayClear: true") == []
    assert fields(old, "null", "NonIncreasing") == []


@pytest.mark.parametrize("new", ["[]", "{}", "true", "text", "''", "'2026-01-01T00:00:00Z'"])
def test_what_cannot_be_compared_is_absent(new: str) -> None:
    assert fields("5", new) == A
    assert fields("0", new) == []
    assert fields("5", new, "NonIncreasing") == []
    assert fields("5", new, more=", mayClear: true") == []


@pytest.mark.parametrize("new", ["5", "500m"])
def test_a_time_and_a_number_do_not_compare(new: str) -> None:
    assert fields("'2026-01-01T00:00:00Z'", new) == A
    assert fields("'2026-01-01T00:00:00Z'", new, "NonIncreasing") == []


@pytest.mark.parametrize("old", ["null", "[]", "true", "text"])
def test_what_was_not_there_breaks_nothing(old: str) -> None:
    assert fields(old, "-5") == fields(old, "5", "NonIncreasing") == []


@pytest.mark.parametrize(
    ("ignored", "old", "new", "expected"),
    [
        ("[-1]", "5", "-1", []),
        ("[-1]", "-1", "-5", []),
        ("[-1]", "5", "'-1'", []),
        ("['0']", "5", "0", []),
        ("['1k']", "2000", "1000", []),
        ("['2026-01-01T00:00:00Z']", "'2027-01-01T00:00:00Z'", "'2026-01-01T01:00:00+01:00'", []),
        ("[unknown]", "5", "unknown", []),
        ("[unknown]", "5", "other", A),
        ("[-1]", "5", "-2", A),
    ],
)
def test_ignored_values_never_compare(ignored: str, old: str, new: str, expected: list[str]) -> None:
    assert fields(old, new, more=f", ignoreValues: {ignored}") == expected


def test_items_are_paired_and_a_gone_one_breaks_nothing() -> None:
    invariant = "monotonic: {fields: ['status.v[k].n', 'status.m.*'], direction: NonDecreasing}"
    old = "status: {v: [{k: x, n: 2}, {k: y, n: 2}, {k: z, n: 2}], m: {a.b: 2, c: 2}}"
    new = "status: {v: [{k: y, n: 1}, {k: x, n: 3}, {k: new, n: -1}], m: {a.b: 1}}"
    assert broken(invariant, old, new) == ["status.v[k=y].n", 'status.m["a.b"]']


def test_nothing_is_judged_on_create() -> None:
    assert broken("monotonic: {fields: [status.a], direction: NonDecreasing}", None, "status: {a: -1}") == []


def test_values_of_another_type_are_counted() -> None:
    compiled = rule("monotonic: {fields: [status.a], direction: NonDecreasing}")
    assert verdict(compiled, write("status: {a: true}", "status: {a: []}")).type_mismatches == 2


@pytest.mark.parametrize(
    ("direction", "old", "new", "problem"),
    [
        ("NonDecreasing", "2", "1", "went back from {old} to {new}"),
        ("NonDecreasing", "2", "null", "disappeared: it was {old}"),
        ("NonIncreasing", "1", "2", "grew from {old} to {new}"),
    ],
)
def test_problems(direction: str, old: str, new: str, problem: str) -> None:
    invariant = f"monotonic: {{fields: [status.a], direction: {direction}}}"
    (violation,) = violations(f"status: {{a: {old}}}", f"status: {{a: {new}}}", invariant)
    assert violation.finding.problem == problem
    assert violation.cured_by_waiting
