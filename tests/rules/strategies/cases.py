"""A rule and a write for it to judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.oracle import NO_PATCH, Write

from .groups import leave_traces
from .invariants import Invariant, Invariants, Json, guarded
from .objects import grow_object, tree
from .patches import patch


@dataclass(frozen=True)
class Case:
    """The `spec` of a rule, as far as the oracle reads it, and a write that touches what it reads."""

    rule: Json
    write: Write


@st.composite
def cases(draw: st.DrawFn, *kinds: Invariants) -> Case:
    """Rules with one invariant of each of these strategies."""
    invariants = [draw(guarded(kind)) for kind in kinds]
    rule = {"invariants": [{"name": f"i{at}", **each.spec} for at, each in enumerate(invariants)]}
    return Case(rule, draw(_writes(invariants)))


@st.composite
def _writes(draw: st.DrawFn, invariants: Sequence[Invariant]) -> Write:
    old, new = grow_object(draw, tree(read for invariant in invariants for read in invariant.reads))
    for side in (old, new):
        side["apiVersion"] = "g/v1"
    groups = [invariant.spec["coUpdate"] for invariant in invariants if "coUpdate" in invariant.spec]
    for group in groups:
        leave_traces(draw, group, old, new)
    if draw(st.integers(0, 7)) == 7:
        return Write(None, new, "CREATE")
    body: Any = NO_PATCH
    if groups and draw(st.booleans()):
        body = patch(draw, groups[0]["fields"], old, new)
    return Write(old, new, patch=body)
