"""metadata.managedFields that speak of chosen fields."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st

from tests.oracle.paths import Name, Select, Step, member, parse, select

from .invariants import Json

_ENTRIES_JUNK: Final = st.sampled_from(["x", None, {}, {"manager": "m", "apiVersion": "g/v1"}])
_ITEM_KEY: Final = st.sampled_from(["type", "ref", "id"])


def managed_fields(draw: st.DrawFn, fields: list[str], root: Json) -> Any:
    """Draw the managedFields of an object of which managers own some of the fields."""
    entries: list[Any] = [_entry(draw, fields, root) for _ in range(draw(st.integers(0, 3)))]
    return draw(st.sampled_from([entries] * 6 + [[*entries, draw(_ENTRIES_JUNK)], draw(_ENTRIES_JUNK)]))


def _entry(draw: st.DrawFn, fields: list[str], root: Json) -> Json:
    owned: Json = {}
    for path in draw(st.lists(st.sampled_from([*fields, "status.other"]), unique=True)):
        _own(draw, owned, path, root)
    if draw(st.booleans()):
        _mark_parents(owned)
    return {
        "manager": draw(st.sampled_from(["m", "m", "n"])),
        "apiVersion": draw(st.sampled_from(["g/v1", "g/v1", "g/v1", "g/v2"])),
        "operation": draw(st.sampled_from(["Update", "Apply"])),
        "fieldsType": "FieldsV1",
        "fieldsV1": owned,
    }


def _own(draw: st.DrawFn, owned: Json, path: str, root: Json) -> None:
    """Add a field or, sometimes, a parent of it as a whole."""
    steps = parse(path)
    depth = draw(st.sampled_from([len(steps)] * 3 + list(range(1, len(steps)))))
    node, value = owned, root
    for step in steps[:depth]:
        segment, value = _segment(draw, step, value)
        node = node.setdefault(segment, {})


def _segment(draw: st.DrawFn, step: Step, value: Any) -> tuple[str, Any]:
    if isinstance(step, Name):
        return f"f:{step.key}", member(value, step.key)
    assert isinstance(step, Select)
    _, item = select(value, step)
    keys = [key for key, _ in step.wanted]
    if not isinstance(item, dict):
        return f"k:{json.dumps(dict(step.wanted))}", None
    if draw(st.integers(0, 3)) == 3:
        keys.append(draw(_ITEM_KEY))
    named = {key: item[key] for key in keys if item.get(key) is not None}
    return f"k:{json.dumps(named, default=int)}", item


def _mark_parents(fields: Json) -> None:
    for node in fields.values():
        _mark_parents(node)
    if fields:
        fields["."] = {}
