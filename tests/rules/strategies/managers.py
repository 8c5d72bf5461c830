"""metadata.managedFields that speak of chosen fields."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st

from tests.oracle.paths import Name, Select, member, parse, select

from .invariants import Json

_ENTRIES_JUNK: Final = st.sampled_from(["x", None, {}, {"manager": "m", "apiVersion": "g/v1"}])
_ITEM_KEYS: Final = ["type", "ref", "id"]


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
    """Add a field or, sometimes, a parent of it as a whole. No manager owns what an item that is not there would hold."""
    steps = parse(path)
    value: Any = root
    segments: list[str] = []
    for step in steps[: draw(st.sampled_from([len(steps)] * 3 + list(range(1, len(steps)))))]:
        if isinstance(step, Name):
            segments.append(f"f:{step.key}")
            value = member(value, step.key)
        elif isinstance(step, Select):
            _, value = select(value, step)
            if value is None:
                return
            segments.append(_item_segment(draw, step, value))
    node = owned
    for segment in segments:
        node = node.setdefault(segment, {})


def _item_segment(draw: st.DrawFn, step: Select, item: Any) -> str:
    also = [draw(st.sampled_from(_ITEM_KEYS))] if draw(st.integers(0, 3)) == 3 else []
    keys = [*(key for key, _ in step.wanted), *also]
    named = {key: item[key] for key in keys if item.get(key) is not None}
    return f"k:{json.dumps(named, default=int)}"


def named_items(fields: list[str], root: Json) -> list[Any]:
    """The keys of every item that the fields pass: by these managedFields name it."""
    found: list[Any] = []
    for path in fields:
        value: Any = root
        for step in parse(path):
            if isinstance(step, Name):
                value = member(value, step.key)
            elif isinstance(step, Select):
                _, value = select(value, step)
                found.append([member(value, key) for key in _ITEM_KEYS])
    return found


def _mark_parents(fields: Json) -> None:
    for node in fields.values():
        _mark_parents(node)
    if fields:
        fields["."] = {}
