"""coUpdate: fields that one computation writes together, and the evidence that they were."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from rules.check import Check, Checks, Finding, Merge, literal, present
from rules.digests import digest_of
from rules.fieldpath import FieldPath, parse
from rules.group_samples import digests, managers
from rules.invariants.kind import Kind
from rules.managed_fields import entries, owns
from rules.model import MAX_FIELDS, MAX_RELATIONS, OnePath
from rules.pairing import Pair, Pairs, one_pair
from rules.patch_body import holds, is_locked
from rules.problem import Problem
from rules.reading import Tally, reader
from rules.relations import ABSENT, MissingPolicy, Relation, first_changed, relation_check
from rules.roles import Role
from rules.samples import Samples, amounts, plausible
from rules.values import MISSING, equal
from rules.write import Roots, Write

_DIGEST: Final = re.compile(r"[0-9a-f]{8,64}", re.ASCII)
"""SHA-256 in lower-case hex, whole or cut; fewer than 8 digits would collide by chance."""

_MANAGED_FIELDS: Final = (parse("metadata.managedFields"), parse("apiVersion"))

Values: TypeAlias = list[Any]
Evidence: TypeAlias = Callable[[Values, Values, Write], str | None]
"""Judges the members before and after: returns what is wrong, None if nothing is."""


class CoUpdate(Kind):
    """A group of fields that are computed and written together, with the evidence by which a torn write is told."""

    name: ClassVar[str] = "coUpdate"
    cured_by_waiting: ClassVar[bool] = True

    fields: Annotated[list[OnePath], Field(min_length=1, max_length=MAX_FIELDS)] = Field(
        description="The members of the group.",
    )
    identity: Annotated[list[Relation], Field(max_length=MAX_RELATIONS)] = Field(
        default_factory=list,
        description="Relations that every honest tuple satisfies.",
    )
    missing: MissingPolicy = Field(
        default="Skip", description="What an absent path in `identity` means; see `relation`."
    )
    digest: Annotated[OnePath | None, Role.TEXT] = Field(
        default=None,
        description="A field that holds the SHA-256 (lower-case hex, at least its first 8 digits) of the canonical JSON array "
        "of the members' values in the listed order, null where absent. Absent before and after: no evidence.",
    )
    stamp: OnePath | None = Field(default=None, description="A field that changes whenever a member does.")
    single_manager: bool = Field(
        default=False,
        description="Whether one field manager must own all members that are present (metadata.managedFields, entries of the "
        "object's own apiVersion).",
    )
    change_together: bool = Field(default=False, description="Whether all members must change if one does.")
    patch: Literal["Full", "FullOrLocked"] = Field(
        default="FullOrLocked",
        description="Judged in the audit log only: a patch body that holds one member must hold all of them, or (FullOrLocked) "
        "carry metadata.resourceVersion.",
    )

    def compile(self) -> Checks:
        """Return one check for each piece of evidence; together they make one violation."""
        checks = [relation_check(relation, self.missing) for relation in self.identity]
        paths = [*self.fields, *(path for relation in self.identity for path in relation.paths)]
        if self.digest is not None:
            checks.append(_evidence([*self.fields, self.digest], _digest(self.digest), on_create=True))
            paths.append(self.digest)
        if self.stamp is not None:
            checks.append(_evidence([*self.fields, self.stamp], _stamp(self.stamp)))
            paths.append(self.stamp)
        if self.change_together:
            checks.append(_evidence(self.fields, _change_together(self.fields)))
        if self.single_manager:
            checks.append(_single_manager(self.fields))
            paths += _MANAGED_FIELDS
        checks.append(_evidence(self.fields, _patch(self.fields, locked_is_fine=self.patch == "FullOrLocked")))
        return Checks(tuple(checks), tuple(paths), _merge(self.fields))

    def sentences(self) -> list[str]:
        """Return what is demanded of the group."""
        group = ", ".join(map(str, self.fields))
        found = [f"{relation} ({ABSENT[self.missing]})." for relation in self.identity]
        if self.digest:
            found.append(f"{self.digest} is the digest of {group}.")
        if self.stamp:
            found.append(f"{self.stamp} changes whenever one of {group} does.")
        if self.single_manager:
            found.append(f"One field manager owns {group}, as far as they are present.")
        if self.change_together:
            found.append(f"If one of {group} changes, all of them change.")
        if self.judges_patches():
            locked = ", or carries metadata.resourceVersion" if self.patch == "FullOrLocked" else ""
            found.append(f"In the audit log: a patch that holds one of {group} holds all of them{locked}.")
        return found

    def judges_patches(self) -> bool:
        """Tell whether there are several members, of which a patch can hold a part."""
        return len(self.fields) > 1

    def samples(self) -> list[Samples]:
        """Return the group with all that is evidence about it."""
        numbers = amounts(self.identity)
        related = {path: numbers for relation in self.identity for path in relation.paths}
        group = {path: plausible(path) for path in self.fields} | related
        if self.digest is not None:
            group[self.digest] = digests(self.fields)
        if self.stamp is not None:
            group[self.stamp] = plausible(self.stamp)
        if self.single_manager:
            group[_MANAGED_FIELDS[0]] = managers(self.fields)
        return [group]

    def warnings(self) -> Iterator[Problem]:
        """Say what the evidence cannot see, or may judge wrongly."""
        if not (self.identity or self.digest or self.stamp or self.single_manager or self.change_together):
            yield Problem(
                (),
                "coUpdate without identity, digest or stamp has no evidence at admission: a partial patch onto a "
                "legal-looking tuple passes; only the audit log tells",
                "no-admission-evidence",
                "warning",
            )
        if self.change_together:
            yield Problem(
                ("changeTogether",),
                "changeTogether rejects honest writes that change one member only, as most writes of counters do",
                "change-together",
                "warning",
            )
        if self.single_manager:
            yield Problem(
                ("singleManager",),
                "singleManager tells that two managers share the group, not that a patch was partial",
                "single-manager",
                "warning",
            )


def _evidence(paths: Sequence[FieldPath], judge: Evidence, *, on_create: bool = False) -> Check:
    read = _reader(paths)

    def check(pair: Pair, write: Write, tally: Tally) -> Finding | None:
        problem = judge(pair.old, pair.new, write)
        # The field and the values are the group's: `_merge` fills them in.
        return Finding("", problem) if problem else None

    return Check(read, check, on_create)


def _reader(paths: Sequence[FieldPath]) -> Pairs:
    """Return what reads several fields as one pair of lists; a new value is MISSING where its item is gone."""
    readers = [one_pair(path) for path in paths]

    def read(write: Write, tally: Tally) -> list[Pair]:
        found = [read_one(write, tally) for read_one in readers]
        return [Pair((), [old for old, _ in found], [new for _, new in found])]

    return read


def _merge(fields: Sequence[FieldPath]) -> Merge:
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


def _digest(path: FieldPath) -> Evidence:
    problem = literal(f"does not fit the digest in {path}")

    def judge(old: Values, new: Values, write: Write) -> str | None:
        members, digest, before = new[:-1], new[-1], old[-1]
        if digest is MISSING or (type(digest) is not str and type(before) is not str):
            return None
        is_digest = type(digest) is str and _DIGEST.fullmatch(digest) and digest_of(members).startswith(digest)
        return None if is_digest else problem

    return judge


def _stamp(path: FieldPath) -> Evidence:
    problem = literal(f"changed, but {path} did not")

    def judge(old: Values, new: Values, write: Write) -> str | None:
        *members, (before, stamp) = zip(old, new, strict=True)
        return problem if equal(before, stamp) and any(_has_moved(*member) for member in members) else None

    return judge


def _change_together(fields: Sequence[FieldPath]) -> Evidence:
    def judge(old: Values, new: Values, write: Write) -> str | None:
        members = list(zip(old, new, strict=True))
        same = [str(path) for path, member in zip(fields, members, strict=True) if equal(*member)]
        if not same or not any(_has_moved(*member) for member in members):
            return None
        return literal(f"changed, but {', '.join(same)} did not")

    return judge


def _patch(fields: Sequence[FieldPath], *, locked_is_fine: bool) -> Evidence:
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

    return judge


def _single_manager(fields: Sequence[FieldPath]) -> Check:
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
