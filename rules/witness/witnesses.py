"""The examples of a rule: for each invariant writes that pass and writes that break it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rules.compile import CompiledRule
from rules.witness.audited import breaking_patch, passing_patch, with_version
from rules.witness.candidates import Candidate
from rules.witness.cases import Example, example
from rules.witness.search import breaking, passing
from rules.witness.slots import Slot, slots_of
from rules.witness.target import Target, find_target
from rules.witness.trial import Budget, Trial, work_of

_TRIALS: Final = 4
"""Searches for an invariant: at admission and in the audit log, for what passes and for what breaks."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A write that passes and one that breaks an invariant; None where none was found."""

    passing: Example | None = None
    breaking: Example | None = None


@dataclass(frozen=True, slots=True)
class Witnesses:
    """The examples of one invariant: at admission, and where its kind judges patches as an audit log has them.

    `not_sought` is a sentence that says why none was sought, empty if they were.
    """

    admission: Pair = Pair()
    audit: Pair = Pair()
    not_sought: str = ""

    @property
    def examples(self) -> list[Example]:
        """All that were found, for each source the one that passes first."""
        found = (each for pair in (self.admission, self.audit) for each in (pair.passing, pair.breaking))
        return [each for each in found if each is not None]


def witnesses(rule: CompiledRule) -> list[Witnesses]:
    """Return the examples of each invariant of a rule, in order."""
    target = find_target(rule)
    if target is None:
        return [Witnesses(not_sought="No write was found that the rule is about.") for _ in rule.invariants]
    budget = Budget(_TRIALS * len(rule.invariants))
    found: list[Witnesses] = []
    for index in range(len(rule.invariants)):
        if budget.is_spent:
            found.append(Witnesses(not_sought="The rule is too large to seek examples of this invariant too."))
        else:
            found.append(_Finder(rule, index, target, budget).find())
    return found


class _Finder:
    """Finds the examples of one invariant."""

    def __init__(self, rule: CompiledRule, index: int, target: Target, budget: Budget) -> None:
        self._rule = rule
        self._index = index
        self._target = target
        self._budget = budget
        self._source = rule.source.spec.invariants[index]
        self._samples = self._source.spec.samples()

    def find(self) -> Witnesses:
        """Return what is found."""
        broken = breaking(self._trial(self._target), self._groups())
        passes = passing(self._trial(self._target), self._groups(), broken)
        return Witnesses(self._pair(self._target, passes, broken), self._audit_pair())

    def _audit_pair(self) -> Pair:
        if self._target.creates or not self._source.spec.judges_patches():
            return Pair()
        target = with_version(self._target)
        broken = breaking_patch(self._trial(target), self._groups())
        passes = broken and passing_patch(self._trial(target), self._groups(), broken)
        return self._pair(target, passes, broken)

    def _trial(self, target: Target) -> Trial:
        return Trial(self._rule, self._index, target, self._budget)

    def _groups(self) -> Iterator[list[Slot]]:
        for samples in self._samples:
            if slots := slots_of(samples, self._source.when):
                yield slots

    def _pair(self, target: Target, passes: Candidate | None, broken: Candidate | None) -> Pair:
        good, bad = self._example(target, passes), self._example(target, broken)
        return Pair(
            good if good and good.passes else None,
            bad if bad and bad.breaks(self._source.name) else None,
        )

    def _example(self, target: Target, candidate: Candidate | None) -> Example | None:
        if candidate is None:
            return None
        self._budget.spend(work_of(self._rule))
        return example(self._rule, target, self._source.name, candidate)
