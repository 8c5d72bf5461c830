"""What a program says of rules whose holes are known."""

from __future__ import annotations

from typing import Any

import pytest

from rules.compile import compile_rule
from rules.mutation.claims import Why
from rules.mutation.mutants import Mutation
from rules.mutation.trials import Row, honest_writes, rows
from rules.suite import Case

OLD: dict[str, Any] = {
    "apiVersion": "example.test/v1",
    "kind": "Widget",
    "metadata": {"name": "w", "namespace": "default", "generation": 2},
    "status": {
        "observedGeneration": 1,
        "replicas": 3,
        "ready": 2,
        "phase": "Running",
        "parts": [{"name": "a", "count": 2}],
        "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
    },
}


def row(invariant: dict[str, Any], *patches: dict[str, Any]) -> Row:
    """Return what is found of one invariant by these honest writes."""
    document = {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "ClusterStatusRule",
        "metadata": {"name": "widgets"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {"apiGroups": ["example.test"], "apiVersions": ["v1"], "resources": ["widgets/status"]}
                ]
            },
            "invariants": [{"name": "i", **invariant}],
        },
    }
    cases = [
        {"name": "case", "old": OLD, "patch": {"status": patch}, "expect": {"violations": []}}
        for patch in patches or ({"observedGeneration": 2, "ready": 3},)
    ]
    (found,) = rows(compile_rule(document), honest_writes(map(Case.model_validate, cases)))
    return found


@pytest.mark.parametrize(
    ("invariant", "raised"),
    [
        ({"observedGeneration": {"fields": ["status.observedGeneration"]}}, {"decreased", "increased", "cleared"}),
        ({"monotonic": {"fields": ["status.ready"], "direction": "NonDecreasing"}}, {"decreased", "cleared"}),
        ({"monotonic": {"fields": ["status.ready"], "direction": "NonIncreasing"}}, {"increased"}),
        ({"writeOnce": {"fields": ["status.phase"]}}, {"changed", "cleared"}),
        ({"frozen": {"fields": ["status.phase"]}}, {"changed", "cleared"}),
        ({"preserved": {"fields": ["status.parts[name]"]}}, {"item dropped"}),
        ({"relation": {"holds": ["status.ready <= status.replicas"]}}, {"decreased", "increased"}),
        ({"relation": {"holds": ["status.ready > 0"]}}, {"decreased"}),
        ({"transitions": {"field": "status.phase", "terminal": ["Running"]}}, {"changed", "cleared"}),
        ({"conditions": {"lastTransitionTime": "OnlyWithStatus"}}, {"time alone moved", "doubled"}),
        ({"conditions": {"lastTransitionTime": "Ignore", "notBack": True}}, {"time alone moved", "doubled"}),
        (
            {"require": {"all": [{"field": "status.phase", "operator": "In", "values": ["Running"]}]}},
            {"changed", "cleared"},
        ),
        (
            {
                "when": [{"field": "status.phase", "operator": "In", "values": ["Done"]}],
                "require": {
                    "all": [{"field": "status.conditions[type=Ready].status", "operator": "In", "values": ["True"]}]
                },
            },
            {"claimed too early"},
        ),
    ],
)
def test_what_must_be_noticed_is(invariant: dict[str, Any], raised: set[str]) -> None:
    found = row(invariant)
    assert raised <= {mutation.value for mutation in found.raised}
    # The last one has no honest write under its guard, which is a hole of its own.
    assert set(found.holes) <= (
        {Mutation.CHANGED, Mutation.CLEARED, Mutation.DROPPED} if "when" in invariant else set()
    )
    assert found.raised | set(found.whys) | set(found.holes) == set(Mutation)


def test_a_field_that_no_honest_write_has_is_a_hole() -> None:
    found = row({"monotonic": {"fields": ["status.ready", "status.restarts"], "direction": "NonDecreasing"}})
    assert found.holes == {Mutation.DECREASED: ("status.restarts",), Mutation.CLEARED: ("status.restarts",)}


def test_a_guard_that_no_honest_write_comes_under_is_a_hole() -> None:
    when = [{"field": "spec.mode", "operator": "Exists"}]
    found = row({"when": when, "frozen": {"fields": ["status.phase"]}})
    assert set(found.holes) == {Mutation.CHANGED, Mutation.CLEARED}
    assert found.whys[Mutation.CLAIMED] is Why.BOTH_SIDES


@pytest.mark.parametrize(
    ("invariant", "mutation", "why"),
    [
        (
            {"observedGeneration": {"fields": ["status.observedGeneration"], "mayClear": True}},
            Mutation.CLEARED,
            Why.MAY_CLEAR,
        ),
        (
            {"observedGeneration": {"fields": ["status.observedGeneration"], "notAhead": False}},
            Mutation.INCREASED,
            Why.ITS_WAY,
        ),
        (
            {"monotonic": {"fields": ["status.parts[name].count"], "direction": "NonDecreasing"}},
            Mutation.DROPPED,
            Why.GONE,
        ),
        ({"relation": {"holds": ["status.ready <= status.replicas"]}}, Mutation.CLEARED, Why.ABSENT),
        ({"preserved": {"fields": ["status.parts[name]"]}}, Mutation.CLEARED, Why.ITEMS),
        ({"require": {"all": [{"field": "status.phase", "operator": "Exists"}]}}, Mutation.CHANGED, Why.PRESENT),
        (
            {"require": {"all": [{"field": "status.phase", "operator": "NotIn", "values": ["X"]}]}},
            Mutation.CLEARED,
            Why.FINE,
        ),
        (
            {"conditions": {"lastTransitionTime": "OnlyWithStatus", "uniqueTypes": False}},
            Mutation.DOUBLED,
            Why.MAY_REPEAT,
        ),
        ({"transitions": {"field": "status.phase", "initial": ["Running"]}}, Mutation.CLEARED, Why.MAY_CLEAR),
    ],
)
def test_what_need_not_be_noticed_is_explained(invariant: dict[str, Any], mutation: Mutation, why: Why) -> None:
    assert row(invariant).whys[mutation] is why


def test_of_an_expression_something_must_be_noticed() -> None:
    changes = {"expression": "object.status.ready <= object.status.replicas"}
    assert Mutation.INCREASED in row({"cel": changes}).raised
    assert row({"cel": {"expression": "object.status.ready == object.status.ready"}}).holes == {
        Mutation.CHANGED: ("cel",)
    }


def test_of_a_group_without_an_identity_something_must_be_noticed() -> None:
    group = {"fields": ["status.ready", "status.replicas"]}
    assert row({"coUpdate": {**group, "changeTogether": True}}).holes == {}
    assert row({"coUpdate": {**group, "stamp": "status.observedGeneration"}}).holes == {}
