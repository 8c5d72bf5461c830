"""frozen: fields that may not change while something else is the case."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field

from rules.check import Check, Checks, Finding, is_gone, paired_check
from rules.fieldpath import FieldPath
from rules.invariants.kind import Kind
from rules.model import MAX_FIELDS, PairedPath
from rules.native.form import Clause, Form
from rules.native.value import Visit
from rules.pairing import Pair
from rules.reading import Tally
from rules.values import MISSING, equal
from rules.write import Write


class Frozen(Kind):
    """The fields do not change; used with `when`, which says how long."""

    name: ClassVar[str] = "frozen"
    cured_by_waiting: ClassVar[bool] = False

    fields: Annotated[list[PairedPath], Field(min_length=1, max_length=MAX_FIELDS)] = Field(
        description="The fields that may not change, of the status or (in a rule on the main resource) of the spec.",
    )

    def compile(self) -> Checks:
        """Return one check for each field."""
        return Checks(tuple(_check(path) for path in self.fields), tuple(self.fields))

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield one clause for each field."""
        for path, sentence in zip(self.fields, self.sentences(), strict=True):
            depth = 1 if path.root == "status" else 2  # a part of a spec is often an object of objects
            visit = Visit(partial(form.same_deep, depth=depth))
            yield Clause(partial(form.pairs, path, visit), sentence, (path,))

    def sentences(self) -> list[str]:
        """Return what is demanded of each field."""
        return [f"{path} does not change." for path in self.fields]


def _check(path: FieldPath) -> Check:
    def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
        # Items are compared where both sides hold them: a new item changes no field that was there.
        if is_gone(pair) or pair.old is MISSING or equal(pair.old, pair.new):
            return None
        return Finding(path.concrete(pair.where), "changed from {old} to {new}", pair.old, pair.new)

    return paired_check(path, judge)
