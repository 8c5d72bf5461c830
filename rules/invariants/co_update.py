"""coUpdate: fields that one computation writes together, and the evidence that they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from rules.check import Checks
from rules.fieldpath import parse
from rules.group_evidence import (
    change_together_check,
    digest_check,
    merge_of,
    patch_check,
    single_manager_check,
    stamp_check,
)
from rules.group_samples import digests, managers
from rules.invariants.kind import Kind
from rules.model import MAX_FIELDS, MAX_RELATIONS, OnePath
from rules.native.expression import Expression, all_of, any_of, negate
from rules.native.form import Clause, Form
from rules.native.relation import relation_holds
from rules.native.value import Single
from rules.problem import Problem
from rules.relations import ABSENT, MissingPolicy, Relation, relation_check
from rules.roles import Role
from rules.samples import Samples, amounts, plausible

_MANAGED_FIELDS: Final = (parse("metadata.managedFields"), parse("apiVersion"))


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
            checks.append(digest_check(self.fields, self.digest))
            paths.append(self.digest)
        if self.stamp is not None:
            checks.append(stamp_check(self.fields, self.stamp))
            paths.append(self.stamp)
        if self.change_together:
            checks.append(change_together_check(self.fields))
        if self.single_manager:
            checks.append(single_manager_check(self.fields))
            paths += _MANAGED_FIELDS
        checks.append(patch_check(self.fields, locked_is_fine=self.patch == "FullOrLocked"))
        return Checks(tuple(checks), tuple(paths), merge_of(self.fields))

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield one clause for each piece of evidence."""
        fields = tuple(self.fields)
        said = iter(self.sentences())
        for relation in self.identity:
            holds = partial(relation_holds, form, relation, self.missing)
            yield Clause(holds, next(said), relation.paths, on_create=True)
        if self.digest is not None:
            group = (*fields, self.digest)
            digest = partial(form.singles, group, lambda singles: form.digest(singles[:-1], singles[-1]))
            yield Clause(digest, next(said), group, on_create=True)
        if self.stamp is not None:
            group = (*fields, self.stamp)
            yield Clause(partial(form.singles, group, _stamped(form)), next(said), group)
        if self.single_manager:
            yield Clause(form.one_manager, next(said), (*fields, *_MANAGED_FIELDS))
        if self.change_together:
            yield Clause(partial(form.singles, fields, _together(form)), next(said), fields)

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


def _moved(form: Form, member: Single) -> Expression:
    """Return that a member may have changed; one whose item is gone went with it."""
    return all_of(negate(member.gone), negate(form.same_deep(member.old, member.new)))


def _stamped(form: Form) -> Callable[[list[Single]], Expression]:
    def holds(singles: list[Single]) -> Expression:
        *members, stamp = singles
        return any_of(form.differ(stamp.old, stamp.new), negate(any_of(*(_moved(form, member) for member in members))))

    return holds


def _together(form: Form) -> Callable[[list[Single]], Expression]:
    def holds(singles: list[Single]) -> Expression:
        # All stayed, or none of them did.
        stayed = all_of(*(negate(_moved(form, member)) for member in singles))
        return any_of(stayed, all_of(*(form.differ(member.old, member.new) for member in singles)))

    return holds
