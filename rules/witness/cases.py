"""Candidates written as cases of a suite, and judged once more as the suite will judge them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from rules.case_write import write_of
from rules.compile import CompiledRule
from rules.ruleset import RuleSet, judge
from rules.samples import Derived
from rules.suite import Case
from rules.values import MISSING, equal, text
from rules.violation import RuleVerdict
from rules.witness.candidates import Candidate
from rules.witness.target import Target
from rules.write import Write

_MAX_CHANGES: Final = 2
"""Changes that the name of a case tells of."""

_MAX_VALUE: Final = 40
"""Characters of a value in the name of a case."""


@dataclass(frozen=True, slots=True)
class Example:
    """A write that shows what an invariant does: as a case of a suite, without what is expected, and what came of it."""

    case: dict[str, Any]
    write: Write
    verdict: RuleVerdict

    @property
    def passes(self) -> bool:
        """Whether the write breaks nothing."""
        return not self.verdict.violations

    def breaks(self, invariant: str) -> bool:
        """Whether the write breaks an invariant."""
        return any(violation.invariant == invariant for violation in self.verdict.violations)


def example(rule: CompiledRule, target: Target, invariant: str, candidate: Candidate) -> Example | None:
    """Return a candidate as an example; None if the rule has no verdict on the case as it is written."""
    case = _case(target, candidate)
    write = write_of(Case.model_validate({"name": invariant, **case, "expect": {}}))
    verdicts = judge(RuleSet([rule]).concerned(write.request), write)
    if not verdicts or verdicts[0].error is not None or verdicts[0].exempt:
        return None
    found = Example(case, write, verdicts[0])
    source = "" if candidate.body is MISSING else " (audit log)"
    name = f"{invariant} {'is broken' if found.breaks(invariant) else 'holds'} as {_told(candidate)}{source}"
    return replace(found, case={"name": name, **case})


def _case(target: Target, candidate: Candidate) -> dict[str, Any]:
    old, new = candidate.sides(target.bare)
    request = {"request": target.request} if target.request else {}
    if target.creates:
        return {"object": new, **request}
    if candidate.body is not MISSING:
        return {"source": "audit", "old": old, "patch": candidate.body, **request}
    return {"old": old, "patch": difference(old, new), **request}


def difference(old: Any, new: Any) -> dict[str, Any]:
    """Return the JSON merge patch (RFC 7396) that makes one object of another; members that are null count as absent."""
    patch: dict[str, Any] = {}
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if type(before) is dict and type(after) is dict:
            if below := difference(before, after):
                patch[name] = below
        elif not equal(before, after):
            patch[name] = after
    return patch


def _told(candidate: Candidate) -> str:
    """Return in words what a candidate changes."""
    told = [_change(candidate.slots[at].field, candidate.before[at], value) for at, value in candidate.changes.items()]
    more = ["others change"] if len(told) > _MAX_CHANGES else []
    return " and ".join([*told[:_MAX_CHANGES], *more])


def _change(field: str, before: Any, after: Any) -> str:
    if any(isinstance(value, dict | list | Derived) for value in (before, after)):
        return f"{field} changes"
    if before is None:
        return f"{field} is set to {_shown(after)}"
    return f"{field} disappears" if after is None else f"{field} goes from {_shown(before)} to {_shown(after)}"


def _shown(value: Any) -> str:
    words = text(value) or '""'
    return words if len(words) <= _MAX_VALUE else f"{words[: _MAX_VALUE - 1]}…"
