"""The evidence by which a torn write of a co-updated group is told, one check each; together they make one violation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from rules.check import Check, Finding, Merge, literal, present
from rules.digests import digest_of
from rules.fieldpath import FieldPath
from rules.managed_fields import entries, owns
from rules.pairing import Pair, Pairs, one_pair
from rules.patch_body import holds, is_locked
from rules.reading import Tally, reader
from rules.relations import first_changed
from rules.values import MISSING, equal
from rules.write import Roots, Write

_DIGEST: Final = re.compile(r"[0-9a-f]{8,64}", re.ASCII)
"""SHA-256 in lower-case hex, whole or cut; fewer than 8 digits would collide by chance."""

Values: TypeAlias = list[Any]
Evidence: TypeAlias = Callable[[Values, Values, Write], str | None]
"""Judges the members before and after: returns what is wrong, None if nothing is."""


def _evidence(paths: Sequence[FieldPath], judge: Evidence, *, on_create: bool = False) -> Check:
    read = _reader(paths)

    def check(pair: Pair, write: Write, tally: Tally) -> Finding | None:
        problem = judge(pair.old, pair.new, write)
        # The field and the values are the group's: `merge_of` fills them in.
        return Finding("", problem) if problem else None

    return Check(read, check, on_create)


def _reader(paths: Sequence[FieldPath]) -> Pairs:
    """Return what reads several fields as one pair of lists; a new value is MISSING where its item is gone."""
    readers = [one_pair(path) for path in paths]

    def read(write: Write, tally: Tally) -> list[Pair]:
        found = [read_one(write, tally) for read_one in readers]
        return [Pair((), [old for old, _ in found], [new for _, new in found])]

    return read


def merge_of(fields: Sequence[FieldPath]) -> Merge:
    """Return what makes one finding of all that the evidence tells of a group."""
    read = _reader(fields)

    def merge(findings: Sequence[Finding], write: Write, tally: Tally) -> Finding:
        (group,) = read(write, tally)
        first = first_changed(group)
        values = {str(path): present(value) for path, value in zip(fields, group.new, strict=True)}
        for finding in findings:
            values |= finding.values
        broken = "; it ".join(finding.problem for finding in findings)
        return Finding(
            str(fields[first]),
            f"was not written with its group: it {broken}",
            group.old[first],
            present(group.new[first]),
            tuple(values.items()),
        )

    return merge


def _has_moved(old: Any, new: Any) -> bool:
    """Whether a member changed; one whose item is gone went with it."""
    return new is not MISSING and not equal(old, new)


def digest_check(fields: Sequence[FieldPath], path: FieldPath) -> Check:
    """Return the check that a field holds the digest of the members."""
    problem = literal(f"does not fit the digest in {path}")

    def judge(old: Values, new: Values, write: Write) -> str | None:
        members, digest, before = new[:-1], new[-1], old[-1]
        if digest is MISSING or (type(digest) is not str and type(before) is not str):
            return None
        is_digest = type(digest) is str and _DIGEST.fullmatch(digest) and digest_of(members).startswith(digest)
        return None if is_digest else problem

    return _evidence([*fields, path], judge, on_create=True)


def stamp_check(fields: Sequence[FieldPath], path: FieldPath) -> Check:
    """Return the check that a field changes whenever a member does."""
    problem = literal(f"changed, but {path} did not")

    def judge(old: Values, new: Values, write: Write) -> str | None:
        *members, (before, stamp) = zip(old, new, strict=True)
        return problem if equal(before, stamp) and any(_has_moved(*member) for member in members) else None

    return _evidence([*fields, path], judge)


def change_together_check(fields: Sequence[FieldPath]) -> Check:
    """Return the check that all members change if one does."""

    def judge(old: Values, new: Values, write: Write) -> str | None:
        members = list(zip(old, new, strict=True))
        same = [str(path) for path, member in zip(fields, members, strict=True) if equal(*member)]
        if not same or not any(_has_moved(*member) for member in members):
            return None
        return literal(f"changed, but {', '.join(same)} did not")

    return _evidence(fields, judge)


def patch_check(fields: Sequence[FieldPath], *, locked_is_fine: bool) -> Check:
    """Return the check that a patch's body holds all members or none, or (`locked_is_fine`) carries a resourceVersion."""
    held = [holds(path) for path in fields]

    def judge(old: Values, new: Values, write: Write) -> str | None:
        body = write.patch
        if body is MISSING or equal(old, new) or (locked_is_fine and is_locked(body)):
            return None
        left_out = [str(path) for path, is_held in zip(fields, held, strict=True) if not is_held(body, write)]
        if not 0 < len(left_out) < len(fields):
            return None
        lock = " and carried no resourceVersion" if locked_is_fine else ""
        return literal(f"came in a patch that left out {', '.join(left_out)}{lock}")

    return _evidence(fields, judge)


def single_manager_check(fields: Sequence[FieldPath]) -> Check:
    """Return the check that one field manager owns all members that are present."""
    readers = [reader(path) for path in fields]
    owners = [owns(path) for path in fields]

    def read_side(roots: Roots, tally: Tally) -> list[Values]:
        """Return the members and who owns each that is present: that, and not the times, makes the check."""
        values = [read(roots, tally) for read in readers]
        own = list(entries(roots["metadata"], roots["apiVersion"]))
        managers = [
            None if value is None else sorted({entry["manager"] for entry in own if is_owner(entry.get("fieldsV1"))})
            for value, is_owner in zip(values, owners, strict=True)
        ]
        return [values, managers]

    def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
        _, managers = pair.new
        sets = [set(names) for names in managers if names is not None]
        if not any(sets) or set.intersection(*sets):
            return None
        owned = zip(fields, managers, strict=True)
        named = [f"{path} by {' and '.join(names) or 'nobody'}" for path, names in owned if names is not None]
        return Finding("", literal(f"has several owners: {', '.join(named)}"))

    return Check(lambda write, tally: [Pair((), read_side(write.old, tally), read_side(write.new, tally))], judge)
