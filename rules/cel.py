"""CEL expressions: what an engine must offer, and programs that convert only what they read.

The engine is the extra `cel` (`rules.cel_engine`). The API server has functions that it lacks (quantities, `sum`, `isSorted`,
`authorizer`): an expression that must mean the same there is tried there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, Literal, Protocol, TypeAlias

from rules.cel_reads import Parts, Reads, reads_of
from rules.write import Roots, Write

VARIABLES: Final = ("object", "oldObject", "request", "namespaceObject")
"""The variables of ValidatingAdmissionPolicy that we have; `authorizer` would have to ask the API server."""

MAX_DEPTH: Final = 500
"""Levels of an object that an engine gets to see. Measured: cel-expr-python crashes the process at 10,000."""

ResultType: TypeAlias = Literal["bool", "string"]


class CelSyntaxError(ValueError):
    """An expression that does not compile; `offset` counts characters from its start."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class CelRuntimeError(Exception):
    """An expression that has no value for this write; the message is one line."""


class Engine(Protocol):
    """Compiles an expression to a function of its variables.

    `compile` raises CelSyntaxError; the function raises CelRuntimeError, and returns a value of the type asked for.
    """

    def compile(self, expression: str, result: ResultType) -> Callable[[Mapping[str, Any]], Any]: ...


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled expression, ready to be evaluated."""

    expression: str
    reads: Reads
    _evaluate: Callable[[Mapping[str, Any]], Any]

    def evaluate(self, write: Write) -> Any:
        """Return the expression's value for a write. Raises CelRuntimeError."""
        variables: dict[str, Any] = {
            "object": _pruned(write.new, self.reads.new),
            "oldObject": None if write.creates else _pruned(write.old, self.reads.old),
            "request": None,
            "namespaceObject": None,
        }
        if "request" in self.reads.variables:
            variables["request"] = _converted(write.request.for_cel(), "request")
        if "namespaceObject" in self.reads.variables:
            variables["namespaceObject"] = _namespace(write)
        return self._evaluate(variables)


@lru_cache(maxsize=4_096)
def compile_cel(expression: str, result: ResultType) -> Program:
    """Compile an expression. Raises CelSyntaxError."""
    reads = reads_of(expression)
    if "authorizer" in reads.variables:
        raise CelSyntaxError("authorizer is not available here: it would have to ask the API server")
    return Program(expression, reads, _engine().compile(expression, result))


def _engine() -> Engine:
    try:
        from rules.cel_engine import ENGINE  # noqa: PLC0415  an optional extra, and slow to load
    except ImportError:
        raise CelSyntaxError("CEL needs the extra `cel`: pip install 'statusguard[cel]'") from None
    return ENGINE


def _pruned(roots: Roots, parts: tuple[Parts, ...]) -> dict[str, Any]:
    """Return an object of the parts that are read, converted for the engine."""
    pruned: dict[str, Any] = {}
    for part in parts:
        if not part:
            return {name: _converted(roots[name], name) for name in roots.names() if roots[name] is not None}
        _copy(roots, pruned, part)
    return pruned


def _copy(source: Mapping[str, Any], target: dict[str, Any], part: Parts) -> None:
    """Copy one part, with as much of the way to it as there is: `has()` must find what is there and no more."""
    value: Any = source[part[0]]
    if value is None and isinstance(source, Roots):
        return
    for depth, name in enumerate(part):
        if depth == len(part) - 1:
            target[name] = _converted(value, ".".join(part))
            return
        if type(value) is not dict:
            target[name] = _converted(value, ".".join(part[: depth + 1]))
            return
        target = target.setdefault(name, {})
        if part[depth + 1] not in value:
            return
        value = value[part[depth + 1]]


def _converted(value: Any, where: str) -> Any:
    """Return a value as engines take it: decimals as doubles. Raises CelRuntimeError if it is nested too deeply."""
    return _convert(value, MAX_DEPTH, where)


def _convert(value: Any, depth: int, where: str) -> Any:
    # Loops, not comprehensions: these would take a second frame for each level, and the stack is bounded.
    kind = type(value)
    if kind is dict or kind is list:
        if depth == 0:
            raise CelRuntimeError(f"{where} is nested deeper than {MAX_DEPTH} levels")
        if kind is dict:
            members: dict[str, Any] = {}
            for key, member in value.items():
                members[key] = _convert(member, depth - 1, where)
            return members
        items: list[Any] = []
        for item in value:
            items.append(_convert(item, depth - 1, where))  # noqa: PERF401
        return items
    return float(value) if isinstance(value, Decimal) else value


def _namespace(write: Write) -> dict[str, Any] | None:
    """Return what is known of the object's namespace: its name and, where somebody knows them, its labels."""
    request = write.request
    if not request.namespace:
        return None
    labels = {"kubernetes.io/metadata.name": request.namespace, **(request.namespace_labels or {})}
    return {"metadata": {"name": request.namespace, "labels": labels}}
