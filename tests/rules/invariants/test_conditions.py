from __future__ import annotations

import pytest

from rules.invariants.conditions import Conditions
from tests.rules.judging import broken, rule, snippet, verdict, violations, write

T0, T1 = "2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z"
READY = "status.conditions[type=Ready]"
TIME = [f"{READY}.lastTransitionTime"]


def condition(status: str = "True", time: str = T0, more: str = ", reason: R") -> str:
    return f"{{type: Ready, status: '{status}', lastTransitionTime: '{time}'{more}}}"


def judged(spec: str, old: str | None, new: str) -> list[str]:
    before = None if old is None else f"status: {{conditions: [{old}]}}"
    return broken(f"conditions: {spec}", before, f"status: {{conditions: [{new}]}}")


MODES = {
    mode: f"{{lastTransitionTime: {mode}}}" for mode in ("OnlyWithChange", "OnlyWithStatus", "WithStatus", "Ignore")
}


@pytest.mark.parametrize(
    ("old", "new", "breaks"),
    [
        pytest.param(condition(), condition(time=T1), "OnlyWithChange OnlyWithStatus WithStatus", id="only the time"),
        pytest.param(condition(), condition("False", T1), "", id="with the status"),
        pytest.param(
            condition(more=", message: a"), condition(time=T1, more=", message: b"), "OnlyWithStatus WithStatus",
            id="with the message",
        ),
        pytest.param(
            condition(more=", severity: Info"), condition(time=T1, more=", severity: Error"), "OnlyWithStatus WithStatus",
            id="with the severity",
        ),
        pytest.param(
            condition(more=", reason: R"), condition(time=T1, more=", reason: S"), "OnlyWithStatus WithStatus",
            id="with the reason",
        ),
        pytest.param(
            condition(more=", other: a"), condition(time=T1, more=", other: b"),
            "OnlyWithChange OnlyWithStatus WithStatus", id="another member does not count",
        ),
        pytest.param(condition(), condition("False"), "WithStatus", id="the status without the time"),
        pytest.param(condition(), condition(time="2026-01-01T01:00:00+01:00"), "", id="the same instant elsewhere"),
        pytest.param(
            condition(), condition("False", "2026-01-01T01:00:00+01:00"), "WithStatus", id="the same instant, other status"
        ),
        pytest.param("{type: Ready, status: 'True'}", condition(), "", id="a time for the first time"),
        pytest.param(
            condition(), "{type: Ready, status: 'True', reason: R}", "OnlyWithChange OnlyWithStatus WithStatus",
            id="the time disappears",
        ),
        pytest.param(condition(time="x"), condition(time="y"), "OnlyWithChange OnlyWithStatus WithStatus", id="no times"),
        pytest.param(condition(), "", "", id="the condition is gone"),
        pytest.param("", condition(time=T1), "", id="the condition is new"),
        pytest.param(condition(), f"{condition()}, 3, null, text, {{status: x}}", "", id="what is no condition"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", MODES)
def test_last_transition_time(mode: str, old: str, new: str, breaks: str) -> None:
    assert judged(MODES[mode], old, new) == (TIME if mode in breaks.split() else [])


def test_by_default_the_time_moves_only_with_change() -> None:
    assert judged("{}", condition(), condition(time=T1)) == TIME
    assert judged("{}", condition(more=", message: a"), condition(time=T1, more=", message: b")) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(condition(time=T1), condition(time=T0), TIME, id="back"),
        pytest.param(condition(time=T1), condition("False", T0), [], id="back with the status"),
        pytest.param(condition(time=T0), condition(time=T1), [], id="forward"),
        pytest.param(condition(time=T1), condition(time="x"), [], id="no time"),
        pytest.param(condition(time=T1, more=", a: 1"), condition(time=T1, more=", a: 2"), [], id="stays"),
    ],
)
def test_not_back(old: str, new: str, expected: list[str]) -> None:
    assert judged("{notBack: true, lastTransitionTime: Ignore}", old, new) == expected
    assert judged("{lastTransitionTime: Ignore}", old, new) == []


TWICE = f"{condition()}, {condition('False', T1)}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(condition(), TWICE, [READY], id="a type twice"),
        pytest.param(condition(), f"{TWICE}, {condition()}", [READY], id="one violation a type"),
        pytest.param(TWICE, TWICE, [], id="it was so before"),
        pytest.param(TWICE, condition(), [], id="repaired"),
        pytest.param(TWICE, f"{TWICE}, {condition()}", [READY], id="made worse"),
        pytest.param(None, TWICE, [READY], id="created so"),
        pytest.param("", "{type: 1}, {type: 1.0}", ["status.conditions[type=1]"], id="equal types"),
        pytest.param("", "{type: 1}, {type: '1'}", [], id="types that are told apart"),
        pytest.param("", "{type: [a]}, {type: [a]}", ['status.conditions[type=["a"]]'], id="types of any type"),
    ],
)
def test_unique_types(old: str | None, new: str, expected: list[str]) -> None:
    assert judged("{}", old, new) == expected
    assert judged("{uniqueTypes: false}", old, new) == []


