"""What `rules.cel.program` and an engine agree on: the variables, the errors, and what compiling gives.

The engine is the extra `cel` (`rules.cel.engine`); nothing else here knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeAlias

from rules.cel.tree import Node

VARIABLES: Final = ("object", "oldObject", "request", "namespaceObject")
"""The variables of ValidatingAdmissionPolicy that we have; `authorizer` would have to ask the API server."""

ResultType: TypeAlias = Literal["bool", "string"]

Variables: TypeAlias = Mapping[str, Any]


class CelSyntaxError(ValueError):
    """An expression that cannot be used; `offset` counts characters from its start."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class CelRuntimeError(Exception):
    """An expression that has no value for this write; the message is one line, with no value of an object in it."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression that an engine has compiled.

    `evaluate` raises CelRuntimeError, and returns a value of the type asked for.
    """

    tree: Node
    evaluate: Callable[[Variables], Any]


class Engine(Protocol):
    """Compiles expressions."""

    def compile(self, expression: str, result: ResultType) -> Compiled:
        """Return a compiled expression. Raises CelSyntaxError."""
