"""Candidates: small writes that differ in the slots of an invariant, the plainest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, TypeAlias

from rules.case_write import merge_patch
from rules.samples import Derived
from rules.values import MISSING, Missing, equal
from rules.witness.slots import Slot, at, put
from rules.write import Roots

State: TypeAlias = tuple[Any, ...]
"""A value for each slot; None is absent."""

Changes: TypeAlias = dict[int, Any]
"""New values by the index of their slot."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A write as what the slots hold before it, and what it changes; `body` is the patch that an audit log has of it."""

    slots: Sequence[Slot]
    before: State
    changes: Changes
    body: Any | Missing = MISSING

    @property
    def after(self) -> State:
        """What the slots hold after the write."""
        return tuple(self.changes.get(index, value) for index, value in enumerate(self.before))

    def sides(self, bare: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the object before and after the write."""
        old = _built(bare, self.slots, dict(enumerate(self.before)))
        if self.body is MISSING:
            return old, _built(old, self.slots, self.changes)
        return old, merge_patch(old, self.body)

    def without_repeats(self, bare: dict[str, Any]) -> Candidate:
        """Return the same write without what is derived anew and has become what it was."""
        if not any(isinstance(value, Derived) for value in self.changes.values()):
            return self
        old, new = self.sides(bare)
        steps = [slot.steps for slot in self.slots]
        real = {i: value for i, value in self.changes.items() if not equal(at(old, steps[i]), at(new, steps[i]))}
        return replace(self, changes=real)

    def smaller(self, index: int) -> Iterator[Candidate]:
        """Yield the same write without a slot, and without the change in it; none if it is smaller already."""
        left = {other: value for other, value in self.changes.items() if other != index}
        if self.before[index] is not None and any(value is None for value in self.slots[index].values):
            yield replace(self, before=_changed(self.before, {index: None}), changes=left)
        if index in self.changes:
            yield replace(self, changes=left)


def _built(target: dict[str, Any], slots: Sequence[Slot], values: Changes) -> dict[str, Any]:
    derived: list[tuple[Slot, Derived]] = []
    for index, value in values.items():
        if isinstance(value, Derived):
            derived.append((slots[index], value))
        else:
            target = put(target, slots[index].steps, value)
    for slot, value in derived:
        target = put(target, slot.steps, value.of(Roots(target)))
    return target


def states(slots: Sequence[Slot], distance: int = 0) -> Iterator[State]:
    """Yield what the slots may hold: all that fits, nothing, all that does not; with another value in `distance` of them."""
    nothing = tuple(slot.values.index(None) if None in slot.values else 0 for slot in slots)
    bases = dict.fromkeys([(0,) * len(slots), nothing, tuple(len(slot.values) - 1 for slot in slots)])
    seen: set[tuple[int, ...]] = set()
    for base in bases:
        for indices in combinations(range(len(slots)), distance):
            others = ([at for at in range(len(slots[index].values)) if at != base[index]] for index in indices)
            for chosen in product(*others):
                picked = {**dict(enumerate(base)), **dict(zip(indices, chosen, strict=True))}
                state = tuple(picked.values())
                if state not in seen:
                    seen.add(state)
                    yield tuple(slot.values[at] for slot, at in zip(slots, state, strict=True))


def changes_of(slots: Sequence[Slot], state: State, size: int) -> Iterator[Changes]:
    """Yield what a write may change in a state, that many slots at once."""
    others = [[value for value in slot.values if _differs(value, state[at])] for at, slot in enumerate(slots)]
    for indices in combinations(range(len(slots)), size):
        for values in product(*(others[index] for index in indices)):
            yield dict(zip(indices, values, strict=True))


def all_at_once(slots: Sequence[Slot], state: State) -> Iterator[Changes]:
    """Yield changes of every slot that only the invariant's checks read, to its first other value, then to its second."""
    others = {
        index: values
        for index, slot in enumerate(slots)
        if (values := [value for value in slot.values if value is not None and _differs(value, state[index])])
        and not slot.is_guard
    }
    for choice in (0, 1) if others else ():
        yield {index: values[min(choice, len(values) - 1)] for index, values in others.items()}


def _differs(value: Any, other: Any) -> bool:
    # What is derived follows from its object and may differ from what the same derivation gave before.
    return isinstance(value, Derived) or not equal(value, other)


def _changed(state: State, changes: Changes) -> State:
    return tuple(changes.get(index, value) for index, value in enumerate(state))
