"""The search: the smallest write that breaks an invariant, and one that is like it and passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Final, TypeAlias

from rules import fieldpath
from rules.witness.candidates import Candidate, State, all_at_once, changes_of, states
from rules.witness.slots import Slot, slots_of
from rules.witness.trial import Trial

Slots: TypeAlias = Sequence[Slot]

_MAX_SHARED: Final = 8
"""Writes that are found to break other invariants too, before it is believed that every one does."""

Faults: TypeAlias = tuple[int, ...]
"""What makes an example worse, the worst first; all zero is as good as it gets."""


@dataclass(slots=True)
class _Best:
    """The best example so far."""

    candidate: Candidate | None = None
    faults: Faults = ()

    def is_as_good_as(self, faults: Faults) -> bool:
        """Tell whether there is an example that has no more faults."""
        return self.candidate is not None and self.faults <= faults

    def has_none_of_the_worst(self, count: int) -> bool:
        """Tell whether there is an example without the so many worst faults: then it is not worth to look far for a better."""
        return self.candidate is not None and not any(self.faults[:count])


def breaking(trial: Trial, groups: Iterable[Slots]) -> Candidate | None:
    """Return a write that breaks the invariant and of which nothing can be left out, None if none was found.

    Preferred is one that breaks nothing else of the rule, that the API server would take, and whose old object is honest.
    """
    best = _Best()
    shared = 0
    for tried in chain.from_iterable(_rounds(slots, creates=trial.target.creates) for slots in groups):
        for candidate in takewhile(lambda _: trial.has_time, tried):
            if not trial.breaks(trial.write(candidate)):
                continue
            small = _shrunk(trial, candidate)
            faults = (
                int(trial.breaks_others(trial.write(small))),
                trial.strays(small),
                int(trial.began_broken(small)),
                int(len(small.changes) > 1),
            )
            if not best.is_as_good_as(faults):
                best = _Best(small, faults)
            shared += faults[0]
            if not any(faults) or shared == _MAX_SHARED:
                return best.candidate
        if best.has_none_of_the_worst(2):
            break
    return best.candidate


def _shrunk(trial: Trial, candidate: Candidate) -> Candidate:
    """Return what is left of a breaking write when all is left out without which it still breaks."""
    left: Candidate | None = None
    while left != candidate:
        left = candidate
        for index in range(len(left.slots)):
            smaller = (each for each in candidate.smaller(index) if each.changes and trial.breaks(trial.write(each)))
            candidate = next(smaller, candidate)
    return candidate


def passing(trial: Trial, groups: Iterable[Slots], broken: Candidate | None) -> Candidate | None:
    """Return a write that passes, None if none was found; of several the one with the fewest faults."""
    best = _Best()
    searched = [broken.slots] if broken else list(groups)
    rounds = chain.from_iterable(_rounds(slots, creates=trial.target.creates) for slots in searched)
    for tried in chain([_alike(broken)], rounds):
        for each in takewhile(lambda _: trial.has_time, tried):
            candidate = each.without_repeats(trial.target.bare)
            write = trial.write(candidate)
            if not candidate.changes or trial.breaks(write):
                continue
            faults = _faults_of_passing(trial, candidate, broken)
            if not best.is_as_good_as(faults) and trial.passes(write):
                best = _Best(candidate, faults)
                if not any(faults):
                    return candidate
        if best.has_none_of_the_worst(4):
            break
    return best.candidate or _beside(trial, searched)


def _faults_of_passing(trial: Trial, candidate: Candidate, broken: Candidate | None) -> Faults:
    """Return whether nothing changes that a check reads, whether `when` does not hold, and what is unlike the broken write."""
    return (
        int(all(candidate.slots[index].is_guard for index in candidate.changes)),
        int(not trial.guard_holds(trial.write(candidate))),
        _lacks(candidate, broken),
        trial.strays(candidate),
        _unlike(candidate, broken),
        int(trial.began_broken(candidate)),
        int(len(candidate.changes) > 2),
    )


def _lacks(candidate: Candidate, broken: Candidate | None) -> int:
    """Count the fields that the broken write leaves behind and this one does not: then a check may have nothing to judge."""
    if broken is None:
        return 0
    sides = zip(candidate.slots, candidate.after, broken.after, strict=True)
    return sum(new is None and other is not None for slot, new, other in sides if not slot.is_guard)


def _unlike(candidate: Candidate, broken: Candidate | None) -> int:
    """Count the fields that the broken write changes, and that this one does not change from the same value."""
    if broken is None:
        return 0
    changed = (at for at in broken.changes if not broken.slots[at].is_guard)
    return sum(at not in candidate.changes or candidate.before[at] != broken.before[at] for at in changed)


def _beside(trial: Trial, groups: Sequence[Slots]) -> Candidate | None:
    """Return a write that changes nothing of what the invariant reads: all that is left where it lets nothing change."""
    for slot in chain.from_iterable(groups):
        path = fieldpath.parse(f"{slot.path.root}.other")
        (other,) = slots_of({path: ["a", "b"]}, [])
        candidate = Candidate([slot, other], (slot.values[0], "a"), {1: "b"})
        if trial.passes(trial.write(candidate)):
            return candidate
    return None


def _rounds(slots: Slots, *, creates: bool) -> Iterator[Iterator[Candidate]]:
    """Yield rounds of writes, small changes of plain states first."""
    if creates:
        nothing: State = (None,) * len(slots)
        made = chain(states(slots), states(slots, 1), states(slots, 2))
        yield (Candidate(slots, nothing, {at: v for at, v in enumerate(state) if v is not None}) for state in made)
        return
    yield _changing(slots, chain(states(slots), states(slots, 1)), 1)
    yield _changing(slots, states(slots), 2)
    yield _changing(slots, states(slots, 2), 1)


def _alike(broken: Candidate | None) -> Iterator[Candidate]:
    """Yield writes that change the old object of a broken one."""
    if broken is not None:
        yield from _changing(broken.slots, [broken.before], 1)
        yield from _changing(broken.slots, [broken.before], 2)


def _changing(slots: Slots, before: Iterable[State], size: int) -> Iterator[Candidate]:
    """Yield writes that change so many slots of each state; after those that change one, those that change all."""
    for state in before:
        for changes in changes_of(slots, state, size):
            yield Candidate(slots, state, changes)
        if size == 1:
            for changes in all_at_once(slots, state):
                yield Candidate(slots, state, changes)
