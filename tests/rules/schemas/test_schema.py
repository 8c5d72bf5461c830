from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.schemas.schema import UNKNOWN, Schema

WORDS = (
    *("type", "properties", "items", "allOf", "anyOf", "oneOf", "enum", "format", "$ref", "additionalProperties", "a"),
    *("x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-int-or-string"),
)
VALUES = st.sampled_from(["object", "array", "string", "map", "date-time", "#/definitions/a", "a", True, 1, None])
ANYTHING = st.recursive(
    VALUES,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from(WORDS), part, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("raw", "types", "title"),
    [
        ({"type": "integer"}, {"integer"}, "an integer"),
        ({"type": "string", "format": "date-time"}, {"string"}, "a time"),
        ({"type": "array", "items": {}}, {"array"}, "a list"),
        ({"properties": {"a": {}}}, {"object"}, "an object"),
        ({"x-kubernetes-int-or-string": True}, {"integer", "string"}, "an integer or a string"),
        ({"type": "string", "format": "int-or-string"}, {"integer", "string"}, "an integer or a string"),
        ({"oneOf": [{"type": "string"}, {"type": "number"}]}, {"string", "number"}, "a number or a string"),
        ({"anyOf": [{"type": "string"}, {"required": ["a"]}]}, set(), ""),
        ({"type": "object", "oneOf": [{"type": "string"}]}, {"object"}, "an object"),
        ({"allOf": [{"$ref": "#/definitions/Count"}], "default": {}}, {"integer"}, "an integer"),
        ({"$ref": "#/components/schemas/Count"}, {"integer"}, "an integer"),
        ({"$ref": "#/definitions/Circle"}, set(), ""),
        ({"$ref": "#/definitions/Missing"}, set(), ""),
        ({"type": "strnig"}, set(), ""),
        ({"type": 3}, set(), ""),
        ({"x-kubernetes-preserve-unknown-fields": True}, set(), ""),
        (None, set(), ""),
    ],
)
def test_types(raw: Any, types: set[str], title: str) -> None:
    definitions = {"Count": {"type": "integer"}, "Circle": {"allOf": [{"$ref": "#/definitions/Circle"}]}}
    schema = Schema(raw, definitions)
    assert schema.types == types
    assert schema.title == title


@pytest.mark.parametrize(
    ("raw", "structural", "silent"),
    [
        ({"type": "object"}, "none", "unknown"),
        ({"type": "object", "properties": {"b": {}}}, "none", "none"),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, "string", "string"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "string", "string"),
        ({"type": "object", "additionalProperties": True}, "unknown", "unknown"),
        ({"type": "object", "additionalProperties": False}, "none", "none"),
        (
            {"type": "object", "properties": {"b": {}}, "x-kubernetes-preserve-unknown-fields": True},
            "unknown",
            "unknown",
        ),
        ({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]}, "string", "string"),
        ({"properties": {"b": {}}, "allOf": [{"properties": {"a": {"type": "string"}}}]}, "string", "string"),
        ({}, "unknown", "unknown"),
    ],
)
def test_a_field_that_is_not_declared_is_there_only_where_the_schema_lets_it(
    raw: Any, structural: str, silent: str
) -> None:
    def field(*, is_structural: bool) -> str:
        found = Schema(raw, is_structural=is_structural).field("a")
        return "none" if found is None else ",".join(found.types) or "unknown"

    assert (field(is_structural=True), field(is_structural=False)) == (structural, silent)


def test_an_embedded_resource_has_metadata() -> None:
    schema = Schema({"type": "object", "x-kubernetes-embedded-resource": True})
    metadata = schema.field("metadata")
    assert metadata is not None
    generation, labels = metadata.field("generation"), metadata.field("labels")
    assert generation is not None
    assert generation.types == {"integer"}
    assert labels is not None
    assert labels.value.types == {"string"}
    assert schema.field("spec") is None


@pytest.mark.parametrize(
    ("raw", "texts"),
    [
        ({"type": "string", "enum": ["A", "B", ""]}, ("A", "B", "")),
        ({"type": "integer", "enum": [1, 2]}, ("1", "2")),
        ({"type": "boolean"}, ("true", "false")),
        ({"type": "string", "allOf": [{"enum": ["A", "B"]}, {"enum": ["B", "C"]}]}, ("B",)),
        ({"type": "string", "enum": "A"}, ()),
        ({"type": "string"}, ()),
    ],
)
def test_the_values_that_may_be_there(raw: Any, texts: tuple[str, ...]) -> None:
    assert Schema(raw).texts == texts


def test_only_a_list_of_type_map_has_keys() -> None:
    keys = {"type": "array", "x-kubernetes-list-map-keys": ["a", "b", 3]}
    assert Schema({**keys, "x-kubernetes-list-type": "map"}).list_keys == ("a", "b")
    assert Schema({**keys, "x-kubernetes-list-type": "atomic"}).list_keys == ()
    assert Schema(keys).list_keys == ()


@given(ANYTHING, st.dictionaries(st.just("a"), ANYTHING), st.booleans())
def test_no_schema_is_too_odd_to_be_read(raw: Any, definitions: dict[str, Any], is_structural: bool) -> None:  # noqa: FBT001
    pending = [Schema(raw, definitions, is_structural)]
    for _ in range(20):
        if not pending:
            return
        schema = pending.pop()
        assert (schema.title == "") == (not schema.types)
        pending += [schema.item, schema.value, schema.field("a") or UNKNOWN]
