"""What the evaluator says of a write: the violations, and what kept it from judging."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.check import Finding

if TYPE_CHECKING:
    from rules.api import Action
    from rules.compile import CompiledRule


@dataclass(frozen=True, slots=True)
class Violation:
    """One failed check of one invariant of one rule. Every sink gets the same.

    `guard` says in words when the invariant holds, `message` is what the rule's author has to say, and `action` is the rule's,
    before the verdict softens it for an object that is being deleted.
    """

    rule: str
    invariant: str
    kind: str
    finding: Finding
    action: Action
    guard: str
    message: str
    cured_by_waiting: bool
    guard_reads: tuple[str, ...] = ()

    @property
    def field(self) -> str:
        """The concrete field that is broken."""
        return self.finding.field


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What one rule says of one write.

    `error` is why the rule could not judge, in one line; `defect` is the exception where that is our own fault,
    and `unreadable` says that it was the object.
    """

    rule: CompiledRule
    violations: tuple[Violation, ...] = ()
    error: str | None = None
    type_mismatches: int = 0
    exempt: bool = False
    defect: Exception | None = None
    unreadable: bool = False
