"""What a request's body holds: the audit log's evidence, for `coUpdate.patch`.

An audit event does not say its content type. An object is read as a merge patch, a list as a JSON patch.
"""

from __future__ import annotations

from typing import Any

from .paths import Name, Path, Select, member, select
from .write import Write

RESOURCE_VERSION: Path = (Name("metadata"), Name("resourceVersion"))


def holds_member(body: object, path: Path, write: Write) -> bool:
    if isinstance(body, list):
        return any(writes_member(operation, path, write) for operation in body)
    return body_holds(body, path)


def body_holds(body: object, path: Path) -> bool:
    """The body says what the member becomes: it holds it (null too), or replaces or removes a parent."""
    for step in path:
        if isinstance(step, Name):
            if not isinstance(body, dict):
                return True
            if step.key not in body:
                return False
            body = body[step.key]
        elif isinstance(step, Select):
            if not isinstance(body, list):
                return True
            index, body = select(body, step)
            if index < 0:
                return False
    return True


def writes_member(operation: object, path: Path, write: Write) -> bool:
    """`test` writes nothing; `move` also takes something away from where it was."""
    if not isinstance(operation, dict) or operation.get("op") == "test":
        return False
    pointers = [operation.get("path")]
    if operation.get("op") == "move":
        pointers.append(operation.get("from"))
    return any(points_at(pointer, path, write) for pointer in pointers)


def points_at(pointer: object, path: Path, write: Write) -> bool:
    """The member, a parent of it, or something inside it. An item is meant by its index before or
    after the write, or by `-` if it is the last one after it."""
    if not isinstance(pointer, str):
        return False
    old: object = write.before
    new: object = write.new
    for token, step in zip(tokens(pointer), path, strict=False):
        if isinstance(step, Name):
            if token != step.key:
                return False
            old, new = member(old, step.key), member(new, step.key)
        elif isinstance(step, Select):
            old_index, old = select(old, step)
            new_index, new_item = select(new, step)
            last = isinstance(new, list) and 0 <= new_index == len(new) - 1
            meant = {str(index) for index in (old_index, new_index) if index >= 0}
            if token not in meant and not (token == "-" and last):
                return False
            new = new_item
    return True


def tokens(pointer: str) -> list[str]:
    """RFC 6901."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def is_locked(body: object) -> bool:
    """'carry `metadata.resourceVersion`': in a JSON patch also as a `test`, which locks as well."""
    if not isinstance(body, list):
        return has_version(body, RESOURCE_VERSION)
    return any(isinstance(operation, dict) and carries_version(operation) for operation in body)


def carries_version(operation: dict[str, Any]) -> bool:
    at = [Name(token) for token in tokens(str(operation.get("path") or ""))]
    inside = RESOURCE_VERSION[len(at) :]
    return (
        operation.get("op") in ("add", "replace", "test")
        and RESOURCE_VERSION[: len(at)] == tuple(at)
        and has_version(operation.get("value"), inside)
    )


def has_version(value: object, path: Path) -> bool:
    for step in path:
        value = member(value, step.key) if isinstance(step, Name) else None
    return value is not None and value != ""
