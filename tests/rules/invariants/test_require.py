from __future__ import annotations

import pytest

from tests.rules.judging import broken, violations

A = "{field: status.a, operator: Exists}"
B = "{field: status.b, operator: In, values: ['1']}"


@pytest.mark.parametrize(
    ("spec", "old", "new", "expected"),
    [
        pytest.param(f"{{all: [{A}, {B}]}}", "{}", "{a: 1, b: 1}", [], id="all hold"),
        pytest.param(f"{{all: [{A}, {B}]}}", "{a: 1, b: 1}", "{b: 2}", ["status.a", "status.b"], id="each is a check"),
        pytest.param(f"{{all: [{A}, {B}]}}", "{b: 1}", "{b: 2}", ["status.b"], id="only what changed"),
        pytest.param(f"{{any: [{A}, {B}]}}", "{}", "{b: 1}", [], id="one of any holds"),
        pytest.param(f"{{any: [{A}, {B}]}}", "{a: 1, b: 1}", "{}", ["status.a"], id="any is one check"),
        pytest.param(f"{{any: [{A}, {B}]}}", "{b: 1}", "{b: 2}", ["status.b"], id="the first that changed"),
        pytest.param(f"{{any: [{A}, {B}]}}", "{c: 1}", "{c: 2}", [], id="nothing that it reads changed"),
        pytest.param(f"{{all: [{A}], any: [{B}]}}", "{a: 1, b: 1}", "{}", ["status.a", "status.b"], id="both"),
    ],
)
def test_must_hold_in_the_new_object(spec: str, old: str, new: str, expected: list[str]) -> None:
    assert broken(f"require: {spec}", f"status: {old}", f"status: {new}") == expected


IMPLICATION = """
when: [{field: status.phase, operator: In, values: [Done]}]
require: {all: [{field: status.finishedAt, operator: Exists}]}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("{phase: Running}", "{phase: Done}", ["status.finishedAt"], id="what `when` reads changed"),
        pytest.param("{phase: Running}", "{phase: Done, finishedAt: now}", [], id="holds"),
        pytest.param(
            "{phase: Done, finishedAt: now}", "{phase: Done}", ["status.finishedAt"], id="what it reads changed"
        ),
        pytest.param("{phase: Done}", "{phase: Done, other: 1}", [], id="a fault that was there before"),
        pytest.param("{phase: Done}", "{phase: Running}", [], id="`when` does not hold"),
    ],
)
def test_with_when_it_is_an_implication(old: str, new: str, expected: list[str]) -> None:
    assert broken(IMPLICATION, f"status: {old}", f"status: {new}") == expected


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param("{phase: Done}", ["status.finishedAt"], id="everything present has changed"),
        pytest.param("{phase: Done, finishedAt: now}", [], id="holds"),
        pytest.param("{phase: Running}", [], id="`when` does not hold"),
    ],
)
def test_judges_on_create(new: str, expected: list[str]) -> None:
    assert broken(IMPLICATION, None, f"status: {new}") == expected


def test_the_side_before_the_write_can_be_asked_too() -> None:
    invariant = (
        "require: {any: [{field: status.a, operator: DoesNotExist, of: old}, {field: status.a, operator: Exists}]}"
    )
    assert broken(invariant, "status: {}", "status: {a: 1}") == []
    assert broken(invariant, "status: {a: 1}", "status: {}") == ["status.a"]


def test_problem() -> None:
    (violation,) = violations("status: {b: 1}", "status: {b: 2}", f"require: {{any: [{A}, {B}]}}")
    finding = violation.finding
    assert finding.problem == 'breaks the demand that status.a is set or status.b is "1": it is {new} (was {old})'
    assert finding.values == (("status.a", None), ("status.b", 2))
    assert not violation.cured_by_waiting


def test_braces_in_a_demand_mean_themselves() -> None:
    predicate = "{field: status.a, operator: Matches, values: ['x{2}']}"
    (violation,) = violations("status: {a: xx}", "status: {a: y}", f"require: {{all: [{predicate}]}}")
    assert violation.finding.problem.format(old=1, new=2) == (
        'breaks the demand that status.a matches "x{2}": it is 2 (was 1)'
    )
