"""What a fake API server remembers: objects by REST path, their versions, and what happened to them."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from rules.case_write import merge_patch

Object = dict[str, Any]

SERVER_SIDE = ("uid", "creationTimestamp", "resourceVersion", "generation")
"""Metadata that no writer sets."""


class RefusedError(Exception):
    """A request that the API server refuses."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message


@dataclass(frozen=True)
class Target:
    """What a REST path names. `collection` is the path of the resource in all namespaces."""

    collection: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @classmethod
    def parse(cls, path: str) -> Self:
        parts = path.strip("/").split("/")
        head = 2 if parts[0] == "api" else 3
        prefix, rest = parts[:head], parts[head:]
        namespace = ""
        if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
            namespace, rest = rest[1], rest[2:]
        resource, name, subresource, *_ = [*rest, "", ""]
        return cls("/" + "/".join([*prefix, resource]), namespace, name, subresource)

    @property
    def api_version(self) -> str:
        parts = self.collection.split("/")
        return "/".join(parts[2:-1])

    def covers(self, other: Target) -> bool:
        """Tell whether a list or watch of this collection holds an object."""
        return self.collection == other.collection and self.namespace in ("", other.namespace)


@dataclass(frozen=True)
class Happening:
    """Something that a watch tells."""

    version: int
    type: str
    target: Target
    object: Object


class FakeStore:
    """Objects with versions, changed as the API server would: a write that changes nothing makes no version."""

    def __init__(self) -> None:
        self.history: list[Happening] = []
        self.compacted = 0
        self.version = 1
        self._objects: dict[Target, Object] = {}
        self._applied: dict[tuple[Target, str], Object] = {}
        self._uids = itertools.count(1)

    def objects(self, collection: Target) -> Iterator[tuple[Target, Object]]:
        """Yield what a collection holds, in order of its name."""
        found = [pair for pair in self._objects.items() if collection.covers(pair[0])]
        yield from sorted(found, key=lambda pair: (pair[0].namespace, pair[0].name))

    def get(self, target: Target) -> Object:
        found = self._objects.get(replace(target, subresource=""))
        if found is None:
            raise RefusedError(404, "NotFound", f"{target.name} not found")
        return copy.deepcopy(found)

    def create(self, target: Target, body: Object, *, dry_run: bool = False) -> Object:
        target = replace(target, name=body["metadata"]["name"])
        if target in self._objects:
            raise RefusedError(409, "AlreadyExists", f"{target.name} already exists")
        metadata = {key: value for key, value in body["metadata"].items() if key not in SERVER_SIDE}
        created = copy.deepcopy({**body, "metadata": metadata})
        if target.namespace:
            created["metadata"]["namespace"] = target.namespace
        created["metadata"] |= {
            "uid": f"uid-{next(self._uids)}",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "generation": 1,
        }
        return created if dry_run else self._record("ADDED", target, created)

    def replace(self, target: Target, body: Object, *, dry_run: bool = False) -> Object:
        return self._change(target, lambda _: copy.deepcopy(body), dry_run=dry_run)

    def merge(self, target: Target, body: Object, *, dry_run: bool = False) -> Object:
        return self._change(target, lambda found: merge_patch(found, body), dry_run=dry_run)

    def apply(self, target: Target, body: Object, manager: str, *, dry_run: bool = False) -> Object:
        """Apply, with lists taken whole and without conflicts: what the manager applied before and now does not is removed."""
        key = (target, manager)
        before = self._applied.get(key, {})
        if not dry_run:
            self._applied[key] = copy.deepcopy(body)
        whole = replace(target, subresource="")
        if whole not in self._objects and not target.subresource:
            return self.create(replace(whole, name=""), body, dry_run=dry_run)
        return self._change(target, lambda found: merge_patch(_without(found, before, body), body), dry_run=dry_run)

    def delete(self, target: Target) -> Object:
        found = self.get(target)
        del self._objects[target]
        self._applied = {key: body for key, body in self._applied.items() if replace(key[0], subresource="") != target}
        self._record("DELETED", target, found)
        return {"kind": "Status", "apiVersion": "v1", "status": "Success"}

    def pass_time(self, versions: int = 1) -> None:
        """Let others write things that nobody here watches."""
        self.version += versions

    def bookmark(self) -> None:
        """Let every watch that wants bookmarks hear of the present version."""
        metadata = {"resourceVersion": str(self.version), "creationTimestamp": None}
        self.history.append(Happening(self.version, "BOOKMARK", Target(""), {"metadata": metadata}))

    def compact(self) -> None:
        """Forget what happened: a watch from an older version is refused with 410."""
        self.compacted = self.version

    def _change(self, target: Target, change: Callable[[Object], Object], *, dry_run: bool) -> Object:
        found = self.get(target)
        wanted = change(copy.deepcopy(found))
        sent = wanted.get("metadata", {}).get("resourceVersion", found["metadata"]["resourceVersion"])
        if sent != found["metadata"]["resourceVersion"]:
            raise RefusedError(
                409, "Conflict", "the object has been modified; apply your changes to the latest version"
            )
        if target.subresource:
            changed = {**found, "status": wanted.get("status")}
        else:
            kept = {"status": found["status"]} if "status" in found else {}
            own = {key: found["metadata"][key] for key in SERVER_SIDE}
            changed = {**wanted, **kept, "metadata": {**wanted["metadata"], **own}}
        if changed == found:
            return found
        if changed.get("spec") != found.get("spec"):
            changed["metadata"]["generation"] += 1
        return changed if dry_run else self._record("MODIFIED", replace(target, subresource=""), changed)

    def _record(self, kind: str, target: Target, changed: Object) -> Object:
        self.version += 1
        changed["metadata"]["resourceVersion"] = str(self.version)
        if kind != "DELETED":
            self._objects[target] = changed
        self.history.append(Happening(self.version, kind, target, copy.deepcopy(changed)))
        return copy.deepcopy(changed)


def _without(found: Object, before: Object, now: Object) -> Object:
    """Return an object without the fields that were applied before and are not now."""
    kept = {}
    for key, value in found.items():
        if key not in before or key in now:
            kept[key] = value
        inner = (value, before.get(key), now.get(key))
        if key in kept and all(isinstance(each, dict) for each in inner):
            kept[key] = _without(value, before[key], now[key])
    return kept
