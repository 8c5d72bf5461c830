"""Trials: the honest writes of a suite, spoilt in every way, judged by each part of an invariant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rules.case_write import write_of
from rules.compile import CompiledRule
from rules.invariants.conditions import Conditions
from rules.mutation.claims import Claim, Why, claims
from rules.mutation.mutants import Mutation, claims_of, mutants, spoilt_conditions
from rules.ruleset import RuleSet, judge
from rules.suite import Case
from rules.values import MISSING
from rules.write import Roots, Write


@dataclass(frozen=True, slots=True)
class Row:
    """An invariant of a rule under every mutation.

    `honest` counts the honest writes that the rule concerns. `holes` are the parts that do not notice what they must, by
    mutation; `whys` say why a mutation that no part notices need not be noticed.
    """

    rule: str
    invariant: str
    kind: str
    honest: int
    raised: frozenset[Mutation]
    whys: dict[Mutation, Why]
    holes: dict[Mutation, tuple[str, ...]]


def honest_writes(cases: Iterable[Case]) -> list[Write]:
    """Return the writes of a suite's cases that break nothing, as they are seen at admission."""
    silent = (case for case in cases if case.expect.violations == [])
    return [replace(write_of(case), patch=MISSING) for case in silent]


def rows(rule: CompiledRule, honest: Iterable[Write]) -> Iterator[Row]:
    """Yield a row for each invariant of a rule."""
    known = RuleSet([rule])
    writes = [write for write in honest if known.concerned(write.request)]
    starts = [*writes, *filter(lambda write: known.concerned(write.request), map(_standing, writes))]
    for index in range(len(rule.invariants)):
        yield _row(rule, index, len(writes), starts)


def _standing(write: Write) -> Write:
    """Return the write that changes nothing of what an honest write left: what is spoilt in it stands alone."""
    request = replace(write.request, operation="UPDATE")
    return replace(write, request=request, old=Roots(write.new), memo={})


def _row(rule: CompiledRule, index: int, honest: int, starts: Sequence[Write]) -> Row:
    noticed = [(claim, frozenset(_noticed(claim, starts))) for claim in claims(rule, index)]
    invariant = rule.invariants[index]
    holes: dict[Mutation, tuple[str, ...]] = {}
    whys: dict[Mutation, Why] = {}
    raised = frozenset(mutation for _, found in noticed for mutation in found)
    for mutation in Mutation:
        missed = [claim.title for claim, found in noticed if claim.verdicts[mutation] is None and mutation not in found]
        missed += [
            claim.title for claim, found in noticed if claim.any_will_do and mutation is Mutation.CHANGED and not found
        ]
        if missed:
            holes[mutation] = tuple(missed)
        reasons = [claim.verdicts[mutation] for claim, _ in noticed]
        if mutation not in raised and None not in reasons:
            whys[mutation] = next(reason for reason in reasons if reason is not None)
    return Row(rule.title, invariant.name, invariant.kind, honest, raised, whys, holes)


def _noticed(claim: Claim, starts: Sequence[Write]) -> Iterator[Mutation]:
    found: set[Mutation] = set()
    for start in starts:
        for mutation, spoilt in _spoilt(claim, dict(start.new)):
            if mutation not in found and _is_raised(claim, start, spoilt):
                found.add(mutation)
                yield mutation


def _spoilt(claim: Claim, new: dict[str, Any]) -> Iterator[tuple[Mutation, Any]]:
    for path in dict.fromkeys(claim.paths):
        if isinstance(claim.spec, Conditions):
            yield from spoilt_conditions(new, path)
        else:
            yield from mutants(new, path, claim.states(path), counts=claim.counts)
    if claim.when:
        yield from ((Mutation.CLAIMED, claimed) for claimed in claims_of(new, claim.when))


def _is_raised(claim: Claim, start: Write, spoilt: Any) -> bool:
    write = replace(start, new=Roots(spoilt), memo={})
    verdicts = judge([claim.rule], write)
    return any(verdict.violations for verdict in verdicts)
