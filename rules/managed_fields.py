"""metadata.managedFields: which manager owns a field, and who wrote it last.

The format is FieldsV1 of sigs.k8s.io/structured-merge-diff: `f:name`, `k:{"type":"Ready"}`, and `.` for the node itself; an
empty object is a leaf, whose owner owns all that is below. An empty set owns nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from rules.fieldpath import FieldPath
from rules.instants import instant
from rules.path_syntax import Name, Segment, Select
from rules.values import text


@dataclass(frozen=True, slots=True)
class LastWriter:
    """Who wrote a field last, as far as the object tells: the field manager and the time, each empty if unknown."""

    manager: str
    time: str


Owns: TypeAlias = Callable[[Any], bool]


def owns(path: FieldPath) -> Owns:
    """Return what tells whether a `fieldsV1` set owns the one value that a path names, or a parent of it as a whole."""
    segments = path.segments

    def find(fields: Any) -> bool:
        for segment in segments:
            fields = _below(fields, segment) if type(fields) is dict else None
            if fields == {}:
                return True  # a leaf: whoever owns it owns all that is below
        return type(fields) is dict

    return find


def _below(fields: dict[str, Any], segment: Segment) -> Any:
    if isinstance(segment, Name):
        return fields.get(f"f:{segment.name}")
    if not isinstance(segment, Select):
        return None
    for key, below in fields.items():
        if key.startswith("k:") and _names_item(key[2:], segment):
            return below
    return None


def _names_item(written: str, select: Select) -> bool:
    try:
        keys = json.loads(written)
    except (ValueError, RecursionError):
        return False
    return type(keys) is dict and all(text(keys.get(key)) == value for key, value in select.keys)


def entries(metadata: Any, api_version: Any) -> Iterator[dict[str, Any]]:
    """Yield the entries of an object's managedFields that speak of its own apiVersion."""
    fields = metadata.get("managedFields") if type(metadata) is dict else None
    for entry in fields if type(fields) is list else ():
        if type(entry) is dict and entry.get("apiVersion") == api_version and type(entry.get("manager")) is str:
            yield entry


def last_writer(metadata: Any, api_version: Any, path: FieldPath) -> LastWriter:
    """Return who wrote a field last: the newest entry that owns it."""
    found = owns(path)
    newest = max(
        (entry for entry in entries(metadata, api_version) if found(entry.get("fieldsV1"))),
        key=lambda entry: instant(entry.get("time")) or (0, ""),
        default=None,
    )
    if newest is None:
        return LastWriter("", "")
    time = newest.get("time")
    return LastWriter(newest["manager"], str(time) if instant(time) else "")
