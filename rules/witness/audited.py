"""Patches as an audit log has them: one whose body breaks an invariant that nothing tells at admission, and one that passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, product, takewhile
from typing import Any, Final

from rules.path_syntax import Name
from rules.values import MISSING
from rules.witness.candidates import Candidate, changes_of, states
from rules.witness.slots import Slot, Steps, at, put
from rules.witness.target import Target
from rules.witness.trial import Trial

_LOCK: Final[Steps] = (Name("metadata", ""), Name("resourceVersion", ""))


def with_version(target: Target) -> Target:
    """Return a target whose object has a resourceVersion, which patches may carry."""
    return replace(target, bare=put(target.bare, _LOCK, "1"))


def breaking_patch(trial: Trial, groups: Iterable[Sequence[Slot]]) -> Candidate | None:
    """Return a patch that only the audit log tells to be broken, None if none was found."""
    for candidate in takewhile(lambda _: trial.has_time, _writes(groups)):
        patch = _with_body(candidate, trial, candidate.changes)
        write = trial.write(patch)
        if trial.breaks(write) and not trial.breaks(replace(write, patch=MISSING)):
            return patch
    return None


def passing_patch(trial: Trial, groups: Iterable[Sequence[Slot]], broken: Candidate) -> Candidate | None:
    """Return a patch that passes, the same write as the broken one where that is possible; None if none was found."""
    for candidate in takewhile(lambda _: trial.has_time, chain([replace(broken, body=MISSING)], _writes(groups))):
        whole = [at for at, slot in enumerate(candidate.slots) if not slot.is_guard and slot.path.root != "metadata"]
        for indices, locked in ((candidate.changes, True), (whole, False), (whole, True)):
            patch = _with_body(candidate, trial, indices, locked=locked)
            if trial.passes(trial.write(patch)):
                return patch
    return None


def _writes(groups: Iterable[Sequence[Slot]]) -> Iterator[Candidate]:
    for slots in groups:
        for state, size in product(chain(states(slots), states(slots, 1)), (1, 2)):
            for changes in changes_of(slots, state, size):
                if None not in changes.values():
                    yield Candidate(slots, state, changes)


def _with_body(candidate: Candidate, trial: Trial, indices: Iterable[int], *, locked: bool = False) -> Candidate:
    """Return the same write as a merge patch that holds these slots."""
    _, new = candidate.sides(trial.target.bare)
    body: dict[str, Any] = put({}, _LOCK, "1") if locked else {}
    for index in indices:
        steps = candidate.slots[index].steps
        body = put(body, steps, at(new, steps))
    return replace(candidate, body=body)
