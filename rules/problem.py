"""What is wrong with a rule, and where.

A `Problem` names a place *inside a document* (a path of keys and indices, as pydantic's `loc`) and, where the place is a
string with a syntax of its own, the offset in that string. `rules.documents` turns it into file, line and column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Location = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake or warning.

    `message` is one line and says what was expected; `offset` counts characters from the start of the string at `location`;
    `code` is the stable short name by which a person finds the problem in the documentation.
    """

    location: Location
    message: str
    code: str
    severity: Literal["error", "warning"] = "error"
    offset: int | None = None


class InvalidRuleError(Exception):
    """A document that is no usable rule; `problems` has at least one error."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = problems


def words(problem: Problem) -> str:
    """Return a problem with its field, as it is said in a condition and at `kubectl apply`."""
    column = "" if problem.offset is None else f" (character {problem.offset + 1})"
    return f"{field(problem.location)}{column}: {problem.message}"


def field(location: Location) -> str:
    """Return a location as Kubernetes writes fields: `spec.invariants[0].monotonic`."""
    written = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return written.removeprefix(".") or "the object"
