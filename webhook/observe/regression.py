"""How far a status went back: the lag of a stale cache, in generations."""

from __future__ import annotations

from typing import Final

from rules.invariants.observed_generation import ObservedGeneration
from rules.values import number
from rules.violation import Violation

FARTHEST: Final = 10**9
"""Generations beyond which nothing is measured: a value that was never one."""


def generations_back(violation: Violation) -> float | None:
    """Return by how many generations an observedGeneration went back; None if that is not what happened."""
    if violation.kind != ObservedGeneration.name:
        return None
    old, new = number(violation.finding.old), number(violation.finding.new)
    if old is None or not new or new >= old:
        return None
    return float(min(old - new, FARTHEST))
