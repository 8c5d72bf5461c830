from __future__ import annotations

import pytest

from rules.fieldpath import parse
from rules.schemas.schema import Schema
from rules.schemas.walk import follow

from .described import widget


@pytest.mark.parametrize(
    ("path", "types"),
    [
        ("status.replicas", {"integer"}),
        ("metadata.generation", {"integer"}),
        ('metadata.annotations["a.b/c"]', {"string"}),
        ("metadata.ownerReferences[uid].name", {"string"}),
        ("kind", {"string"}),
        ("status.holds.*", {"integer"}),
        ("status.holds.anything", {"integer"}),
        ("status.conditions[type]", {"object"}),
        ("status.conditions[type=Ready].status", {"string"}),
        ("status.parents[namespace,name].ready", {"boolean"}),
        ("status.parents[name=a,namespace=b,ready=true].ready", {"boolean"}),
        ("status.history[*].revision", {"integer"}),
        ("status.history[revision].note", {"string"}),
        ("status.messages[*]", {"string"}),
        ("status.extra.anything[key=value].at.all", set()),
        ("status.deprecated.*", set()),
        ("spec.template.metadata.labels.a", {"string"}),
        ("spec.template.spec.anything", set()),
    ],
)
def test_a_path_leads_to_what_the_schema_has_there(path: str, types: set[str]) -> None:
    found, remarks = follow(parse(path), widget())
    assert found.types == types
    assert remarks == []


@pytest.mark.parametrize(
    ("path", "offset", "message"),
    [
        ("statsu.replicas", 0, 'the object has no field "statsu", did you mean "status"?'),
        ("status.replica", 7, 'status has no field "replica", did you mean "replicas"?'),
        ("status.ReadyReplicas", 7, 'status has no field "ReadyReplicas", did you mean "readyReplicas"?'),
        ("metadata.generaton", 9, 'metadata has no field "generaton", did you mean "generation"?'),
        # The field is somewhere else, and that is nearer to what was meant than a neighbour of a like name.
        (
            "status.unavailableReplicas",
            7,
            'status has no field "unavailableReplicas", did you mean "status.deprecated.unavailableReplicas"?',
        ),
        ("status.deprecated.x", 18, 'status.deprecated has no field "x", expected one of unavailableReplicas'),
        ("status.empty.x", 13, 'status.empty has no field "x"'),
        ('status["a b"]', 6, 'status has no field "a b"'),
        ("status.replicas.x", 16, "status.replicas is an integer, which has no field x"),
        (
            "status.conditions.type",
            18,
            (
                "status.conditions is a list, which has no field type: write status.conditions[type=...] for one item or "
                "status.conditions[type] for each"
            ),
        ),
        ("status.phase.*", 12, "status.phase is a string, expected a map"),
        ("status.phase[type]", 12, "status.phase is a string, expected a list of objects"),
        ("status.startTime[*]", 16, "status.startTime is a time, expected a list of objects"),
        (
            "status.holds[name=a]",
            12,
            "status.holds is an object, expected a list of objects: write status.holds.* for every value of a map",
        ),
        ("status.messages[type=a]", 15, "the items of status.messages are each a string, expected objects"),
        (
            "status.history[revison].note",
            14,
            'the items of status.history have no field "revison", did you mean "revision"?',
        ),
        ("status.conditions[type=Ready].x.y", 30, 'status.conditions[type=Ready] has no field "x"'),
    ],
)
def test_the_first_step_that_leads_nowhere(path: str, offset: int, message: str) -> None:
    found, (remark,) = follow(parse(path), widget())
    assert found.types == set()
    assert remark.severity == "error"
    assert remark.code == ("unknown-path" if "no field" in remark.what else "wrong-type")
    assert remark.offset == offset
    said = remark.what + remark.rest
    assert said == message or (said.startswith(f"{message}, expected one of") and "did you mean" not in message)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "status.parents[name].ready",
            (
                "the items of status.parents are told apart by name and namespace, not by name: write [name,namespace], "
                "else items may be paired wrongly"
            ),
        ),
        (
            "status.parents[name,namespace,ready].ready",
            (
                "the items of status.parents are told apart by name and namespace, not by name and namespace and ready: "
                "write [name,namespace], else items may be paired wrongly"
            ),
        ),
        (
            "status.parents[namespace=a].ready",
            (
                "the items of status.parents are told apart by name and namespace, not by namespace: "
                "write [name=...,namespace=...], else the first of several items is read"
            ),
        ),
    ],
)
def test_other_keys_than_those_of_the_list_are_a_warning(path: str, message: str) -> None:
    found, (remark,) = follow(parse(path), widget())
    assert found.types == {"boolean"}
    assert (remark.severity, remark.code, remark.what + remark.rest) == ("warning", "list-keys", message)
    assert remark.offset == len("status.parents")


def test_a_place_of_which_nothing_is_said_may_hold_anything() -> None:
    assert follow(parse("status.a.*[b].c[d=e][*]"), Schema({"type": "object", "properties": {"status": {}}}))[1] == []
