"""Mutants: an object with one thing in it spoilt, in each of the ways in which statuses go wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from enum import Enum
from itertools import product
from typing import Any, Final

from rules.fieldpath import FieldPath, parse
from rules.instants import instant
from rules.mutation.places import Steps, places, put, value_at
from rules.path_syntax import Name
from rules.predicates import CompiledPredicate, Predicate
from rules.samples import answers, typed
from rules.values import equal, number

_MAX_ANSWERS: Final = 3
"""Values that are tried to fulfil a predicate: the first are those that fulfil the most."""


class Mutation(Enum):
    """A way of spoiling a write; the value is what it is called in tables."""

    DECREASED = "decreased"
    INCREASED = "increased"
    CLEARED = "cleared"
    DROPPED = "item dropped"
    CHANGED = "changed"
    TIME = "time alone moved"
    DOUBLED = "doubled"
    CLAIMED = "claimed too early"


def mutants(
    new: Any, path: FieldPath, states: Sequence[Any], *, counts: bool = False
) -> Iterator[tuple[Mutation, Any]]:
    """Yield copies of an object that are spoilt where a path leads.

    `states` are values that its rule knows. `counts`: what is not there is a counter, and 0.
    """
    for steps in places(new, path.segments):
        value = value_at(new, steps)
        if value is None and counts:
            yield from ((mutation, put(new, steps, other)) for mutation, other in _moved(0))
            continue
        for other in (*states, *_others(value)):
            if not equal(value, other):
                yield Mutation.CHANGED, put(new, steps, other)
        if value is None:
            continue
        for mutation, other in _moved(value):
            yield mutation, put(new, steps, other)
        if isinstance(steps[-1], str):
            yield Mutation.CLEARED, put(new, steps, None)
        yield from ((Mutation.DROPPED, put(new, item, None)) for item in _items(path, steps))


def spoilt_conditions(new: Any, path: FieldPath) -> Iterator[tuple[Mutation, Any]]:
    """Yield copies of an object in which a condition of a list is there twice, or its time alone has moved."""
    for steps in places(new, parse(f"{path}[type]").segments):
        conditions = value_at(new, steps[:-1])
        condition = value_at(new, steps)
        yield Mutation.DOUBLED, put(new, steps[:-1], [*conditions, condition])
        time = (*steps, "lastTransitionTime")
        for mutation, other in _moved(value_at(new, time)):
            yield Mutation.TIME, put(new, time, other)
            yield mutation, put(new, time, other)


def claims_of(new: Any, when: Iterable[Predicate]) -> Iterator[Any]:
    """Yield copies of an object with everything set in its status that predicates ask for."""
    asked: list[list[tuple[Steps, Any]]] = []
    for predicate in when:
        if predicate.of == "new" and predicate.field.root == "status":
            accepts = CompiledPredicate(predicate).accepts
            known = (
                typed(predicate.field, value) if isinstance(value, str) else value for value in answers([predicate])
            )
            fulfilling = [value for value in known if accepts(value)][:_MAX_ANSWERS]
            asked.append([(steps, value) for steps in places(new, predicate.field.segments) for value in fulfilling])
    for chosen in product(*asked):
        claimed = new
        for steps, value in chosen:
            claimed = put(claimed, steps, value)
        yield claimed


def _items(path: FieldPath, steps: Steps) -> Iterator[Steps]:
    """Yield the items of lists and the values of maps through which a place is reached."""
    for length, (step, segment) in enumerate(zip(steps, path.segments, strict=True), start=1):
        if isinstance(step, int) or not isinstance(segment, Name):
            yield steps[:length]


def _others(value: Any) -> list[Any]:
    """Return other values of a value's type."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        return [other for _, other in _moved(value)] or ["Other", ""]
    if isinstance(value, dict):
        leaves = [name for name, member in value.items() if isinstance(member, str)]
        return [{**value, name: f"{value[name]}-other"} for name in leaves] or [{**value, "other": "other"}]
    if isinstance(value, list):
        return [[*value, "other"]]
    return [1, "Other", True] if value is None else [other for _, other in _moved(value)]


def _moved(value: Any) -> Iterator[tuple[Mutation, Any]]:
    """Yield smaller and larger values of what has an order: numbers, numbers as text, and times."""
    if isinstance(value, str) and instant(value) is not None:
        for days, seconds in ((0, 1), (400, 0)):
            step = timedelta(days=days, seconds=seconds)
            yield Mutation.DECREASED, _later(value, -step)
            yield Mutation.INCREASED, _later(value, step)
        return
    is_text = isinstance(value, str) and value.isdecimal()
    exact = int(value) if is_text else number(value)
    if exact is None:
        return
    smaller = [exact - 1, *([0] if exact > 1 else [])]
    for mutation, others in ((Mutation.DECREASED, smaller), (Mutation.INCREASED, [exact + 1, exact + 1000])):
        yield from ((mutation, str(other) if is_text else other) for other in others)


def _later(time: str, step: timedelta) -> str:
    return (datetime.fromisoformat(time) + step).isoformat().replace("+00:00", "Z")
