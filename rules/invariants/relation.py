"""relation: arithmetic between fields that holds after every write."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field

from rules.check import Checks
from rules.invariants.kind import Kind
from rules.model import MAX_RELATIONS
from rules.native.form import Clause, Form
from rules.native.relation import relation_holds
from rules.relations import ABSENT, MissingPolicy, Relation, relation_check
from rules.samples import Samples, amounts


class RelationInvariant(Kind):
    """Relations between numbers hold after the write: `status.readyReplicas <= status.replicas`."""

    name: ClassVar[str] = "relation"
    cured_by_waiting: ClassVar[bool] = False

    holds: Annotated[list[Relation], Field(min_length=1, max_length=MAX_RELATIONS)] = Field(
        description="The relations: paths, integers, + and - (with spaces), sum() over a path of many values, and one of "
        "<= < == != >= >. Each is judged by itself.",
    )
    missing: MissingPolicy = Field(
        default="Skip",
        description="What an absent path means. Skip: the relation is not judged. Zero: absent is 0, unless all are absent "
        "(for counters with omitempty). A value that is no number, and an absent list in sum(), always skip.",
    )

    def compile(self) -> Checks:
        """Return one check for each relation."""
        checks = tuple(relation_check(relation, self.missing) for relation in self.holds)
        return Checks(checks, tuple(path for relation in self.holds for path in relation.paths))

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield one clause for each relation."""
        for relation, sentence in zip(self.holds, self.sentences(), strict=True):
            holds = partial(relation_holds, form, relation, self.missing)
            yield Clause(holds, sentence, relation.paths, on_create=True)

    def sentences(self) -> list[str]:
        """Return the relations."""
        return [f"{relation} ({ABSENT[self.missing]})." for relation in self.holds]

    def samples(self) -> list[Samples]:
        """Return the fields of each relation with numbers that make it true and false."""
        return [dict.fromkeys(relation.paths, amounts([relation])) for relation in self.holds]
