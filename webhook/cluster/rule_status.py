"""What the leader says of each rule in its status. Pure: what is known in, the status out.

Our own invariants hold: observedGeneration is never ahead, and lastTransitionTime moves only with the status of its condition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rules.native.prefilter import Prefilter

NOT_ASKED: Final = Prefilter("Off", "the API server does not ask for it")
"""What is said of a rule that has no entry."""

MAX_MESSAGE: Final = 1_024
"""Characters of a condition's message."""


@dataclass(frozen=True, slots=True)
class RuleState:
    """What is known of one rule. `problems` is what is wrong with its document, `remarks` what is not as it says."""

    generation: int
    problems: Sequence[str] = ()
    served: bool = False
    remarks: Sequence[str] = ()
    configured: bool = False
    refusal: str = ""
    prefilter: Prefilter = NOT_ASKED


def status(state: RuleState, before: Mapping[str, Any], now: str) -> dict[str, Any]:
    """Return the status of a rule; `before` is its status so far, `now` the time as RFC 3339."""
    conditions = [_compiled(state), _served(state), _ready(state)]
    known = {each.get("type"): each for each in before.get("conditions") or () if isinstance(each, Mapping)}
    for condition in conditions:
        old = known.get(condition["type"], {})
        same = old.get("status") == condition["status"]
        condition["lastTransitionTime"] = old["lastTransitionTime"] if same and "lastTransitionTime" in old else now
        condition["observedGeneration"] = state.generation
    return {
        "observedGeneration": state.generation,
        "conditions": conditions,
        "prefilter": {"mode": state.prefilter.mode, "reason": state.prefilter.reason[:MAX_MESSAGE]},
    }


def _condition(kind: str, status: str, reason: str, message: str) -> dict[str, Any]:
    shown = message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"
    return {"type": kind, "status": status, "reason": reason, "message": shown}


def _compiled(state: RuleState) -> dict[str, Any]:
    if state.problems:
        return _condition("Compiled", "False", "Invalid", "; ".join(state.problems))
    return _condition("Compiled", "True", "Valid", "the rule is valid")


def _served(state: RuleState) -> dict[str, Any]:
    if not state.served:
        return _condition("Served", "False", "NeverValid", "no version of this rule was valid since the server started")
    if state.problems:
        return _condition("Served", "True", "LastGood", "the last valid version goes on being served until a restart")
    return _condition("Served", "True", "Current", "; ".join(state.remarks) or "this version judges")


def _ready(state: RuleState) -> dict[str, Any]:
    if state.refusal:
        return _condition("Ready", "False", "Refused", f"the API server refuses its entry: {state.refusal}")
    if not state.configured:
        reason = "NotGuarded" if state.served and state.remarks else "NotConfigured"
        return _condition("Ready", "False", reason, "; ".join(state.remarks) or "no configuration names it yet")
    return _condition("Ready", "True", "Configured", "the API server asks for it")
