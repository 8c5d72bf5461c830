"""Schemas for what the strategies read, and objects made to fit them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from rules.instants import instant
from rules.values import canonical, text
from tests.rules.strategies.invariants import Json

GROUP: Final = "typed.example.test"

LEAVES: Final[dict[str, Json]] = {
    "integer": {"type": "integer"},
    "string": {"type": "string", "maxLength": 64},
    "time": {"type": "string", "format": "date-time"},
    "either": {"x-kubernetes-int-or-string": True},
    "number": {"type": "number"},
    "nullable": {"type": "integer", "nullable": True},
}
"""What a field may be."""

LISTS: Final = ("map", "atomic")
"""How lists of objects are declared: as maps by their keys, or as lists that are written whole."""

KINDS_OF_SCHEMAS: Final = [(leaf, lists) for leaf in LEAVES for lists in LISTS]

_TEXT: Final = LEAVES["string"]
_TIME: Final = LEAVES["time"]
_EXACT_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_INTEGER: Final = re.compile(r"-?[0-9]{1,15}", re.ASCII)


def schema(leaf: str, lists: str) -> Json:
    """Return the schema of an object."""
    value = LEAVES[leaf]

    def items(keys: list[str], properties: Json, *required: str) -> Json:
        item: Json = {"type": "object", "properties": properties}
        declared: Json = {"type": "array", "items": item, "maxItems": 4}
        if lists == "map":
            item["required"] = [*keys, *required]
            declared |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys}
        return declared

    condition = {
        "type": _TEXT,
        "status": _TEXT,
        "reason": _TEXT,
        "message": _TEXT,
        "lastTransitionTime": _TIME,
        "observedGeneration": LEAVES["integer"],
        "count": LEAVES["integer"],
        "stamp": value,
    }
    conditions = items(["type"], condition, "status")
    part = {"type": "object", "properties": {"count": value, "name": _TEXT}}
    version = {
        "type": "object",
        "properties": {"count": value, "parts": {"type": "array", "items": part, "maxItems": 4}},
    }
    parent = {
        "id": _TEXT,
        "ref": _TEXT,
        "value": value,
        "conditions": conditions,
        "versions": {"type": "array", "items": version, "maxItems": 4},
    }
    group = {"type": "object", "properties": {"value": value, "conditions": conditions}}
    nested = {"type": "object", "properties": {"inner": {"type": "object", "properties": {"value": value}}}}
    status = {
        "count": value,
        "observedGeneration": LEAVES["integer"],
        "nested": nested,
        "a.b/c": value,
        "digest": _TEXT,
        "stamp": value,
        "conditions": conditions,
        "parents": items(["id", "ref"], parent),
        "holds": {"type": "object", "additionalProperties": value, "maxProperties": 4},
        "groups": {"type": "object", "additionalProperties": group, "maxProperties": 4},
        "versions": {"type": "array", "items": version, "maxItems": 4},
        "numbers": {"type": "array", "items": value, "maxItems": 4},
    }
    spec = {"type": "object", "properties": {"replicas": value, "size": LEAVES["integer"]}}
    return {"type": "object", "properties": {"spec": spec, "status": {"type": "object", "properties": status}}}


def definition(plural: str, schemas: dict[str, Json], *, scope: str = "Cluster") -> Json:
    """Return a CRD with a version for each schema; the first is stored."""
    kind = plural.removesuffix("s").title()
    versions = [
        {
            "name": name,
            "served": True,
            "storage": index == 0,
            "schema": {"openAPIV3Schema": each},
            "subresources": {"status": {}},
        }
        for index, (name, each) in enumerate(schemas.items())
    ]
    names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": scope, "names": names, "versions": versions},
    }


_ABSENT: Final = object()


def fitted(value: Any, schema: Json) -> Any:
    """Return an object as near to a value as a schema allows."""
    found = _fitted(value, schema)
    return {} if found is _ABSENT else found


def _fitted(value: Any, schema: Json) -> Any:
    if value is None:
        return None if schema.get("nullable") else _ABSENT
    if schema.get("x-kubernetes-int-or-string"):
        return value if isinstance(value, str) else _integer(value)
    match schema["type"]:
        case "object":
            return _object(value, schema) if isinstance(value, dict) else _ABSENT
        case "array":
            return _list(value, schema) if isinstance(value, list) else _ABSENT
        case "integer":
            return _integer(value)
        case "number":
            is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
            return value if is_number and abs(value) < 2**53 else _ABSENT
        case "string":
            written = text(value)
            if schema.get("format") == "date-time":
                if written is None or not _EXACT_TIME.fullmatch(written) or instant(written) is None:
                    return _ABSENT
                return _ABSENT if written.startswith(("0000", "9999")) else written
            return _ABSENT if written is None else written[:64]
    raise AssertionError(schema)


def _integer(value: Any) -> Any:
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return _ABSENT
    exact = Decimal(str(value))
    return int(exact) if abs(exact) < 2**63 and exact == int(exact) else _ABSENT


def _object(value: Json, schema: Json) -> Any:
    others = schema.get("additionalProperties")
    declared = schema.get("properties", {})
    names = [name for name in value if name in declared or others]
    found = (
        {name: _fitted(value[name], declared.get(name, others)) for name in names[:4] if others}
        if others
        else {name: _fitted(value[name], declared[name]) for name in names}
    )
    found = {name: member for name, member in found.items() if member is not _ABSENT}
    missing = [name for name in schema.get("required", ()) if name not in found]
    if any(name in {"type", "id", "ref"} for name in missing):
        return _ABSENT
    return found | dict.fromkeys(missing, "")


def _list(value: list[Any], schema: Json) -> list[Any]:
    found = [each for item in value if (each := _fitted(item, schema["items"])) is not _ABSENT and each is not None]
    keys = schema.get("x-kubernetes-list-map-keys")
    if keys:
        found = list({canonical([item[key] for key in keys]): item for item in reversed(found)}.values())[::-1]
    return found[: schema["maxItems"]]


def values(value: Any) -> Iterator[Any]:
    """Yield a value and all that is in it."""
    yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from values(member)
