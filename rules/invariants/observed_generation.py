"""observedGeneration: a controller says which generation of the spec its status is about, and that only goes forward."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, ClassVar

from pydantic import Field

from rules import fieldpath
from rules.check import Check, Checks, Finding, is_gone, paired_check, present
from rules.invariants.kind import Kind
from rules.model import MAX_FIELDS, PairedPath
from rules.native.expression import ZERO, Expression, all_of, any_of, choose, compare, one_of
from rules.native.form import Clause, Form
from rules.native.value import ABSENT, Holds, Value, Visit
from rules.pairing import Pair
from rules.reading import Tally, reader
from rules.roles import Role
from rules.samples import Samples
from rules.values import Missing, Number, number
from rules.write import Roots, Write

_GENERATION = fieldpath.parse("metadata.generation")
_read_generation = reader(_GENERATION)


def _default_fields() -> list[PairedPath]:
    return [
        fieldpath.parse("status.observedGeneration"),
        fieldpath.parse("status.conditions[type].observedGeneration"),
    ]


class ObservedGeneration(Kind):
    """The observed generation never goes back, never disappears, and is never ahead of `metadata.generation`."""

    name: ClassVar[str] = "observedGeneration"
    cured_by_waiting: ClassVar[bool] = True

    fields: Annotated[list[PairedPath], Field(min_length=1, max_length=MAX_FIELDS), Role.NUMBER] = Field(
        default_factory=_default_fields,
        description="The fields that hold an observed generation.",
    )
    not_ahead: bool = Field(
        default=True,
        description="Whether a value above metadata.generation is a violation (not asked where that is absent or 0).",
    )
    may_clear: bool | None = Field(
        default=None,
        description="Whether a value may disappear (0 and absent are the same). By default only where the path leads "
        "through items of a list, whose fields are often left out when empty.",
    )
    ignore_values: Annotated[list[int], Field(max_length=MAX_FIELDS)] = Field(
        default_factory=list,
        description="Values that never compare, as Flux's -1 for an object that was not yet seen.",
    )

    def compile(self) -> Checks:
        """Return one check for each field."""
        checks = tuple(self._check(path) for path in self.fields)
        return Checks(checks, (*self.fields, *([_GENERATION] if self.not_ahead else [])))

    def _check(self, path: fieldpath.FieldPath) -> Check:
        may_clear = self._may_clear(path)
        not_ahead = self.not_ahead
        ignored = self.ignore_values

        def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
            if is_gone(pair):
                return None
            before, after = _generation(pair.old, ignored, tally), _generation(pair.new, ignored, tally)
            if after is None:
                return None
            limit = _limit(write.new, tally) if not_ahead else 0
            broken = _ahead(after, limit)
            if broken is None and before is not None and after < before and not write.creates:
                if limit and before > (_limit(write.old, tally) or limit):
                    return None  # the old value was never true: any value up to the generation repairs it
                broken = _back(after, may_clear=may_clear)
            if broken is None:
                return None
            return Finding(path.concrete(pair.where), broken, present(pair.old), present(pair.new))

        return paired_check(path, judge, on_create=not_ahead, also_changed=_limit_changed if not_ahead else None)

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield one clause for each field."""
        for path, sentence in zip(self.fields, self.sentences(), strict=False):
            holds = self._in_cel(form, path)
            alone = partial(form.is_current, or_zero=self._may_clear(path)) if self.not_ahead else None
            visit = Visit(holds, partial(holds, ABSENT), alike=True, numbers=True, alone=alone)
            yield Clause(partial(form.pairs, path, visit), sentence, (path,), on_create=self.not_ahead)

    def _in_cel(self, form: Form, path: fieldpath.FieldPath) -> Holds:
        may_clear = self._may_clear(path)
        ignored = list(self.ignore_values)

        def fine(before: Expression, after: Expression) -> Expression:
            forward = [compare(after, ">=", before), form.rarely(one_of(before, ignored)), form.creates]
            if may_clear:
                forward.append(compare(after, "==", ZERO))
            limits: list[Expression] = []
            if self.not_ahead:
                limit, limit_before = form.generation("new"), form.generation("old")
                limits = [any_of(compare(limit, "==", ZERO), compare(after, "<=", limit))]
                measure = choose(compare(limit_before, ">", ZERO), limit_before, limit)
                # The old value was never true: any value up to the generation repairs it.
                forward.append(form.rarely(all_of(compare(limit, ">", ZERO), compare(before, ">", measure))))
            return any_of(one_of(after, ignored), all_of(*limits, any_of(*forward)))

        def holds(old: Value, new: Value) -> Expression:
            same = form.same(old, new)
            if self.not_ahead:
                same = all_of(same, compare(form.generation("new"), "==", form.generation("old")))
            before, after = form.number_or_zero(old), form.number_or_zero(new)
            judged = form.let(before, lambda b: form.let(after, lambda a: fine(b, a)))
            judged = form.unless_same(same, form.assuming(form.sure_numbers(old, new), judged))
            return any_of(form.stays_current(old, new), judged)

        return holds

    def _may_clear(self, path: fieldpath.FieldPath) -> bool:
        return path.has_list_items if self.may_clear is None else self.may_clear

    def sentences(self) -> list[str]:
        """Return what is demanded of each field."""
        ahead = " and is never ahead of metadata.generation" if self.not_ahead else ""
        found = [
            f"{path} never goes back{'' if self._may_clear(path) else ' or disappears'}{ahead}." for path in self.fields
        ]
        if self.ignore_values:
            found.append(f"Not compared: {', '.join(map(str, self.ignore_values))}.")
        return found

    def samples(self) -> list[Samples]:
        """Return each field with generations around that of an object of generation 3."""
        limit: Samples = {_GENERATION: [3]} if self.not_ahead else {}
        return [{path: [2, 1, 3, 4, None], **limit} for path in self.fields]


def _ahead(after: Number, limit: Number) -> str | None:
    return f"is ahead of metadata.generation: {{new}} > {limit} (was {{old}})" if limit and after > limit else None


def _back(after: Number, *, may_clear: bool) -> str | None:
    if after != 0:
        return "went back from {old} to {new}"
    return None if may_clear else "was cleared: it was {old}"


def _generation(value: Any | Missing, ignored: list[int], tally: Tally) -> Number | None:
    """Return a value as a generation: 0 if absent or no number, None if it never compares."""
    exact = number(present(value))
    if exact is None and present(value) is not None:
        tally.type_mismatches += 1
    generation = exact or 0
    return None if generation in ignored else generation


def _limit(roots: Roots, tally: Tally) -> Number:
    """Return metadata.generation, 0 where it says nothing."""
    return max(number(_read_generation(roots, tally)) or 0, 0)


def _limit_changed(write: Write, tally: Tally) -> bool:
    return _limit(write.old, tally) != _limit(write.new, tally)
