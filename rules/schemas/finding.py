"""What a schema says against a path of a rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from rules.problem import Location

Severity: TypeAlias = Literal["error", "warning"]

_MAX_LISTED: Final = 256
"""Characters of a list in a message; nobody reads more."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake in a use of a path; the same one in several resources is told once.

    Between `what` ("status has no field x") and `rest` (", did you mean y?") the message names the resources. `location` and
    `offset` are as in `Problem`.
    """

    location: Location
    offset: int | None
    code: str
    what: str
    rest: str
    severity: Severity = "error"


def listed(names: Iterable[str]) -> str:
    """Return the words that one of some names was expected, or nothing if these are too many."""
    known = ", ".join(sorted(names))
    return f", expected one of {known}" if 0 < len(known) <= _MAX_LISTED else ""
