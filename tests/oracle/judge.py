"""The evaluator: which invariants a write is judged by, and the function of each kind."""

from __future__ import annotations

from typing import Any

from .conditions import conditions
from .fields import frozen, monotonic, observed_generation, preserved, transitions, write_once
from .groups import co_update
from .predicates import holds, reads_change, require
from .relations import relation
from .write import Broken, Write

KINDS = {
    "observedGeneration": observed_generation,
    "coUpdate": co_update,
    "relation": relation,
    "monotonic": monotonic,
    "writeOnce": write_once,
    "preserved": preserved,
    "transitions": transitions,
    "conditions": conditions,
    "frozen": frozen,
    "require": require,
}


def judge(rule: dict[str, Any], write: Write) -> list[Broken]:
    """`rule` is a valid `spec`; only its `invariants` are judged, all kinds but `cel`."""
    broken = []
    for invariant in rule["invariants"]:
        predicates: list[dict[str, Any]] = invariant.get("when") or []
        if not all(holds(predicate, write) for predicate in predicates):
            continue  # '`when`: predicates, all must hold'
        when_changed = any(reads_change(predicate, write) for predicate in predicates)
        for kind, function in KINDS.items():  # 'exactly one of these per entry'
            if invariant.get(kind) is not None:
                fields = function(invariant[kind], write, when_changed=when_changed)
                broken += [Broken(invariant["name"], field) for field in fields]
    return broken