def test_of_several_the_first_of_each_side_is_compared() -> None:
    spec = "{uniqueTypes: false}"
    assert judged(spec, TWICE, f"{condition(time=T1)}, {condition('False', T1)}") == TIME
    assert judged(spec, TWICE, f"{condition()}, {condition('False', T0)}") == []


def test_on_create_only_unique_types_judges() -> None:
    assert judged("{lastTransitionTime: WithStatus, notBack: true}", None, condition()) == []


def test_conditions_below_items() -> None:
    invariant = "conditions: {path: 'status.parents[ref].conditions'}"
    old = f"status: {{parents: [{{ref: a, conditions: [{condition()}]}}, {{ref: b, conditions: [{condition()}]}}]}}"
    new = f"status: {{parents: [{{ref: b, conditions: [{condition(time=T1)}]}}, {{ref: a, conditions: [{TWICE}]}}]}}"
    assert broken(invariant, old, new) == [
        "status.parents[ref=b].conditions[type=Ready].lastTransitionTime",
        "status.parents[ref=a].conditions[type=Ready]",
    ]


@pytest.mark.parametrize(
    ("old", "new", "mismatches"),
    [
        ("status: {conditions: {}}", "status: {conditions: text}", 2),
        (
            f"status: {{conditions: [{condition(time='soon')}]}}",
            "status: {conditions: [{type: Ready, lastTransitionTime: 3}]}",
            2,
        ),
        ("status: {conditions: null}", "status: {}", 0),
    ],
)
def test_values_of_another_type_are_counted(old: str, new: str, mismatches: int) -> None:
    assert verdict(rule("conditions: {}"), write(old, new)).type_mismatches == mismatches


@pytest.mark.parametrize(
    ("spec", "old", "new", "problem"),
    [
        (
            "{}",
            condition(),
            condition(time=T1),
            "moved from {old} to {new} though nothing else of the condition changed",
        ),
        (
            "{lastTransitionTime: OnlyWithStatus}",
            condition(),
            condition(time=T1),
            "moved from {old} to {new} though the status did not change",
        ),
        (
            "{lastTransitionTime: WithStatus}",
            condition(),
            condition("False"),
            "stayed {new} though the status changed",
        ),
        (
            "{notBack: true}",
            condition(time=T1),
            condition(),
            "went back from {old} to {new}, and the status did not change",
        ),
        ("{}", condition(), TWICE, "is there 2 times (was 1)"),
    ],
)
def test_problems(spec: str, old: str, new: str, problem: str) -> None:
    (violation,) = violations(
        f"status: {{conditions: [{old}]}}", f"status: {{conditions: [{new}]}}", f"conditions: {spec}"
    )
    assert violation.finding.problem == problem
    assert not violation.cured_by_waiting


def test_with_status_is_warned_of() -> None:
    (problem,) = Conditions.model_validate(snippet("{lastTransitionTime: WithStatus}")).warnings()
    assert (problem.location, problem.code, problem.severity) == (("lastTransitionTime",), "with-status", "warning")
    assert list(Conditions().warnings()) == []
