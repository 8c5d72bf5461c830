from __future__ import annotations

from typing import Any

import pytest

from rules.fieldpath import parse
from rules.managed_fields import LastWriter, entries, last_writer, owns

from .judging import snippet

CONDITIONS = """
f:status:
  f:replicas: {}
  f:whole: {}
  f:conditions:
    .: {}
    'k:{"type":"Ready"}': {.: {}, f:type: {}, f:status: {}}
    'k:{"type":"Whole"}': {}
  f:ports:
    'k:{"port":80,"protocol":"TCP"}': {f:name: {}}
  f:annotated: {'f:a.b/c': {}}
"""


@pytest.mark.parametrize(
    ("path", "owned"),
    [
        ("status.replicas", True),
        ("status.readyReplicas", False),
        ("spec.replicas", False),
        ("status.conditions[type=Ready].status", True),
        ("status.conditions[type=Ready].reason", False),
        ("status.conditions[type=Gone].status", False),
        ("status.ports[port=80,protocol=TCP].name", True),
        ("status.ports[protocol=TCP,port=80].name", True),
        ("status.ports[port=443,protocol=TCP].name", False),
        ('status.annotated["a.b/c"]', True),
        # An owner of a parent owns what is below.
        ("status.whole.a.b", True),
        ("status.conditions[type=Whole].status", True),
        # The parent of what is owned is owned too, in part.
        ("status.conditions", True),
        ("status.holds.*", False),
        ("status.conditions[type].status", False),
    ],
)
def test_owns(path: str, *, owned: bool) -> None:
    assert owns(parse(path))(snippet(CONDITIONS)) is owned


@pytest.mark.parametrize(
    "fields", [None, [], "f:status", {"f:status": None}, {"f:status": []}, {"f:status": {"k:": {}}}]
)
def test_what_is_no_set_of_fields_owns_nothing(fields: Any) -> None:
    assert not owns(parse("status.a"))(fields)


@pytest.mark.parametrize("key", ["k:", "k:{", "k:[1]", 'k:"type"', "k:" + "[" * 100_000, 'k:{"type":{}}'])
def test_a_key_that_is_no_object_names_no_item(key: str) -> None:
    assert not owns(parse("status.c[type=Ready].status"))({"f:status": {"f:c": {key: {}}}})


def managed(*given: dict[str, Any]) -> dict[str, Any]:
    return {"managedFields": [{"apiVersion": "v1", "fieldsV1": {"f:status": {"f:a": {}}}} | each for each in given]}


OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        pytest.param({}, LastWriter("", ""), id="no managedFields"),
        pytest.param({"managedFields": {}}, LastWriter("", ""), id="no list"),
        pytest.param({"managedFields": [1, None, {}]}, LastWriter("", ""), id="no entries"),
        pytest.param(None, LastWriter("", ""), id="no metadata"),
        pytest.param([], LastWriter("", ""), id="metadata of another type"),
        pytest.param(managed({"manager": "x", "time": OLD}), LastWriter("x", OLD), id="one"),
        pytest.param(
            managed({"manager": "new", "time": NEW}, {"manager": "old", "time": OLD}),
            LastWriter("new", NEW),
            id="newest",
        ),
        pytest.param(
            managed({"manager": "y", "time": "2026-01-01T01:00:00+02:00"}, {"manager": "x", "time": OLD}),
            LastWriter("x", OLD),
            id="times are compared as instants",
        ),
        pytest.param(
            managed({"manager": "x", "time": OLD}, {"manager": "y", "time": NEW, "apiVersion": "v2"}),
            LastWriter("x", OLD),
            id="of its own apiVersion",
        ),
        pytest.param(
            managed(
                {"manager": "x", "time": OLD}, {"manager": "y", "time": NEW, "fieldsV1": {"f:status": {"f:b": {}}}}
            ),
            LastWriter("x", OLD),
            id="that owns the field",
        ),
        pytest.param(managed({"manager": "x"}), LastWriter("x", ""), id="without a time"),
        pytest.param(managed({"manager": "x", "time": "now"}), LastWriter("x", ""), id="no time"),
        pytest.param(managed({"manager": 7, "time": OLD}), LastWriter("", ""), id="no manager"),
    ],
)
def test_last_writer(metadata: Any, expected: LastWriter) -> None:
    assert last_writer(metadata, "v1", parse("status.a")) == expected


def test_entries_speak_of_the_objects_own_version() -> None:
    metadata = managed({"manager": "x"}, {"manager": "y", "apiVersion": "v2"}, {"manager": "z", "apiVersion": None})
    assert [entry["manager"] for entry in entries(metadata, "v1")] == ["x"]
    assert [entry["manager"] for entry in entries(metadata, "v2")] == ["y"]
