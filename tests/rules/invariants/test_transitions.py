from __future__ import annotations

import pytest

from tests.rules.judging import broken, rule, verdict, violations, write

PHASE = ["status.phase"]


def moves(spec: str, old: str | None, new: str) -> list[str]:
    invariant = f"transitions: {{field: status.phase, {spec}}}"
    return broken(invariant, f"status: {{phase: {old}}}" if old else None, f"status: {{phase: {new}}}")


ALLOW = "allow: [{from: ['', A], to: [B]}, {from: [B], to: [C, '']}]"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("A", "B", [], id="allowed"),
        pytest.param("A", "C", PHASE, id="not allowed"),
        pytest.param("B", "A", PHASE, id="back"),
        pytest.param("D", "D", [], id="staying is no move"),
        pytest.param("null", "B", [], id="from unset"),
        pytest.param("''", "B", [], id="'' is unset"),
        pytest.param("null", "C", PHASE, id="from unset, not allowed"),
        pytest.param("null", "''", [], id="unset stays unset"),
        pytest.param("B", "null", [], id="to unset"),
        pytest.param("C", "null", PHASE, id="to unset, not allowed"),
        pytest.param("A", "{}", PHASE, id="an object matches nothing"),
        pytest.param("[A]", "B", PHASE, id="a list matches nothing"),
    ],
)
def test_allow(old: str, new: str, expected: list[str]) -> None:
    assert moves(ALLOW, old, new) == expected


FORBID = "forbid: [{from: [A], to: ['*']}, {from: ['*'], to: [Z]}]"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("A", "B", PHASE, id="* is any"),
        pytest.param("A", "null", PHASE, id="* is unset too"),
        pytest.param("null", "Z", PHASE, id="from * is from unset too"),
        pytest.param("B", "C", [], id="not forbidden"),
        pytest.param("A", "A", [], id="staying is no move"),
        pytest.param("A", "[]", [], id="a list matches nothing, not even *"),
    ],
)
def test_forbid(old: str, new: str, expected: list[str]) -> None:
    assert moves(FORBID, old, new) == expected


INITIAL = "initial: [A, B], allow: [{from: [A], to: [C]}]"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("null", "A", [], id="then allow is not asked"),
        pytest.param("''", "B", [], id="'' is unset"),
        pytest.param("null", "C", PHASE, id="no initial state"),
        pytest.param("A", "C", [], id="later allow is asked"),
        pytest.param("A", "B", PHASE, id="later it is no initial state"),
        pytest.param("null", "null", [], id="still unset"),
        pytest.param(None, "A", [], id="created with an initial state"),
        pytest.param(None, "C", PHASE, id="created with another"),
        pytest.param(None, "null", [], id="created without"),
        pytest.param(None, "''", [], id="created with ''"),
    ],
)
def test_initial(old: str | None, new: str, expected: list[str]) -> None:
    assert moves(INITIAL, old, new) == expected


def test_forbid_is_asked_of_an_initial_state_too() -> None:
    spec = "initial: [A], forbid: [{from: ['*'], to: [A]}]"
    assert moves(spec, "null", "A") == PHASE


@pytest.mark.parametrize("spec", [ALLOW, FORBID, "terminal: [B]"])
def test_on_create_only_initial_judges(spec: str) -> None:
    assert moves(spec, None, "Z") == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("Done", "Running", PHASE, id="never left"),
        pytest.param("Done", "null", PHASE, id="not even to unset"),
        pytest.param("Done", "Done", [], id="stays"),
        pytest.param("Running", "Done", [], id="reached"),
    ],
)
def test_terminal(old: str, new: str, expected: list[str]) -> None:
    assert moves("terminal: [Done, Failed]", old, new) == expected


@pytest.mark.parametrize(
    ("spec", "old", "new", "expected"),
    [
        pytest.param("allow: [{from: ['1'], to: ['2']}]", "1", "2", [], id="integers"),
        pytest.param("allow: [{from: ['1'], to: ['2']}]", "1.0", "'2'", [], id="integral decimals and strings"),
        pytest.param("terminal: ['true']", "true", "false", PHASE, id="booleans"),
        pytest.param("terminal: ['3']", "3", "'3'", [], id="3 and '3' are one state"),
        pytest.param("terminal: ['0.5']", "0.50", "0.6", PHASE, id="decimals in their shortest form"),
    ],
)
def test_states_compare_as_text(spec: str, old: str, new: str, expected: list[str]) -> None:
    assert moves(spec, old, new) == expected


def test_items() -> None:
    invariant = "transitions: {field: 'status.c[k].s', initial: [A], terminal: [Z]}"
    old = "status: {c: [{k: x, s: Z}, {k: y, s: Z}, {k: z, s: Z}]}"
    new = "status: {c: [{k: x, s: A}, {k: y}, {k: new, s: B}]}"
    assert broken(invariant, old, new) == ["status.c[k=x].s", "status.c[k=y].s", "status.c[k=new].s"]


def test_values_of_another_type_are_counted() -> None:
    compiled = rule("transitions: {field: status.phase, terminal: [A]}")
    assert verdict(compiled, write("status: {phase: [A]}", "status: {phase: {}}")).type_mismatches == 2


@pytest.mark.parametrize(
    ("spec", "old", "new", "problem"),
    [
        (ALLOW, "A", "C", "may not go from {old} to {new}"),
        (INITIAL, "null", "C", "may not start as {new}"),
        ("terminal: [A]", "A", "B", "left {old}, a state that is never left, for {new}"),
    ],
)
def test_problems(spec: str, old: str, new: str, problem: str) -> None:
    invariant = f"transitions: {{field: status.phase, {spec}}}"
    (violation,) = violations(f"status: {{phase: {old}}}", f"status: {{phase: {new}}}", invariant)
    assert violation.finding.problem == problem
    assert not violation.cured_by_waiting
