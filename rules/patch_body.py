"""The body of a patch, as an audit log has it: which fields it holds, and whether it is locked to a resourceVersion.

An object is a merge patch or an applied configuration, an array a JSON patch (RFC 6902). The audit event does not say which
content type was sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from rules.fieldpath import FieldPath
from rules.items import is_item
from rules.path_syntax import Name, Segment, Select
from rules.write import Write

Holds: TypeAlias = Callable[[Any, Write], bool]

_RESOURCE_VERSION: Final = ("metadata", "resourceVersion")


def holds(path: FieldPath) -> Holds:
    """Return what tells whether a patch body sets the one value that a path names, or replaces a parent of it."""

    def held(body: Any, write: Write) -> bool:
        if type(body) is list:
            return any(_writes(operation, path, write) for operation in body)
        return _in_object(body, path)

    return held


def is_locked(body: Any) -> bool:
    """Tell whether a patch body carries the resourceVersion that it was computed from; a JSON patch may `test` it."""
    if type(body) is not list:
        return _has_version(body, _RESOURCE_VERSION)
    return any(_locks(operation) for operation in body)


def _in_object(body: Any, path: FieldPath) -> bool:
    value = body
    for segment in path.segments:
        if isinstance(segment, Name):
            if type(value) is not dict:
                return True  # null or a scalar where a parent was: the whole of it is replaced
            if segment.name not in value:
                return False
            value = value[segment.name]
        elif isinstance(segment, Select):
            if type(value) is not list:
                return True
            item = next((item for item in value if is_item(item, segment)), None)
            if item is None:
                return False
            value = item
    return True


def _writes(operation: Any, path: FieldPath, write: Write) -> bool:
    """Tell whether a JSON patch's operation points at the field, at a parent of it, or into it."""
    if type(operation) is not dict or operation.get("op") == "test":
        return False
    pointers = [operation.get("path"), *([operation.get("from")] if operation.get("op") == "move" else [])]
    return any(_leads_to(_tokens(pointer), path, write) for pointer in pointers if type(pointer) is str)


def _leads_to(tokens: list[str], path: FieldPath, write: Write) -> bool:
    old: Any = write.old
    new: Any = write.new
    for token, segment in zip(tokens, path.segments, strict=False):
        if not _means(token, segment, old, new):
            return False
        old, new = _below(old, segment), _below(new, segment)
    return True


def _means(token: str, segment: Segment, old: Any, new: Any) -> bool:
    if isinstance(segment, Name):
        return token == segment.name
    # An item is meant by its index before or after the write, or by "-" if it was appended.
    before, after = _index(old, segment), _index(new, segment)
    appended = type(new) is list and after == len(new) - 1
    if token == "-":  # noqa: S105  a step of a JSON pointer, no password
        return appended
    return token in {str(index) for index in (before, after) if index is not None}


def _below(value: Any, segment: Segment) -> Any:
    if isinstance(segment, Name):
        return value[segment.name] if isinstance(value, dict) and segment.name in value else None
    index = _index(value, segment)
    return None if index is None else value[index]


def _index(value: Any, segment: Segment) -> int | None:
    if type(value) is not list or not isinstance(segment, Select):
        return None
    return next((index for index, item in enumerate(value) if is_item(item, segment)), None)


def _tokens(pointer: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _locks(operation: Any) -> bool:
    if type(operation) is not dict or operation.get("op") not in {"add", "replace", "test"}:
        return False
    pointer = operation.get("path")
    at = tuple(_tokens(pointer)) if type(pointer) is str else None
    if at is None or at != _RESOURCE_VERSION[: len(at)]:
        return False
    return _has_version(operation.get("value"), _RESOURCE_VERSION[len(at) :])


def _has_version(value: Any, names: tuple[str, ...]) -> bool:
    for name in names:
        value = value.get(name) if type(value) is dict else None
    return type(value) is str and value != ""
