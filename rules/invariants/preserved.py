"""preserved: what was there stays there, whatever its value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field

from rules.check import Check, Checks, Finding, paired_check, present
from rules.fieldpath import FieldPath
from rules.invariants.kind import Kind
from rules.model import MAX_FIELDS, PairedPath
from rules.native.expression import any_of
from rules.native.form import Clause, Form
from rules.native.value import Visit
from rules.pairing import Pair
from rules.reading import Tally
from rules.write import Write


class Preserved(Kind):
    """What was present stays present; along a path with items no item is dropped."""

    name: ClassVar[str] = "preserved"
    cured_by_waiting: ClassVar[bool] = True

    fields: Annotated[list[PairedPath], Field(min_length=1, max_length=MAX_FIELDS)] = Field(
        description="The fields, items (`status.conditions[type]`) or map entries (`status.holds.*`) that must stay.",
    )

    def compile(self) -> Checks:
        """Return one check for each field."""
        return Checks(tuple(_check(path) for path in self.fields), tuple(self.fields))

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield one clause for each field."""
        kept = Visit(lambda old, new: any_of(old.absent, new.present), gone=lambda old: old.absent, alike=True)
        for path, sentence in zip(self.fields, self.sentences(), strict=True):
            yield Clause(partial(form.pairs, path, kept), sentence, (path,))

    def sentences(self) -> list[str]:
        """Return what is demanded of each field."""
        return [f"{path}, once present, stays present." for path in self.fields]


def _check(path: FieldPath) -> Check:
    def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
        old = present(pair.old)
        if old is None or present(pair.new) is not None:
            return None
        return Finding(path.concrete(pair.where), "was dropped: it was {old}", old)

    return paired_check(path, judge)
