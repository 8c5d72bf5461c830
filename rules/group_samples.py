"""Values of what stands beside a co-updated group: its digest, and the managers who own its members."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rules.digests import digest_of
from rules.fieldpath import FieldPath
from rules.path_syntax import Name, Segment, Select
from rules.reading import Tally, reader
from rules.samples import Derived
from rules.write import Roots


def digests(members: Sequence[FieldPath]) -> list[Any]:
    """Return the right digest of the members, and a wrong one."""
    readers = [reader(path) for path in members]
    return [Derived(lambda roots: digest_of([read(roots, Tally()) for read in readers])), "0" * 8, None]


def managers(members: Sequence[FieldPath]) -> list[Any]:
    """Return managedFields in which one manager owns all members, and in which two share them."""
    shared = {"controller": members[:1], "another-controller": members[1:]}
    return [
        Derived(lambda roots: _entries(roots, {"controller": members})),
        Derived(lambda roots: _entries(roots, shared)),
    ]


def _entries(roots: Roots, owners: dict[str, Sequence[FieldPath]]) -> list[dict[str, Any]]:
    return [
        {"manager": manager, "operation": "Update", "apiVersion": roots["apiVersion"], "fieldsV1": _owned(paths)}
        for manager, paths in owners.items()
        if paths
    ]


def _owned(paths: Sequence[FieldPath]) -> dict[str, Any]:
    """Return the set of these fields in the form FieldsV1."""
    fields: dict[str, Any] = {}
    for path in paths:
        below = fields
        for segment in path.segments:
            below = below.setdefault(_key(segment), {})
    return fields


def _key(segment: Segment) -> str:
    if isinstance(segment, Select):
        return f"k:{json.dumps(dict(segment.keys), separators=(',', ':'))}"
    assert isinstance(segment, Name)  # noqa: S101  the members of a group are single values
    return f"f:{segment.name}"
