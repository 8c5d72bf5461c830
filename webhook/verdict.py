"""Violations and actions become a verdict: whether the write passes, with which code, and what is said about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from rules.api import Action
from rules.check import present
from rules.violation import RuleVerdict, Violation
from rules.write import UndecodableError, Write

CodeAndReason: TypeAlias = tuple[int, str]

CONFLICT: Final[CodeAndReason] = (409, "Conflict")
"""Your base was stale, read again: what every client retries by itself. Only where waiting for the cache cures."""

INVALID: Final[CodeAndReason] = (422, "Invalid")
"""What retrying at once does not cure. Measured: a 409 makes kubectl and evictions retry hot, 20 calls in 10 s."""

INTERNAL_ERROR: Final[CodeAndReason] = (500, "InternalError")


@dataclass(frozen=True, slots=True)
class Judged:
    """A violation with what is done about it: the rule's action, softened to Audit while the object is being deleted."""

    violation: Violation
    action: Action


@dataclass(frozen=True, slots=True)
class RuleError:
    """A rule that could not judge, and whether its failurePolicy refuses the write for it."""

    rule: str
    message: str
    refuses: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a write, and why. `code_and_reason` is None where it passes."""

    judged: tuple[Judged, ...] = ()
    errors: tuple[RuleError, ...] = ()
    code_and_reason: CodeAndReason | None = None

    @property
    def allowed(self) -> bool:
        """Whether the write passes."""
        return self.code_and_reason is None

    @property
    def denied(self) -> tuple[Violation, ...]:
        """The violations for which the write is refused."""
        return tuple(judged.violation for judged in self.judged if judged.action == "Deny")

    def warned_rules(self) -> dict[str, list[Violation]]:
        """Return the violations of each rule that warns: one warning is given for each."""
        rules: dict[str, list[Violation]] = {}
        for judged in self.judged:
            if judged.action == "Warn":
                rules.setdefault(judged.violation.rule, []).append(judged.violation)
        return rules

    @property
    def warnings(self) -> int:
        """How many warnings the writer gets: one for each rule that warns, or that could not judge and lets the write pass."""
        return len(self.warned_rules()) + sum(not error.refuses for error in self.errors)


def decide(rule_verdicts: Sequence[RuleVerdict], write: Write) -> Verdict:
    """Return the verdict on a write that the rules have judged."""
    if not any(verdict.violations or verdict.error for verdict in rule_verdicts):
        return Verdict()
    deleting = is_being_deleted(write)
    judged: list[Judged] = []
    errors: list[RuleError] = []
    codes: list[CodeAndReason] = []
    for verdict in rule_verdicts:
        spec = verdict.rule.source.spec
        action: Action = "Audit" if deleting and not spec.enforce_while_deleting else spec.action
        judged += [Judged(violation, action) for violation in verdict.violations]
        if verdict.error is not None:
            errors.append(RuleError(verdict.rule.title, verdict.error, spec.failure_policy == "Fail"))
        if verdict.violations and action == "Deny":
            own = spec.denial.pair() if spec.denial else None
            codes += [own] if own else [default_code(violation, write) for violation in verdict.violations]
    return Verdict(tuple(judged), tuple(errors), _combined(codes, errors))


def default_code(violation: Violation, write: Write) -> CodeAndReason:
    """Return the code of one violation whose rule does not say its own."""
    is_status = write.request.resource.subresource == "status"
    return CONFLICT if is_status and violation.cured_by_waiting else INVALID


def _combined(codes: Sequence[CodeAndReason], errors: Sequence[RuleError]) -> CodeAndReason | None:
    # A retry cures nothing as long as one thing is broken that it does not cure: 409 only if everything says so.
    lasting = [code for code in codes if code != CONFLICT]
    if lasting:
        return lasting[0]
    if codes:
        return CONFLICT
    return INTERNAL_ERROR if any(error.refuses for error in errors) else None


def is_being_deleted(write: Write) -> bool:
    """Tell whether the object is being deleted. A deletion once begun does not end, so either side tells."""
    return any(_has_deletion_timestamp(write, side) for side in ("new", "old"))


def _has_deletion_timestamp(write: Write, side: str) -> bool:
    try:
        metadata = (write.new if side == "new" else write.old)["metadata"]
    except UndecodableError:
        return False
    return type(metadata) is dict and present(metadata.get("deletionTimestamp")) is not None
