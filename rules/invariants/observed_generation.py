"""observedGeneration: a controller says which generation of the spec its status is about, and that only goes forward."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from rules import fieldpath
from rules.check import Check, Checks, Finding, present
from rules.invariants.kind import Kind
from rules.model import MAX_FIELDS, PairedPath
from rules.pairing import Pair, Pairs, pairs
from rules.reading import Tally, reader
from rules.values import MISSING, Missing, Number, equal, number
from rules.write import Write

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

    fields: Annotated[list[PairedPath], Field(min_length=1, max_length=MAX_FIELDS)] = Field(
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
        may_clear = path.has_list_items if self.may_clear is None else self.may_clear
        not_ahead = self.not_ahead
        ignored = self.ignore_values

        def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
            (old, old_limit), (new, limit) = pair.old, pair.new
            if new is MISSING:
                return None  # the item that held it is gone
            before, after = _generation(old, ignored, tally), _generation(new, ignored, tally)
            if after is None:
                return None
            broken = _ahead(after, limit) if not_ahead else None
            if broken is None and before is not None and after < before and not write.creates:
                if not_ahead and limit and before > (old_limit or limit):
                    return None  # the old value was never true: any value up to the generation repairs it
                broken = _back(after, may_clear=may_clear)
            if broken is None:
                return None
            return Finding(path.concrete(pair.where), broken, present(old), present(new))

        return Check(_with_generation(path) if not_ahead else _without(path), judge, on_create=not_ahead)

    def sentences(self) -> list[str]:
        """Return what is demanded of each field."""
        ahead = " and is never ahead of metadata.generation" if self.not_ahead else ""
        found = []
        for path in self.fields:
            may_clear = path.has_list_items if self.may_clear is None else self.may_clear
            found.append(f"{path} never goes back{'' if may_clear else ', never disappears'}{ahead}.")
        if self.ignore_values:
            found.append(f"The values {', '.join(map(str, self.ignore_values))} are never compared.")
        return found


def _ahead(after: Number, limit: Number) -> str | None:
    return f"is ahead of metadata.generation: {{new}} > {limit} (was {{old}})" if limit and after > limit else None


def _back(after: Number, *, may_clear: bool) -> str | None:
    if after != 0:
        return "went back from {old} to {new}"
    return None if may_clear else "was cleared: it was {old}"


def _generation(value: Any | Missing, ignored: list[int], tally: Tally) -> Number | None:
    """Return a value as a generation: 0 if absent or no number, None if it never compares."""
    value = present(value)
    if any(equal(value, other) for other in ignored):
        return None
    exact = number(value)
    if exact is None and value is not None:
        tally.type_mismatches += 1
    return exact or 0


def _with_generation(path: fieldpath.FieldPath) -> Pairs:
    read = pairs(path)

    def read_both(write: Write, tally: Tally) -> list[Pair]:
        before, after = (max(number(_read_generation(roots, tally)) or 0, 0) for roots in (write.old, write.new))
        return [Pair(where, [old, before], [new, after]) for where, old, new in read(write, tally)]

    return read_both


def _without(path: fieldpath.FieldPath) -> Pairs:
    read = pairs(path)
    return lambda write, tally: [Pair(where, [old, 0], [new, 0]) for where, old, new in read(write, tally)]
