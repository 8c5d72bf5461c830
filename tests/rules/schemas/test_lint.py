from __future__ import annotations

import pytest

from rules.schemas.resources import ResourceSchema, ResourceVersion, SchemaCatalog, SchemaSource
from rules.schemas.schema import Schema

from .described import about, said

WIDGETS = "[{apiGroups: [example.test], apiVersions: [v1], resources: [widgets/status]}]"
BOTH = "[{apiGroups: [example.test], apiVersions: [v1], resources: [widgets/status, gadgets/status]}]"
ALL = "[{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/status']}]"


def test_a_rule_that_the_schema_bears_out() -> None:
    assert about(
        WIDGETS,
        "observedGeneration: {}",
        "conditions: {}",
        "monotonic: {fields: [status.startTime, status.capacity], direction: NonDecreasing}",
        "relation: {holds: [status.readyReplicas <= status.replicas, 'sum(status.history[*].revision) >= 0']}",
        "transitions: {field: status.phase, allow: [{from: [Pending, ''], to: ['*']}]}",
        "preserved: {fields: ['status.parents[name,namespace]', status.holds.*]}",
        "cel: {expression: 'object.status.replicas >= 0 && object.status.conditions.size() > 0'}",
    ) == []  # fmt: skip


def test_one_mistake_in_several_objects_is_told_once() -> None:
    assert said(about(BOTH, "relation: {holds: [status.replica <= 3]}")) == [
        (
            'error: status has no field "replica" in widgets.example.test/v1, gadgets.example.test/v1, '
            'did you mean "replicas"? [unknown-path]'
        )
    ]


def test_a_path_that_is_right_in_some_objects_is_a_warning_in_the_others() -> None:
    assert said(about(BOTH, "relation: {holds: [status.readyReplicas <= status.replicas]}")) == [
        'warning: status has no field "readyReplicas" in gadgets.example.test/v1, where it is never judged [unknown-path]'
    ]


def test_versions_of_one_resource_are_named_together() -> None:
    two = "[{apiGroups: [example.test], apiVersions: ['*'], resources: [widgets]}]"
    assert said(about(two, "frozen: {fields: [status.x]}"))[-1].startswith(
        'error: status has no field "x" in widgets.example.test/v1beta1, expected one of replicas'
    )
    assert said(about(two, "relation: {holds: [status.replicas.x <= 3]}")) == [
        "error: status.replicas is an integer in widgets.example.test/v1,v1beta1, which has no field x [wrong-type]"
    ]


def test_only_the_first_of_many_resources_are_named() -> None:
    empty = {"v1": ResourceVersion({"status": Schema({"type": "object"})})}
    many = [ResourceSchema("example.test", f"w{index}", empty, is_namespaced=True) for index in range(5)]
    names = ", ".join(f"w{index}/status" for index in range(5))
    resources = f"[{{apiGroups: [example.test], apiVersions: [v1], resources: [{names}]}}]"
    (problem,) = about(resources, "frozen: {fields: [status]}", catalog=SchemaCatalog([SchemaSource(tuple(many))]))
    assert problem.message == (
        'the object has no field "status" in w0.example.test/v1, w1.example.test/v1, w2.example.test/v1 and 2 more'
    )


def test_a_default_is_a_mistake_only_if_all_of_it_is() -> None:
    assert about(WIDGETS, "observedGeneration: {}") == []
    # Of gadgets neither default path can hold a generation: one is a string, the other is not there.
    gadgets = "[{apiGroups: [example.test], apiVersions: [v1], resources: [gadgets/status]}]"
    assert said(about(gadgets, "observedGeneration: {}")) == [
        "error: status.observedGeneration is a string in gadgets.example.test/v1, expected a number [wrong-type]"
    ]


@pytest.mark.parametrize(
    ("invariant", "expected"),
    [
        ("frozen: {fields: [status.nowhere]}", []),
        (
            "observedGeneration: {fields: [status.observedGeneration]}",
            [
                "warning: status.observedGeneration is a string in gadgets.example.test/v1, expected a number [wrong-type]",
            ],
        ),
    ],
)
def test_a_rule_for_everything_may_read_what_not_everything_has(invariant: str, expected: list[str]) -> None:
    assert said(about(ALL, invariant)) == expected


def test_without_schemas_nothing_is_said() -> None:
    assert about(WIDGETS, "frozen: {fields: [stauts.x]}", catalog=SchemaCatalog([])) == []
