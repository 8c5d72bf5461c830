"""Problems with their place in a file: what every command prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.documents import Document, DocumentError
from rules.places import Place
from rules.problem import Location, Problem


@dataclass(frozen=True, slots=True, order=True)
class LocatedProblem:
    """A mistake or a warning at a place; `str()` is the line that a person and an editor read."""

    place: Place
    message: str
    code: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}: {self.message} [{self.code}]"


def locate(problem: Problem, document: Document, below: Location = ()) -> LocatedProblem:
    """Return a problem with its place; `below` is where in the document the rule starts that has the problem."""
    location = (*below, *problem.location)
    place = document.place(location, problem.offset, of_key=problem.code == "unknown-field")
    return LocatedProblem(place, problem.message, problem.code, problem.severity)


def unreadable(error: DocumentError) -> LocatedProblem:
    """Return the problem that a file cannot be parsed."""
    return LocatedProblem(error.place, error.message, "syntax")
