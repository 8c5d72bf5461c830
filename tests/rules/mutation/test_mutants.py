from __future__ import annotations

from typing import Any

import pytest

from rules.fieldpath import parse
from rules.mutation.mutants import Mutation, claims_of, mutants, spoilt_conditions
from rules.predicates import Predicate


def spoilt(value: Any, mutation: Mutation, *, counts: bool = False) -> list[Any]:
    new = {} if value is None else {"field": value}
    pairs = mutants({"status": new}, parse("status.field"), [], counts=counts)
    return [copy["status"].get("field") for each, copy in pairs if each is mutation]


@pytest.mark.parametrize(
    ("value", "smaller", "larger"),
    [
        (5, [4, 0], [6, 1005]),
        (1, [0], [2, 1001]),
        ("12", ["11", "0"], ["13", "1012"]),
        (
            "2026-01-01T00:00:00Z",
            ["2025-12-31T23:59:59Z", "2024-11-27T00:00:00Z"],
            ["2026-01-01T00:00:01Z", "2027-02-05T00:00:00Z"],
        ),
        ("Running", [], []),
        (True, [], []),
        (None, [], []),
    ],
)
def test_what_has_an_order_gets_smaller_and_larger(value: Any, smaller: list[Any], larger: list[Any]) -> None:
    assert spoilt(value, Mutation.DECREASED) == smaller
    assert spoilt(value, Mutation.INCREASED) == larger


def test_a_counter_that_is_left_out_is_zero() -> None:
    assert spoilt(None, Mutation.INCREASED, counts=True) == [1, 1000]
    assert spoilt(None, Mutation.DECREASED, counts=True) == [-1]


@pytest.mark.parametrize("value", [5, "Running", "2026-01-01T00:00:00Z", False, {"name": "a"}, {"a": 1}, ["a"], None])
def test_a_change_is_to_something_else(value: Any) -> None:
    others = spoilt(value, Mutation.CHANGED)
    assert others
    assert value not in others


def test_states_of_the_rule_are_tried() -> None:
    pairs = mutants({"status": {"phase": "Done"}}, parse("status.phase"), ["Done", "Running"])
    changed = [copy["status"]["phase"] for mutation, copy in pairs if mutation is Mutation.CHANGED]
    assert changed == ["Running", "Other", ""]


def test_fields_are_cleared_and_items_dropped() -> None:
    new = {"status": {"parts": [{"name": "a", "count": 1}, {"name": "b", "count": 2}]}}
    pairs = list(mutants(new, parse("status.parts[name].count"), []))
    cleared = [copy["status"]["parts"] for mutation, copy in pairs if mutation is Mutation.CLEARED]
    dropped = [copy["status"]["parts"] for mutation, copy in pairs if mutation is Mutation.DROPPED]
    assert cleared == [[{"name": "a"}, {"name": "b", "count": 2}], [{"name": "a", "count": 1}, {"name": "b"}]]
    assert dropped == [[{"name": "b", "count": 2}], [{"name": "a", "count": 1}]]


def test_values_of_a_map_are_items() -> None:
    pairs = mutants({"status": {"holds": {"a": 1}}}, parse("status.holds.*"), [])
    assert {"status": {"holds": {}}} in [copy for mutation, copy in pairs if mutation is Mutation.DROPPED]


def test_a_condition_is_doubled_and_its_time_moves_alone() -> None:
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    pairs = list(spoilt_conditions({"status": {"conditions": [ready]}}, parse("status.conditions")))
    (doubled,) = [copy for mutation, copy in pairs if mutation is Mutation.DOUBLED]
    assert doubled["status"]["conditions"] == [ready, ready]
    moved = [copy["status"]["conditions"][0] for mutation, copy in pairs if mutation is Mutation.TIME]
    assert {each["status"] for each in moved} == {"True"}
    assert ready["lastTransitionTime"] not in {each["lastTransitionTime"] for each in moved}


def test_a_claim_is_everything_that_is_asked_of_the_status() -> None:
    when = [
        Predicate.model_validate({"field": "status.phase", "operator": "In", "values": ["Done"]}),
        Predicate.model_validate({"field": "status.count", "operator": "Matches", "values": ["[1-9]"]}),
        Predicate.model_validate({"field": "spec.mode", "operator": "Exists"}),
    ]
    claimed = list(claims_of({"status": {"phase": "Running"}}, when))
    assert claimed
    assert all(copy["status"]["phase"] == "Done" and isinstance(copy["status"]["count"], int) for copy in claimed)
    assert all("spec" not in copy for copy in claimed)
