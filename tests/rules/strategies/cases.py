"""A rule and a write for it to judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from tests.oracle import NO_PATCH, Write

from .groups import leave_traces
from .invariants import Invariant, Invariants, Json, guarded
from .objects import grow_object
from .order import reordered
from .patches import patch
from .tree import Node, tree


@dataclass(frozen=True)
class Case:
    """The `spec` of a rule, as far as the oracle reads it, and a write that touches what it reads."""

    rule: Json
    write: Write
    reads: tuple[str, ...]


@st.composite
def cases(draw: st.DrawFn, *kinds: Invariants) -> Case:
    """Rules with one invariant of each of these strategies."""
    invariants = [draw(guarded(kind)) for kind in kinds]
    rule = {"invariants": [{"name": f"i{at}", **each.spec} for at, each in enumerate(invariants)]}
    reads = [read for invariant in invariants for read in invariant.reads]
    return Case(rule, draw(_writes(invariants, tree(reads))), tuple(path for path, _ in reads))


@st.composite
def reordered_cases(draw: st.DrawFn, *kinds: Invariants) -> tuple[Case, Case]:
    """Two cases that differ in the order of what has no order."""
    case = draw(cases(*kinds))
    write = replace(case.write, patch=NO_PATCH)
    new = reordered(draw, tree((path, st.nothing()) for path in case.reads), write.new)
    return replace(case, write=write), replace(case, write=replace(write, new=new))


@st.composite
def _writes(draw: st.DrawFn, invariants: Sequence[Invariant], reads: Node) -> Write:
    old, new = grow_object(draw, reads)
    for side in (old, new):
        side["apiVersion"] = "g/v1"
    groups = [invariant.spec["coUpdate"] for invariant in invariants if "coUpdate" in invariant.spec]
    for group in groups:
        leave_traces(draw, group, old, new)
    if draw(st.integers(0, 7)) == 7:
        return Write(None, new, "CREATE")
    has_patch = bool(groups) and draw(st.integers(0, 3)) > 0
    return Write(old, new, patch=patch(draw, groups[0]["fields"], old, new) if has_patch else NO_PATCH)
