"""The syntax tree of a CEL expression, as the standard (`cel.expr.Expr`) has it: macros are loops by now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal; the value is kept of text only."""

    text: str | bytes | None = None


@dataclass(frozen=True, slots=True)
class Name:
    """A variable or the name of a type; with a `.` before it where a macro's variable hides the one that is meant."""

    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """`operand.field`, also inside `has()`."""

    operand: Node
    field: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an operator (`_==_`), the receiver as its first argument; `offset` is its place in the expression."""

    function: str
    arguments: tuple[Node, ...]
    offset: int | None


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[a, b]`."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class MapOf:
    """`{a: b}`, or a message where `message` is the name of its type: then the values alone are here."""

    items: tuple[Node, ...]
    message: str
    offset: int | None


@dataclass(frozen=True, slots=True)
class Loop:
    """What a macro becomes: `variable` is each item of `source` in turn, `accumulator` goes from `initial` to `result`.

    `condition` and `step` see both, `result` sees the accumulator. Over an empty list it only names a value (`optMap`).
    """

    variable: str
    source: Node
    accumulator: str
    initial: Node
    condition: Node
    step: Node
    result: Node


Node: TypeAlias = Literal | Name | Select | Call | ListOf | MapOf | Loop


def parts_of(node: Node) -> tuple[Node, ...]:
    """Return the nodes right below one."""
    match node:
        case Select():
            return (node.operand,)
        case Call():
            return node.arguments
        case ListOf() | MapOf():
            return node.items
        case Loop():
            return (node.source, node.initial, node.condition, node.step, node.result)
        case Literal() | Name():
            return ()
