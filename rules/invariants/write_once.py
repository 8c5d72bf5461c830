"""writeOnce: a field that is set once and then stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field

from rules.check import Check, Checks, Finding, is_gone, paired_check, present
from rules.fieldpath import FieldPath
from rules.invariants.kind import Kind
from rules.model import MAX_FIELDS, PairedPath
from rules.native.expression import FALSE, Expression, any_of
from rules.native.form import Clause, Form
from rules.native.value import Value, Visit
from rules.pairing import Pair
from rules.reading import Tally
from rules.values import equal
from rules.write import Write


class WriteOnce(Kind):
    """Once set, a field never changes and never disappears."""

    name: ClassVar[str] = "writeOnce"
    cured_by_waiting: ClassVar[bool] = True

    fields: Annotated[list[PairedPath], Field(min_length=1, max_length=MAX_FIELDS)] = Field(
        description="The fields that are set once.",
    )
    may_clear: bool = Field(default=False, description="Whether a field may disappear (and then be set anew).")

    def compile(self) -> Checks:
        """Return one check for each field."""
        return Checks(tuple(self._check(path) for path in self.fields), tuple(self.fields))

    def _check(self, path: FieldPath) -> Check:
        may_clear = self.may_clear

        def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
            old, new = present(pair.old), pair.new
            if old is None or is_gone(pair) or equal(old, new) or (new is None and may_clear):
                return None
            problem = (
                "was set once and disappeared: it was {old}" if new is None else "was set to {old} and became {new}"
            )
            return Finding(path.concrete(pair.where), problem, old, new)

        return paired_check(path, judge)

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield one clause for each field."""

        def holds(old: Value, new: Value) -> Expression:
            return any_of(old.absent, new.absent if self.may_clear else FALSE, form.same_deep(old, new))

        for path, sentence in zip(self.fields, self.sentences(), strict=True):
            yield Clause(partial(form.pairs, path, Visit(holds, alike=True)), sentence, (path,))

    def sentences(self) -> list[str]:
        """Return what is demanded of each field."""
        clear = "" if self.may_clear else " or disappears"
        return [f"Once {path} is set, it never changes{clear}." for path in self.fields]
