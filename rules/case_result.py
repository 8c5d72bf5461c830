"""What came of a case, compared with what was expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.suite import Case, Expectation, ExpectedViolation


@dataclass(frozen=True, slots=True)
class Broken:
    """A violation as suites name it."""

    rule: str
    invariant: str
    field: str

    def __str__(self) -> str:
        return f"{{rule: {self.rule}, invariant: {self.invariant}, field: {self.field!r}}}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case's write. `error` is why a rule could not judge it."""

    allowed: bool
    code: int | None
    warnings: int
    violations: tuple[Broken, ...]
    error: str | None = None


def differences(case: Case, outcome: Outcome) -> list[str]:
    """Return what is not as expected, one readable line each; none if the case passes."""
    found: list[str] = [f"could not be judged: {outcome.error}"] if outcome.error else []
    expected = case.expect
    found += _scalar("allowed", expected.allowed, outcome.allowed)
    found += _scalar("code", expected.code, outcome.code)
    found += _scalar("warnings", expected.warnings, outcome.warnings)
    return found + _violations(expected, outcome.violations)


def _scalar(name: str, expected: object, found: object) -> list[str]:
    if expected is None or expected == found:
        return []
    return [f"{name}: expected {_word(expected)}, got {_word(found)}"]


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)


def _violations(expected: Expectation, found: Sequence[Broken]) -> list[str]:
    if expected.violations is None:
        return []
    left = list(found)
    missing: list[ExpectedViolation] = []
    # Entries with a field fit one violation only, so they choose first.
    for entry in sorted(expected.violations, key=lambda entry: entry.field is None):
        match = next((each for each in left if _fits(entry, each)), None)
        if match is None:
            missing.append(entry)
        else:
            left.remove(match)
    return [f"missing violation: {_entry(entry)}" for entry in missing] + [
        f"unexpected violation: {each}" for each in left
    ]


def _fits(entry: ExpectedViolation, found: Broken) -> bool:
    return (entry.rule, entry.invariant) == (found.rule, found.invariant) and entry.field in {None, found.field}


def _entry(entry: ExpectedViolation) -> str:
    field = "any field" if entry.field is None else f"field: {entry.field!r}"
    return f"{{rule: {entry.rule}, invariant: {entry.invariant}, {field}}}"
