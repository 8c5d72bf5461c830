from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from rules.case_result import Broken, Outcome, differences
from rules.suite import Case

from .judging import snippet

PASSED = Outcome(allowed=True, code=None, warnings=0, violations=())
A, B, C = Broken("r", "i", "status.a"), Broken("r", "i", "status.b"), Broken("r", "j", "status.a")


def compared(expect: str, outcome: Outcome) -> list[str]:
    return differences(Case.model_validate({"name": "c", "object": {}, "expect": snippet(expect)}), outcome)


def broke(*violations: Broken) -> Outcome:
    return Outcome(allowed=False, code=409, warnings=0, violations=violations)


@pytest.mark.parametrize(
    ("expect", "outcome", "expected"),
    [
        pytest.param("{}", broke(A), [], id="what is left out is not compared"),
        pytest.param("{allowed: false, code: 409, warnings: 0}", broke(A), [], id="as expected"),
        pytest.param("{allowed: true}", broke(A), ["allowed: expected true, got false"], id="allowed"),
        pytest.param("{code: 422}", broke(A), ["code: expected 422, got 409"], id="code"),
        pytest.param("{warnings: 1}", broke(A), ["warnings: expected 1, got 0"], id="warnings"),
        pytest.param("{code: 409}", PASSED, ["code: expected 409, got none"], id="no code"),
        pytest.param("{violations: []}", broke(), [], id="none"),
        pytest.param(
            "{violations: []}",
            broke(A),
            ["unexpected violation: {rule: r, invariant: i, field: 'status.a'}"],
            id="unexpected",
        ),
        pytest.param(
            "{violations: [{rule: r, invariant: i}]}",
            broke(),
            ["missing violation: {rule: r, invariant: i, any field}"],
            id="missing",
        ),
        pytest.param(
            "{violations: [{rule: r, invariant: i, field: status.b}]}",
            broke(A),
            [
                "missing violation: {rule: r, invariant: i, field: 'status.b'}",
                "unexpected violation: {rule: r, invariant: i, field: 'status.a'}",
            ],
            id="another field",
        ),
        pytest.param(
            "{violations: [{rule: r, invariant: i}, {rule: r, invariant: i}]}",
            broke(A),
            ["missing violation: {rule: r, invariant: i, any field}"],
            id="they match one to one",
        ),
        pytest.param(
            "{}", replace(PASSED, error="too deep"), ["could not be judged: too deep"], id="a rule that failed"
        ),
    ],
)
def test_differences(expect: str, outcome: Outcome, expected: list[str]) -> None:
    assert compared(expect, outcome) == expected


@pytest.mark.parametrize("found", list(permutations([A, B, C])))
@pytest.mark.parametrize(
    "entries",
    list(
        permutations(["{rule: r, invariant: i}", "{rule: r, invariant: i, field: status.a}", "{rule: r, invariant: j}"])
    ),
)
def test_the_order_does_not_matter(found: tuple[Broken, ...], entries: tuple[str, ...]) -> None:
    assert compared(f"{{violations: [{', '.join(entries)}]}}", broke(*found)) == []
