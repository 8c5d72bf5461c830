from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.fieldpath import parse
from rules.schemas.openapi import is_openapi, read_openapi
from rules.schemas.resources import ResourceSchema
from rules.schemas.walk import follow

from .described import openapi

GVK = "x-kubernetes-group-version-kind"


def described(version: int) -> dict[str, ResourceSchema]:
    """Return the described resources by their plural."""
    return {resource.plural: resource for resource in openapi(version).resources}


def test_the_paths_of_version_2_tell_the_resources() -> None:
    engines, namespaces = described(2)["engines"], described(2)["namespaces"]
    assert set(described(2)) == {"engines", "namespaces"}
    assert engines.other_names == {"engine"}
    assert (engines.title, engines.is_namespaced) == ("engines.apps", True)
    assert (namespaces.title, namespaces.is_namespaced) == ("namespaces", False)
    assert set(engines.versions["v1"].objects) == {"", "status", "scale"}
    assert openapi(2).complete == {("", "*"), ("apps", "*")}


def test_version_3_tells_of_one_group_and_version() -> None:
    chores = described(3)["chores"]
    assert (chores.served, chores.has_all_versions) == (("v1",), False)
    assert openapi(3).complete == {("batch", "v1")}


@pytest.mark.parametrize(
    ("version", "plural", "subresource", "path", "types"),
    [
        (2, "engines", "status", "status.replicas", {"integer"}),
        (2, "engines", "status", "status.memory", {"integer", "string"}),
        (2, "engines", "status", "status.maxUnavailable", {"integer", "string"}),
        (2, "engines", "status", "status.startTime", {"string"}),
        (2, "engines", "status", "status.raw.anything", set()),
        (2, "engines", "status", "status.nothing.anything", set()),
        (2, "engines", "status", "status.self.self.self.replicas", {"integer"}),
        (2, "engines", "", "metadata.annotations.a", {"string"}),
        (2, "engines", "scale", "status.replicas", {"integer"}),
        (2, "namespaces", "", "status.anything", set()),
        (3, "chores", "status", "status.succeeded", {"integer"}),
        (3, "chores", "status", "status.cpu", {"integer", "string"}),
        (3, "chores", "status", "status.conditions[type=Done].status", {"string"}),
    ],
)
def test_what_is_behind_references(version: int, plural: str, subresource: str, path: str, types: set[str]) -> None:
    found, remarks = follow(parse(path), described(version)[plural].versions["v1"].objects[subresource])
    assert found.types == types
    assert remarks == []


def test_objects_of_built_in_types_hold_what_is_declared() -> None:
    _, (remark,) = follow(parse("status.replica"), described(2)["engines"].versions["v1"].objects[""])
    assert remark.rest == ', did you mean "replicas"?'


@pytest.mark.parametrize("data", [None, [], {}, {"kind": "CustomResourceDefinition"}])
def test_what_is_no_openapi(data: Any) -> None:
    assert not is_openapi(data)


@pytest.mark.parametrize("paths", [None, 3, {}, {"/version/": {"get": {}}}, {"/apis/apps/v1/engines/{name}": None}])
def test_an_openapi_without_resources_describes_nothing(paths: Any) -> None:
    assert read_openapi({"openapi": "3.0.0", "paths": paths}).resources == ()


PARTS = st.recursive(
    st.sampled_from([None, 3, "apps", "v1", "Engine", {"group": "apps", "version": "v1", "kind": "Engine"}]),
    lambda part: st.lists(part, max_size=2) | st.dictionaries(st.sampled_from([GVK, "put", "kind", "type"]), part),
    max_leaves=6,
)


@given(operation=PARTS, definition=PARTS, definitions=PARTS, components=PARTS)
def test_no_openapi_is_too_odd_to_be_read(operation: Any, definition: Any, definitions: Any, components: Any) -> None:
    data = {
        "openapi": "3.0.0",
        "paths": {"/apis/apps/v1/engines/{name}": {"put": operation}, "/apis/apps/v1/engines/{name}/status": operation},
        "components": components if components == 3 else {"schemas": {"a": definition, "b": components}},
        "definitions": definitions,
    }
    for resource in read_openapi(data).resources:
        assert resource.title == "engines.apps"
        assert resource.versions["v1"].objects
