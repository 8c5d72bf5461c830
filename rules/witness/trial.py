"""The trial: candidates judged by the compiled rule itself, the only judge of what passes and what breaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from rules.compile import CompiledRule
from rules.reading import Tally
from rules.ruleset import judge
from rules.values import MISSING, Missing
from rules.violation import RuleVerdict
from rules.witness.candidates import Candidate
from rules.witness.slots import Slot
from rules.witness.target import Target
from rules.write import Roots, Write

_WRITTEN: Final[Mapping[str, tuple[str, ...]]] = {"": ("metadata", "spec"), "status": ("status",), "scale": ("spec",)}
"""The members of an object that the API server takes from a write to each subresource; from any other all of them."""

_WORK_OF_A_WRITE: Final = 50
"""Work that it takes to build and judge a write with next to nothing in it; work is counted in readings of a field."""

_WORK_OF_A_SLOT: Final = 4

_MAX_WORK: Final = 3_000_000
"""Work spent on a rule: about a second. 64 invariants of 32 fields each need all of it."""

_MAX_WORK_OF_A_TRIAL: Final = 100_000
"""Work spent on one trial, of which usual invariants need a tenth."""


class Budget:
    """The work that may still be spent on a rule; what one trial leaves is for the others."""

    def __init__(self, trials: int) -> None:
        self._left = _MAX_WORK
        self._trials = trials

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left."""
        return self._left <= 0

    def share(self) -> int:
        """Return the work that the next trial may take."""
        share = self._left // max(self._trials, 1)
        self._trials -= 1
        return min(share, _MAX_WORK_OF_A_TRIAL)

    def spend(self, work: int) -> None:
        """Take work away."""
        self._left -= work


class Trial:
    """Judges candidates for one invariant of a rule, as many as are worth the time."""

    def __init__(self, rule: CompiledRule, index: int, target: Target, budget: Budget) -> None:
        self.target = target
        self.invariant = rule.invariants[index]
        self._budget = budget
        self._left = budget.share()
        self._rule = rule
        self._alone = replace(rule, invariants=(self.invariant,))
        self._request = target.write().request
        self._written = _WRITTEN.get(target.subresource)

    def write(self, candidate: Candidate) -> Write:
        """Return the write that a candidate stands for."""
        self._spend(_WORK_OF_A_WRITE + _WORK_OF_A_SLOT * len(candidate.slots))
        old, new = candidate.sides(self.target.bare)
        return self._write({} if self.target.creates else old, new, candidate.body)

    def _write(self, old: dict[str, Any], new: dict[str, Any], patch: Any | Missing = MISSING) -> Write:
        return Write(self._request, Roots(new), Roots(old), patch)

    @property
    def has_time(self) -> bool:
        """Whether more candidates may be judged."""
        return self._left > 0

    def breaks(self, write: Write) -> bool:
        """Tell whether a write breaks the invariant."""
        verdict = self._verdict(self._alone, write)
        return verdict is not None and bool(verdict.violations)

    def passes(self, write: Write) -> bool:
        """Tell whether a write is judged and breaks nothing of the whole rule."""
        verdict = self._verdict(self._rule, write)
        return verdict is not None and verdict.error is None and not verdict.violations

    def breaks_others(self, write: Write) -> bool:
        """Tell whether a write breaks another invariant of the rule too."""
        verdict = self._verdict(self._rule, write)
        return verdict is None or any(each.invariant != self.invariant.name for each in verdict.violations)

    def guard_holds(self, write: Write) -> bool:
        """Tell whether the invariant's `when` holds."""
        sides = ((predicate, write.old if predicate.of_old else write.new) for predicate in self.invariant.when)
        return all(predicate.accepts(predicate.read(side, Tally())) for predicate, side in sides)

    def began_broken(self, candidate: Candidate) -> bool:
        """Tell whether to write the old object of a candidate from nothing would break the invariant, or have no verdict."""
        if self.target.creates:
            return False
        old, _ = candidate.sides(self.target.bare)
        verdict = self._verdict(self._alone, self._write(self.target.bare, old))
        return verdict is not None and (bool(verdict.violations) or verdict.error is not None)

    def strays(self, candidate: Candidate) -> int:
        """Count the changes that the API server would not take from a write to this subresource."""
        return sum(not self._takes(candidate.slots[index]) for index in candidate.changes)

    def _takes(self, slot: Slot) -> bool:
        path = slot.path
        return self._written is None or path.root in self._written or path.written == "metadata.managedFields"

    def _verdict(self, rule: CompiledRule, write: Write) -> RuleVerdict | None:
        """Return what a rule says of a write; None if it leaves the write out."""
        self._spend(work_of(rule))
        verdicts = judge([rule], write)
        return verdicts[0] if verdicts and not verdicts[0].exempt else None

    def _spend(self, work: int) -> None:
        self._left -= work
        self._budget.spend(work)


def work_of(rule: CompiledRule) -> int:
    """Return the work that it takes a rule to judge a write."""
    return sum(
        2 * len(invariant.when) + 3 * len(invariant.checks.checks) + 2 * len(invariant.checks.paths)
        for invariant in rule.invariants
    )
