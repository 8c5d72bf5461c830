"""Slots: the single places of an object that a rule reads, each with the values that are tried there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from rules.fieldpath import FieldPath, ItemKey
from rules.items import is_item
from rules.path_syntax import Items, Keyed, MapValues, Name, Segment, Select
from rules.predicates import CompiledPredicate, Predicate
from rules.samples import Derived, Samples, answers
from rules.values import equal

MAX_STEPS: Final = 64
"""Steps of a path for which examples are built: each may be two levels of a suite, which may have 200."""

MAX_VALUES: Final = 12
"""Values tried in one slot: the first ones, which fit, and the last one, which does not."""

_ITEM_KEYS: Final = {"type": "Ready"}
"""What the items of examples are called by their keys; by any other key an item is called `a`."""

Step: TypeAlias = Name | Select | Items
Steps: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """One place: how the rule writes it, the steps that lead there, and the values to try; None is absent.

    `is_guard`: only the invariant's `when` reads it.
    """

    path: FieldPath
    steps: Steps
    values: tuple[Any, ...]
    is_guard: bool = False

    @property
    def field(self) -> str:
        """The concrete field, as a violation names it."""
        return self.path.concrete(tuple(map(_item_key, filter(_is_many, self.path.segments))))


def slots_of(samples: Samples, when: Sequence[Predicate]) -> list[Slot]:
    """Return the slots of fields that are judged together, and of what `when` asks; parents before what is below them.

    There are none if a path is longer than MAX_STEPS.
    """
    asked: dict[Steps, list[Predicate]] = {}
    for predicate in when:
        asked.setdefault(_steps(predicate.field), []).append(predicate)
    judged: dict[Steps, list[Any]] = {}
    for path, values in samples.items():
        judged.setdefault(_steps(path), []).extend(values)
    paths = {_steps(path): path for path in (*(predicate.field for predicate in when), *samples)}
    if any(len(steps) > MAX_STEPS for steps in paths):
        return []
    slots = [
        Slot(path, steps, _bounded(_answered(judged.get(steps, []), asked.get(steps, []))), steps not in judged)
        for steps, path in paths.items()
    ]
    return sorted(slots, key=lambda slot: (len(slot.steps), slot.is_guard))


def _answered(values: list[Any], predicates: list[Predicate]) -> list[Any]:
    """Return values of a field, first those that fulfil what is asked of it."""
    if not predicates:
        return values
    compiled = [CompiledPredicate(predicate) for predicate in predicates]
    plain = [value for value in (*values, *answers(predicates)) if not isinstance(value, Derived)]
    return sorted(plain, key=lambda value: sum(not predicate.accepts(value) for predicate in compiled))


def _bounded(values: Sequence[Any]) -> tuple[Any, ...]:
    distinct: list[Any] = []
    for value in values:
        if not any(type(value) is type(other) and equal(value, other) for other in distinct):
            distinct.append(value)
    return tuple(distinct if len(distinct) <= MAX_VALUES else [*distinct[: MAX_VALUES - 1], distinct[-1]])


def _steps(path: FieldPath) -> Steps:
    return tuple(map(_step, path.segments))


def _step(segment: Segment) -> Step:
    match segment:
        case Name():
            return Name(segment.name, "")
        case Select():
            return Select(segment.keys, "")
        case Keyed():
            return Select(tuple((key, _ITEM_KEYS.get(key, "a")) for key in segment.keys), "")
        case MapValues():
            return Name("a", "")
        case Items():
            return segment


def _is_many(segment: Segment) -> bool:
    return isinstance(segment, Keyed | MapValues)


def _item_key(segment: Segment) -> ItemKey:
    step = _step(segment)
    return tuple(value for _, value in step.keys) if isinstance(step, Select) else ("a",)


def put(target: Any, steps: Steps, value: Any) -> Any:
    """Return a copy of `target` with a value at the end of the steps; None takes away what is there, and nothing around it."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, Name):
        members = dict(target) if type(target) is dict else {}
        if value is None and step.name not in members:
            return target
        return _with(members, step.name, put(members.get(step.name), rest, value))
    items = list(target) if type(target) is list else []
    at = next((at for at, item in enumerate(items) if isinstance(step, Items) or is_item(item, step)), len(items))
    if value is None and at == len(items):
        return target
    keys = {} if isinstance(step, Items) else dict(step.keys)
    below = put(items[at] if at < len(items) else keys, rest, value)
    if below is None:
        return [*items[:at], *items[at + 1 :]]
    return [*items[:at], keys | below if type(below) is dict else below, *items[at + 1 :]]


def at(target: Any, steps: Steps) -> Any:
    """Return what is at the end of the steps; None is absent."""
    for step in steps:
        if isinstance(step, Name):
            target = target.get(step.name) if type(target) is dict else None
        else:
            items = target if type(target) is list else []
            target = next((item for item in items if isinstance(step, Items) or is_item(item, step)), None)
    return target


def _with(members: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    if value is None:
        members.pop(name, None)
    else:
        members[name] = value
    return members
