"""Section 2, `coUpdate`: 'a co-updated group and its evidence'."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from .managers import managed, owners
from .pairing import Pair, pairs
from .patches import holds_member, is_locked
from .paths import Path, parse
from .relations import changed_fields, parse_relation, satisfied
from .values import canonical
from .write import NO_PATCH, Write


def co_update(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """'one violation per invariant, `field` the first member in listed order that changed (else the
    first)'. On CREATE only identity and digest judge."""
    paths = [parse(field) for field in spec["fields"]]
    members = [one_pair(path, write) for path in paths]
    failed = [
        identity_fails(spec, write, when_changed=when_changed),
        digest_fails(spec, members, write, when_changed=when_changed),
        not write.creates and stamp_fails(spec, members, write),
        not write.creates and single_manager_fails(spec, paths, members, write, when_changed=when_changed),
        not write.creates and change_together_fails(spec, members),
        not write.creates and patch_fails(spec, paths, members, write),
    ]
    changed = [member for member in members if member.differs]
    return [(changed or members)[0].field] if any(failed) else []


def one_pair(path: Path, write: Write) -> Pair:
    [pair] = pairs(path, write.before, write.new)
    return pair


def moved(members: list[Pair]) -> list[Pair]:
    """The members that changed. 'An item that is gone takes its fields with it: no violation'."""
    return [member for member in members if member.differs and not member.gone]


def identity_fails(spec: dict[str, Any], write: Write, *, when_changed: bool) -> bool:
    """'relations (see 3, `missing` as there) that every honest tuple satisfies'."""
    return any(
        (when_changed or changed_fields(parsed, write)) and not satisfied(parsed, spec.get("missing"), write.new)
        for parsed in map(parse_relation, spec.get("identity") or [])
    )


def digest_fails(spec: dict[str, Any], members: list[Pair], write: Write, *, when_changed: bool) -> bool:
    """'a field holding the SHA-256 (lower-case hex, at least its first 8 digits) of the canonical JSON
    array of the group's values in the listed order, null where absent; absent on both sides: no evidence'."""
    if not spec.get("digest"):
        return False
    pair = one_pair(parse(spec["digest"]), write)
    if not (when_changed or pair.differs or any(member.differs for member in members)):
        return False
    # 'A segment that meets a value of another type than it needs yields absent.'
    old, new = (value if isinstance(value, str) else None for value in (pair.old, pair.new))
    if pair.gone or (old is None and new is None):
        return False
    values = canonical([member.new for member in members]).encode("utf-8", "surrogatepass")
    expected = hashlib.sha256(values).hexdigest()
    return new is None or not re.fullmatch("[0-9a-f]{8,64}", new) or not expected.startswith(new)


def stamp_fails(spec: dict[str, Any], members: list[Pair], write: Write) -> bool:
    """'a field that must change whenever a member does'."""
    return bool(spec.get("stamp") and moved(members) and not one_pair(parse(spec["stamp"]), write).differs)


def change_together_fails(spec: dict[str, Any], members: list[Pair]) -> bool:
    """'if one member changes all must'."""
    return bool(spec.get("changeTogether") and moved(members) and any(not member.differs for member in members))


def single_manager_fails(
    spec: dict[str, Any], paths: list[Path], members: list[Pair], write: Write, *, when_changed: bool
) -> bool:
    """'one manager (its entries of the object's own apiVersion taken together) owns all members present;
    no such entries: not judged', nor if they own none of them. It reads the members and who owns them."""
    entries = managed(write.new)
    present = [path for path, member in zip(paths, members, strict=True) if member.new is not None]
    if not spec.get("singleManager") or not entries or not present:
        return False
    now = [owners(path, entries, write.new) for path in present]
    then = [owners(path, managed(write.before), write.before) for path in present]
    made = when_changed or now != then or any(member.differs for member in members)
    return made and any(now) and not set.intersection(*now)


def patch_fails(spec: dict[str, Any], paths: list[Path], members: list[Pair], write: Write) -> bool:
    """'audit log only: a body that holds one member must hold all, or (FullOrLocked) carry
    `metadata.resourceVersion`; judged only if a member changed'."""
    if write.patch is NO_PATCH or not any(member.differs for member in members):
        return False
    held = [holds_member(write.patch, path, write) for path in paths]
    locked = spec.get("patch") != "Full" and is_locked(write.patch)
    return any(held) and not all(held) and not locked
