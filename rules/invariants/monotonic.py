"""monotonic: a number, a time or a quantity that moves in one direction."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field

from rules.check import Check, Checks, Finding, is_gone, paired_check, present
from rules.fieldpath import FieldPath
from rules.instants import Instant, instant
from rules.invariants.kind import Kind
from rules.model import MAX_FIELDS, PairedPath, Scalar
from rules.native.expression import FALSE, TRUE, Expression, all_of, any_of, choose, compare, literal, negate, one_of
from rules.native.form import Clause, Form
from rules.native.losses import IGNORED
from rules.native.value import Value, Visit
from rules.pairing import Pair
from rules.quantities import quantity
from rules.reading import Tally
from rules.roles import Role
from rules.samples import Samples, measures
from rules.values import Number, equal, number
from rules.write import Write

Comparable: TypeAlias = Number | Instant


class Monotonic(Kind):
    """A number, a time or a quantity never goes back (NonDecreasing) or never grows (NonIncreasing)."""

    name: ClassVar[str] = "monotonic"
    cured_by_waiting: ClassVar[bool] = True

    fields: Annotated[list[PairedPath], Field(min_length=1, max_length=MAX_FIELDS), Role.ORDERED] = Field(
        description="The fields that move in one direction.",
    )
    direction: Literal["NonDecreasing", "NonIncreasing"] = Field(
        description="NonDecreasing: no value is smaller (earlier) than the one before, and disappearing is going to zero. "
        "NonIncreasing: no value is larger (later); an absent value breaks nothing.",
    )
    may_clear: bool = Field(default=False, description="Whether a value of a NonDecreasing field may disappear.")
    ignore_values: Annotated[list[Scalar], Field(max_length=MAX_FIELDS)] = Field(
        default_factory=list,
        description="Values that never compare.",
    )

    def compile(self) -> Checks:
        """Return one check for each field."""
        return Checks(tuple(self._check(path) for path in self.fields), tuple(self.fields))

    def _check(self, path: FieldPath) -> Check:
        forward = self.direction == "NonDecreasing"
        may_clear = self.may_clear
        ignored = [(value, comparable(value, Tally())) for value in self.ignore_values]

        def is_ignored(value: Any, measure: Comparable | None) -> bool:
            return any(equal(value, other) or (measure is not None and measure == size) for other, size in ignored)

        def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
            old, new = present(pair.old), present(pair.new)
            before, after = comparable(old, tally), comparable(new, tally)
            if is_gone(pair) or before is None or is_ignored(old, before) or is_ignored(new, after):
                return None
            if isinstance(before, Instant) is not isinstance(after, Instant):
                after = None  # a time and a number do not compare
            broken = _not_forward(before, after, may_clear=may_clear) if forward else _grown(before, after)
            return None if broken is None else Finding(path.concrete(pair.where), broken, old, new)

        return paired_check(path, judge)

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield one clause for each field."""
        for path, sentence in zip(self.fields, self.sentences(), strict=False):
            is_time = isinstance(measures(path)[0], str)
            visit = Visit(partial(self._in_cel, form, is_time=is_time), alike=True)
            yield Clause(partial(form.pairs, path, visit), sentence, (path,))

    def _in_cel(self, form: Form, old: Value, new: Value, *, is_time: bool) -> Expression:
        comparable = form.comparable(old, new)
        if self.direction == "NonIncreasing":
            kept = any_of(negate(comparable), form.not_less(new, old))
        else:
            cleared = TRUE if self.may_clear else form.is_nothing(old)
            kept = choose(comparable, form.not_less(old, new), cleared)
        ignored = form.rarely(any_of(*(_is(form, value, each) for value in (old, new) for each in self.ignore_values)))
        nothing_before = negate(form.is_measure(old))
        before, after = (new, old) if self.direction == "NonIncreasing" else (old, new)
        in_order = form.surely_not_earlier(before, after) if is_time else FALSE
        fine = form.assuming(form.sure_numbers(old, new), any_of(ignored, kept))
        return any_of(form.same(old, new), nothing_before, in_order, fine)

    def sentences(self) -> list[str]:
        """Return what is demanded of each field."""
        clear = "" if self.may_clear else " and does not disappear unless it was zero"
        moves = "never grows" if self.direction == "NonIncreasing" else f"never goes back{clear}"
        found = [f"{path} {moves}." for path in self.fields]
        if self.ignore_values:
            found.append(f"Not compared: {', '.join(map(str, self.ignore_values))}.")
        return found

    def samples(self) -> list[Samples]:
        """Return each field with a value, what is before and after it, and one more for where these are ignored."""
        return [{path: measures(path)} for path in self.fields]


def _is(form: Form, value: Value, ignored: Any) -> Expression:
    """Return that a value is one of `ignoreValues`, however it is written."""
    if isinstance(ignored, int):
        if value.type in {"", "string"}:
            form.lose(IGNORED)
        return all_of(form.is_number(value), compare(value.it, "==", literal(ignored)))
    is_text = isinstance(ignored, str) and value.type in {"", "string"}
    written = all_of(value.present if value.type else TRUE, one_of(value.it, [ignored])) if is_text else FALSE
    if not isinstance(ignored, str) or comparable(ignored, Tally()) is not None:
        form.lose(IGNORED)
    return written


def comparable(value: Any, tally: Tally) -> Comparable | None:
    """Return a value as something ordered: a number; a string as a time, else as a quantity. None cannot be compared."""
    found: Comparable | None = number(value)
    if found is None and isinstance(value, str):
        found = instant(value)
        if found is None:
            found = quantity(value)
    if found is None and value is not None:
        tally.type_mismatches += 1
    return found


def _not_forward(before: Comparable, after: Comparable | None, *, may_clear: bool) -> str | None:
    if after is None:
        is_zero = not isinstance(before, Instant) and before <= 0
        return None if may_clear or is_zero else "disappeared: it was {old}"
    return "went back from {old} to {new}" if _less(after, before) else None


def _grown(before: Comparable, after: Comparable | None) -> str | None:
    return "grew from {old} to {new}" if after is not None and _less(before, after) else None


def _less(left: Comparable, right: Comparable) -> bool:
    # Both are times or both are numbers; tuples and numbers never meet here.
    return left < right  # type: ignore[operator]
