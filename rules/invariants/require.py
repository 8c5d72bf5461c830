"""require: something that must hold in the new object; with `when` an implication."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from rules.check import Check, Checks, Finding, literal
from rules.fieldpath import FieldPath
from rules.invariants.kind import Kind
from rules.model import MAX_PREDICATES, also_in_cel
from rules.native.expression import Expression, all_of, any_of
from rules.native.form import Clause, Form
from rules.native.predicate import holds
from rules.native.value import Single
from rules.pairing import Pair
from rules.predicates import CompiledPredicate, Predicate
from rules.reading import Tally
from rules.relations import first_changed
from rules.samples import Samples, answers
from rules.write import Write

Demands: TypeAlias = Annotated[list[Predicate], Field(min_length=1, max_length=MAX_PREDICATES)]


class Require(Kind):
    """Predicates that must hold in the new object: every one of `all`, and one of `any`."""

    model_config = also_in_cel(("has(self.all) || has(self.any)", "needs all or any"))
    name: ClassVar[str] = "require"
    cured_by_waiting: ClassVar[bool] = False

    all: Demands | None = Field(default=None, description="Predicates that must all hold; each is judged by itself.")
    any: Demands | None = Field(default=None, description="Predicates of which one must hold; judged together.")

    @model_validator(mode="after")
    def _demands_something(self) -> Require:
        if self.all is None and self.any is None:
            raise PydanticCustomError("require", "needs `all` or `any`")
        return self

    def compile(self) -> Checks:
        """Return one check for each predicate of `all`, and one for the whole of `any`."""
        checks = [_check([predicate]) for predicate in self.all or ()]
        if self.any is not None:
            checks.append(_check(self.any))
        return Checks(tuple(checks), tuple(predicate.field for predicate in (self.all or []) + (self.any or [])))

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield one clause for each predicate of `all`, and one for the whole of `any`."""
        demands = [[predicate] for predicate in self.all or ()] + ([self.any] if self.any else [])
        for predicates, sentence in zip(demands, self.sentences(), strict=True):
            paths = [predicate.field for predicate in predicates]
            holds = partial(form.singles, paths, _in_cel(form, predicates))
            yield Clause(holds, sentence, tuple(paths), on_create=True)

    def sentences(self) -> list[str]:
        """Return what is demanded."""
        found = [f"{predicate.sentence()}." for predicate in self.all or ()]
        if self.any:
            found.append(f"One of these holds: {'; '.join(predicate.sentence() for predicate in self.any)}.")
        return found

    def samples(self) -> list[Samples]:
        """Return the fields of each demand with values that fulfil it and that do not."""
        return [_samples([predicate]) for predicate in self.all or ()] + ([_samples(self.any)] if self.any else [])


def _in_cel(form: Form, predicates: list[Predicate]) -> Callable[[list[Single]], Expression]:
    def made(singles: list[Single]) -> Expression:
        same = all_of(*(form.same_deep(single.old, single.new) for single in singles))
        fulfilled = (holds(form, each, single) for each, single in zip(predicates, singles, strict=True))
        return form.unless_same(same, any_of(*fulfilled))

    return made


def _samples(predicates: list[Predicate]) -> Samples:
    asked: dict[FieldPath, list[Predicate]] = {}
    for predicate in predicates:
        asked.setdefault(predicate.field, []).append(predicate)
    return {path: answers(of_path) for path, of_path in asked.items()}


def _check(predicates: list[Predicate]) -> Check:
    compiled = [CompiledPredicate(predicate) for predicate in predicates]
    demand = literal(" or ".join(predicate.sentence() for predicate in predicates))
    problem = f"breaks the demand that {demand}: it is {{new}} (was {{old}})"

    def read(write: Write, tally: Tally) -> list[Pair]:
        old = [predicate.read(write.old, tally) for predicate in compiled]
        return [Pair((), old, [predicate.read(write.new, tally) for predicate in compiled])]

    def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
        sides = zip(compiled, pair.old, pair.new, strict=True)
        if any(predicate.accepts(old if predicate.of_old else new) for predicate, old, new in sides):
            return None
        values = tuple((each.field.written, value) for each, value in zip(predicates, pair.new, strict=True))
        first = first_changed(pair)
        field = predicates[first].field.written
        return Finding(field, problem, pair.old[first], pair.new[first], values if len(values) > 1 else ())

    return Check(read, judge, on_create=True)
