"""How large a value is for CEL: what bounds the time and the memory that an expression can take over it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from rules.cel.language import CelRuntimeError

MAX_DEPTH: Final = 500
"""Levels of an object that an engine gets to see. Measured: cel-expr-python crashes the process at 10,000."""

VALUE: Final = 300
"""What a value weighs beside its characters, one each, in nanoseconds.

Measured: two equal values are compared in 60 ns (numbers in lists) to 260 ns (entries of maps), 0.5 ns a character.
"""

CONVERSION: Final = 4
"""How often its weight, in nanoseconds, a value costs to be converted. Measured: 400 to 1,000 ns, 2 ns a character."""

MAX_WEIGHT: Final = 50_000_000
"""The weight at which converting stops: 0.2 s are gone then. An object of 1.5 MB, etcd's bound, weighs 5 to 40 million."""

_MAX_INTEGER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Size:
    """Bounds of a value: none of them is ever exceeded, each may be more than there is.

    `weight` is that of the value and all in it, `longest` the members of the longest list or map in it, `item` the weight of
    the heaviest item of a list in it, `text` the bytes of the longest string in it.
    """

    weight: float = VALUE
    longest: float = 0
    item: float = 0
    text: float = 0

    @property
    def members(self) -> float:
        """How many members it has itself, if it is a list or a map."""
        return min(self.longest, self.weight / VALUE)

    def within(self, other: Size) -> bool:
        """Tell whether another size is no smaller in anything."""
        return (
            self.weight <= other.weight
            and self.longest <= other.longest
            and self.item <= other.item
            and self.text <= other.text
        )

    def or_else(self, other: Size) -> Size:
        """Return the size of what is one value or another."""
        return Size(
            max(self.weight, other.weight),
            max(self.longest, other.longest),
            max(self.item, other.item),
            max(self.text, other.text),
        )


class Conversion:
    """Converts the parts of one object for an engine, decimals as doubles, and measures them.

    `convert` raises CelRuntimeError for what an engine cannot take; `where` says in the message what was converted.
    """

    __slots__ = ("_item", "_longest", "_text", "_weight", "_where")

    def __init__(self, where: str) -> None:
        self._where = where
        self._weight = self._longest = self._item = self._text = 0

    @property
    def size(self) -> Size:
        """The size of all that was converted."""
        return Size(self._weight + VALUE, self._longest, self._item, self._text)

    def convert(self, value: Any, depth: int = MAX_DEPTH) -> Any:
        """Return a value as engines take it."""
        # One function and loops, no comprehensions: a level of the value takes one frame, and the stack is bounded.
        kind = type(value)
        if kind is str:
            length = len(value) if value.isascii() else _bytes(value)
            self._weight += VALUE + length
            if length > self._text:
                self._text = length
            return value
        self._weight += VALUE
        if kind is dict:
            self._enter(len(value), depth)
            self._measure_keys(value)
            members: dict[str, Any] = {}
            for key, member in value.items():
                members[key] = self.convert(member, depth - 1)
            return members
        if kind is list:
            self._enter(len(value), depth)
            items: list[Any] = []
            for item in value:
                before = self._weight
                items.append(self.convert(item, depth - 1))
                if self._weight - before > self._item:
                    self._item = self._weight - before
            return items
        if kind is int and not -_MAX_INTEGER - 1 <= value <= _MAX_INTEGER:
            raise CelRuntimeError(f"{self._where} holds an integer of more than 64 bits")
        return float(value) if isinstance(value, Decimal) else value

    def _enter(self, members: int, depth: int) -> None:
        if depth == 0:
            raise CelRuntimeError(f"{self._where} is nested deeper than {MAX_DEPTH} levels")
        if self._weight > MAX_WEIGHT:
            raise CelRuntimeError(f"{self._where} is too large for CEL")
        if members > self._longest:
            self._longest = members

    def _measure_keys(self, members: dict[str, Any]) -> None:
        if not members:
            return
        together = "".join(members)
        self._weight += VALUE * len(members) + (len(together) if together.isascii() else _bytes(together))
        longest = max(map(len if together.isascii() else _bytes, members))
        if longest > self._text:
            self._text = longest


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
