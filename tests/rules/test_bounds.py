"""The largest rule there may be, over large objects: what it costs is bounded."""

from __future__ import annotations

import time
from typing import Any

import pytest

from rules.compile import CompiledRule, compile_rule
from rules.model import MAX_FIELDS, MAX_INVARIANTS
from rules.ruleset import MAX_COMPARISONS, MAX_VIOLATIONS, judge
from rules.violation import RuleVerdict
from rules.write import Request, Resource, Roots, Write

SECONDS = 20.0
"""Processor time that is allowed here: forty times what it takes on an idle machine, because coverage, a large heap and a slow
machine have been seen to make it ten times as much; far less than it took unbounded."""


def largest_rule() -> CompiledRule:
    fields = [f"status.items[name].f{number}" for number in range(MAX_FIELDS)]
    kind = {"monotonic": {"fields": fields, "direction": "NonDecreasing"}}
    return compile_rule(
        {
            "apiVersion": "statusguard.dev/v1alpha1",
            "kind": "ClusterStatusRule",
            "metadata": {"name": "largest"},
            "spec": {
                "matchConstraints": {
                    "resourceRules": [{"apiGroups": ["a"], "apiVersions": ["v1"], "resources": ["b/status"]}]
                },
                "invariants": [{"name": f"i{number}", **kind} for number in range(MAX_INVARIANTS)],
            },
        }
    )


def judged(items: int, *, changed: int, step: int) -> tuple[RuleVerdict, float]:
    def side(value: int) -> Roots:
        found: list[dict[str, Any]] = []
        for number in range(items):
            moved = value if number < changed else 0
            found.append({"name": f"n{number}", **{f"f{field}": 5 + moved for field in range(MAX_FIELDS)}})
        return Roots({"metadata": {}, "status": {"items": found}})

    write = Write(Request(Resource("a", "v1", "b", "status")), side(step), side(0))
    start = time.process_time()
    (verdict,) = judge([largest_rule()], write)
    return verdict, time.process_time() - start


def test_items_that_did_not_change_cost_next_to_nothing() -> None:
    verdict, seconds = judged(2_000, changed=1, step=1)
    assert verdict.error is None
    assert verdict.violations == ()
    assert seconds < SECONDS


def test_violations_are_looked_for_up_to_a_bound() -> None:
    verdict, seconds = judged(50, changed=50, step=-1)
    assert len(verdict.violations) == MAX_VIOLATIONS
    assert seconds < SECONDS


def test_more_than_a_rule_may_compare_is_an_error_of_its_own() -> None:
    items = MAX_COMPARISONS // (MAX_INVARIANTS * MAX_FIELDS) + 1
    verdict, seconds = judged(items, changed=items, step=1)
    assert verdict.error == "the write has more than 200,000 values for this rule to compare"
    assert not verdict.unreadable
    assert seconds < SECONDS


@pytest.mark.parametrize("step", [0, 1])
def test_what_is_within_the_bound_is_judged_to_the_end(step: int) -> None:
    items = MAX_COMPARISONS // (MAX_INVARIANTS * MAX_FIELDS)
    verdict, _ = judged(items, changed=items, step=step)
    assert verdict.error is None
