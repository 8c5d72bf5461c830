from __future__ import annotations

import json
from typing import Any

import pytest

from rules.schemas.crd import is_crd, read_crds
from rules.schemas.resources import InvalidSchemaError, ResourceSchema
from tests.rules.judging import snippet

from .described import crds


def definition(**changes: Any) -> dict[str, Any]:
    """Return a CRD of widgets with some parts of its spec changed."""
    version = {"name": "v1", "served": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    spec = {"group": "example.test", "names": {"plural": "widgets"}, "scope": "Namespaced", "versions": [version]}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {**spec, **changes}}


def test_what_a_crd_describes() -> None:
    (widgets,), (gadgets,) = (source.resources for source in crds())
    assert (widgets.title, widgets.is_namespaced, gadgets.is_namespaced) == ("widgets.example.test", True, False)
    assert list(widgets.versions) == ["v1", "v1beta1", "v1alpha1"]
    assert widgets.served == ("v1", "v1beta1")
    assert widgets.other_names == {"widget", "wd"}
    assert {name: set(version.objects) for name, version in widgets.versions.items()} == {
        "v1": {"", "status", "scale"},
        "v1beta1": {""},
        "v1alpha1": {"", "status"},
    }
    scale = widgets.versions["v1"].objects["scale"].field("status")
    assert scale is not None
    assert set(scale.names) == {"replicas", "selector"}


@pytest.mark.parametrize("kind", ["List", "CustomResourceDefinitionList"])
def test_lists_of_crds(kind: str) -> None:
    gadgets = definition(names={"plural": "gadgets"})
    found = read_crds({"apiVersion": "v1", "kind": kind, "items": [definition(), gadgets]}).resources
    assert [resource.plural for resource in found] == ["widgets", "gadgets"]


def test_other_kinds_in_a_list_are_passed_over() -> None:
    found = read_crds({"kind": "List", "items": [{"kind": "Pod"}, 3, definition()]})
    assert [type(each) for each in found.resources] == [ResourceSchema]


@pytest.mark.parametrize(
    "data", [None, [], {}, {"kind": "Pod"}, {"kind": ["List"]}, {"kind": "List", "items": 3}, {"kind": "List", "items": [{}]}]
)  # fmt: skip
def test_what_is_no_crd(data: Any) -> None:
    assert not is_crd(data)


@pytest.mark.parametrize(
    ("changed", "location", "message"),
    [
        ("group: Example", ("spec", "group"), "group"),
        ("scope: Everywhere", ("spec", "scope"), 'scope is "Everywhere", expected Cluster or Namespaced'),
        ("versions: []", ("spec", "versions"), "versions must have at least 1 entry"),
        ("names: {}", ("spec", "names"), "plural is missing"),
        ("versions: [{name: v1, served: true}]", ("spec", "versions", 0), "schema is missing"),
        ("versions: [{name: v1, served: 1, schema: {openAPIV3Schema: {}}}]", ("spec", "versions", 0, "served"), "served must"),
        (
            "versions: [{name: v1, served: true, schema: {openAPIV3Schema: 3}}]",
            ("spec", "versions", 0, "schema", "openAPIV3Schema"),
            "openAPIV3Schema must be an object",
        ),
    ],
)  # fmt: skip
def test_a_crd_that_cannot_be_used(changed: str, location: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidSchemaError) as raised:
        read_crds(definition(**snippet(changed)))
    (problem,) = raised.value.problems
    assert problem.location == location
    assert problem.message.startswith(message)
    assert str(raised.value) == problem.message


def test_a_crd_of_an_old_version_says_what_is_expected() -> None:
    with pytest.raises(InvalidSchemaError, match=r'apiVersion is "apiextensions.k8s.io/v1beta1", expected apiext'):
        read_crds({**definition(), "apiVersion": "apiextensions.k8s.io/v1beta1"})


def test_every_mistake_of_a_list_has_its_place() -> None:
    broken = json.loads(json.dumps(definition(scope="Everywhere")))
    with pytest.raises(InvalidSchemaError) as raised:
        read_crds({"kind": "List", "items": [broken, definition(), broken]})
    assert [problem.location[:2] for problem in raised.value.problems] == [("items", 0), ("items", 2)]
