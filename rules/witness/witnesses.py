"""The examples of a rule: for each invariant writes that pass and writes that break it."""

from __future__ import annotations

from dataclasses import dataclass

from rules.compile import CompiledRule
from rules.witness.audited import breaking_patch, passing_patch, with_version
from rules.witness.candidates import Candidate
from rules.witness.cases import Example, example
from rules.witness.search import breaking, passing
from rules.witness.slots import Slot, slots_of
from rules.witness.target import Target, find_target
from rules.witness.trial import Trial


@dataclass(frozen=True, slots=True)
class Pair:
    """A write that passes and one that breaks an invariant; None where none was found."""

    passing: Example | None = None
    breaking: Example | None = None


@dataclass(frozen=True, slots=True)
class Witnesses:
    """The examples of one invariant: at admission, and where its kind judges patches as an audit log has them."""

    admission: Pair
    audit: Pair

    @property
    def examples(self) -> list[Example]:
        """All that were found, for each source the one that passes first."""
        found = (each for pair in (self.admission, self.audit) for each in (pair.passing, pair.breaking))
        return [each for each in found if each is not None]


def witnesses(rule: CompiledRule) -> list[Witnesses]:
    """Return the examples of each invariant of a rule, in order."""
    target = find_target(rule)
    if target is None:
        return [Witnesses(Pair(), Pair()) for _ in rule.invariants]
    return [_witnesses(rule, index, target) for index in range(len(rule.invariants))]


def _witnesses(rule: CompiledRule, index: int, target: Target) -> Witnesses:
    invariant = rule.source.spec.invariants[index]
    groups = [slots for samples in invariant.spec.samples() if (slots := slots_of(samples, invariant.when))]
    audit = _audit_pair(rule, index, target, groups) if invariant.spec.judges_patches() else Pair()
    broken = breaking(Trial(rule, index, target), groups)
    passes = passing(Trial(rule, index, target), groups, broken)
    return Witnesses(
        Pair(_passing(rule, target, invariant.name, passes), _breaking(rule, target, invariant.name, broken)), audit
    )


def _audit_pair(rule: CompiledRule, index: int, target: Target, groups: list[list[Slot]]) -> Pair:
    if target.creates:
        return Pair()
    target = with_version(target)
    name = rule.invariants[index].name
    broken = breaking_patch(Trial(rule, index, target), groups)
    if broken is None:
        return Pair()
    passes = passing_patch(Trial(rule, index, target), groups, broken)
    return Pair(_passing(rule, target, name, passes), _breaking(rule, target, name, broken))


def _passing(rule: CompiledRule, target: Target, invariant: str, candidate: Candidate | None) -> Example | None:
    found = None if candidate is None else example(rule, target, invariant, candidate)
    return found if found is not None and found.passes else None


def _breaking(rule: CompiledRule, target: Target, invariant: str, candidate: Candidate | None) -> Example | None:
    found = None if candidate is None else example(rule, target, invariant, candidate)
    return found if found is not None and found.breaks(invariant) else None
