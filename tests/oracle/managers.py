"""Who owns a field: metadata.managedFields, for `coUpdate.singleManager`."""

from __future__ import annotations

import json
from typing import Any

from .paths import Name, Path, Select, Step, member, select
from .values import equal

Owned = dict[str, Any]  # fieldsV1: {"f:status": {"f:replicas": {}, ".": {}}, 'k:{"type":"Ready"}': ...}


def managed(root: dict[str, Any]) -> list[tuple[str, Owned]]:
    """Manager and fields of the 'entries of the object's own apiVersion'."""
    entries = member(member(root, "metadata"), "managedFields")
    return [
        (str(entry.get("manager") or ""), entry["fieldsV1"])
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
        and entry.get("apiVersion") == root.get("apiVersion")
        and isinstance(entry.get("fieldsV1"), dict)
    ]


def owners(path: Path, entries: list[tuple[str, Owned]], root: object) -> set[str]:
    """A manager's entries are 'taken together': of any subresource and operation."""
    return {manager for manager, fields in entries if owns(fields, path, root)}


def owns(fields: Owned, path: Path, value: object) -> bool:
    """'an owner of a parent owns what is below': a leaf ({}) is owned whole. "." is only the parent's own
    existence, and its siblings say what is owned."""
    for step in path:
        children = segments(fields, step, value)
        if not children:
            return False
        fields = children[0]
        value = below(value, step)
        if not fields:
            return True
    return True


def below(value: object, step: Step) -> object:
    if isinstance(step, Name):
        return member(value, step.key)
    return select(value, step)[1] if isinstance(step, Select) else None


def segments(fields: Owned, step: Step, value: object) -> list[Owned]:
    return [node for key, node in fields.items() if isinstance(node, dict) and names(key, step, value)]


def names(key: str, step: Step, value: object) -> bool:
    """Does this key of fieldsV1 name the step? An item is named by its keys (k:), value (v:) or index (i:)."""
    kind, _, rest = key.partition(":")
    if isinstance(step, Name):
        return kind == "f" and rest == step.key
    item = below(value, step)
    if not isinstance(item, dict):
        return False
    try:
        named = json.loads(rest)
    except ValueError:
        return False
    if kind == "k":
        return isinstance(named, dict) and all(equal(item.get(name), named[name]) for name in named)
    return kind == "v" and equal(item, named)
