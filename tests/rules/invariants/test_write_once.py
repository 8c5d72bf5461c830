from __future__ import annotations

import pytest

from tests.rules.judging import broken, violations

ONCE = "writeOnce: {fields: [status.a]}"
CLEARED = "writeOnce: {fields: [status.a], mayClear: true}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("null", "x", [], id="set"),
        pytest.param("x", "x", [], id="stays"),
        pytest.param("3", "3.0", [], id="equal"),
        pytest.param("{b: 1, c: null}", "{b: 1}", [], id="deeply equal"),
        pytest.param("x", "y", ["status.a"], id="changes"),
        pytest.param("x", "''", ["status.a"], id="'' is not absent"),
        pytest.param("''", "x", ["status.a"], id="'' was set"),
        pytest.param("false", "true", ["status.a"], id="false was set"),
        pytest.param("[1]", "[1, 2]", ["status.a"], id="a list grows"),
    ],
)
def test_once_set_a_field_never_changes(old: str, new: str, expected: list[str]) -> None:
    for invariant in (ONCE, CLEARED):
        assert broken(invariant, f"status: {{a: {old}}}", f"status: {{a: {new}}}") == expected


def test_once_set_a_field_never_disappears_unless_it_may_clear() -> None:
    assert broken(ONCE, "status: {a: x}", "status: {}") == ["status.a"]
    assert broken(ONCE, "status: {a: x}", "{}") == ["status.a"]
    assert broken(CLEARED, "status: {a: x}", "status: {}") == []


def test_an_item_that_is_gone_takes_its_fields_with_it() -> None:
    invariant = "writeOnce: {fields: ['status.c[k].v', 'status.m.*']}"
    old = "status: {c: [{k: x, v: 1}, {k: y, v: 1}, {k: z, v: 1}], m: {a: 1}}"
    new = "status: {c: [{k: x, v: 2}, {k: y}, {k: w, v: 1}]}"
    assert broken(invariant, old, new) == ["status.c[k=x].v", "status.c[k=y].v"]


def test_a_guard_that_turns_true_finds_no_change_in_what_stayed() -> None:
    invariant = f"{{when: [{{field: status.done, operator: Exists}}], {ONCE}}}"
    assert broken(invariant, "status: {a: x}", "status: {a: x, done: true}") == []
    assert broken(invariant, "status: {a: x}", "status: {a: y, done: true}") == ["status.a"]


def test_nothing_is_judged_on_create() -> None:
    assert broken(ONCE, None, "status: {a: x}") == []


@pytest.mark.parametrize(
    ("new", "problem"),
    [("y", "was set to {old} and became {new}"), ("null", "was set once and disappeared: it was {old}")],
)
def test_problems(new: str, problem: str) -> None:
    (violation,) = violations("status: {a: x}", f"status: {{a: {new}}}", ONCE)
    assert violation.finding.problem == problem
    assert violation.cured_by_waiting
