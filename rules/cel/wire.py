"""Reads the syntax tree out of a compiled expression, which cel-expr-python gives as a protocol buffer.

The message is `cel.expr.CheckedExpr` (checked.proto and syntax.proto of the CEL specification), a stable format that is meant
for keeping expressions. Few of its fields are needed, so they are read here without its descriptors.
"""

from __future__ import annotations

from typing import Final

from rules.cel.tree import Call, ListOf, Literal, Loop, MapOf, Name, Node, Select

_VARINT: Final = 0
_FIXED: Final = {1: 8, 5: 4}
"""Bytes of the wire types that have a fixed length."""


def tree_of(serialized: bytes) -> Node:
    """Return the tree of an expression that was compiled and serialized."""
    checked = _Message(_Message(serialized).bytes(2))  # in a google.protobuf.Any
    positions = map(_Message, _Message(checked.bytes(5)).all(4))
    return _Reader({entry.integer(1): entry.integer(2) for entry in positions}).node(checked.bytes(4))


class _Message:
    """A protocol buffer: fields by their number, each read as the type that it is known to have."""

    __slots__ = ("_bodies", "_integers")

    def __init__(self, encoded: bytes) -> None:
        self._integers: dict[int, int] = {}
        self._bodies: dict[int, list[bytes]] = {}
        at = 0
        while at < len(encoded):
            key, at = _varint(encoded, at)
            length = _FIXED.get(key & 7)
            if length is None:
                length, at = _varint(encoded, at)
                if key & 7 == _VARINT:
                    self._integers[key >> 3] = length
                    continue
            self._bodies.setdefault(key >> 3, []).append(encoded[at : at + length])
            at += length

    def integer(self, number: int) -> int:
        """Return an integer, 0 if the field is not there."""
        return self._integers.get(number, 0)

    def all(self, number: int) -> list[bytes]:
        """Return every string or message of a repeated field, still encoded."""
        return self._bodies.get(number, [])

    def bytes(self, number: int) -> bytes:
        """Return a string or a message, still encoded, empty if the field is not there."""
        return self._bodies[number][0] if number in self._bodies else b""

    def text(self, number: int) -> str:
        """Return a string."""
        return self.bytes(number).decode()

    def has(self, number: int) -> bool:
        """Tell whether a string or a message is there."""
        return number in self._bodies


def _varint(encoded: bytes, at: int) -> tuple[int, int]:
    """Return an integer, of seven bits a byte, and where it ends."""
    value = shift = 0
    while encoded[at] >= 0x80:
        value |= (encoded[at] & 0x7F) << shift
        shift += 7
        at += 1
    return value | encoded[at] << shift, at + 1


class _Reader:
    """Makes nodes of messages of the type Expr; `positions` are offsets in the expression by the ids of nodes."""

    __slots__ = ("_positions",)

    def __init__(self, positions: dict[int, int]) -> None:
        self._positions = positions

    def node(self, encoded: bytes) -> Node:
        """Return the node of an Expr."""
        expr = _Message(encoded)
        offset = self._positions.get(expr.integer(2))
        if expr.has(4):
            return Name(_Message(expr.bytes(4)).text(1))
        if expr.has(5):
            select = _Message(expr.bytes(5))
            return Select(self.node(select.bytes(1)), select.text(2))
        if expr.has(6):
            return self._call(_Message(expr.bytes(6)), offset)
        if expr.has(7):
            return ListOf(self._nodes(_Message(expr.bytes(7)).all(1)))
        if expr.has(8):
            return self._map(_Message(expr.bytes(8)), offset)
        if expr.has(9):
            return self._loop(_Message(expr.bytes(9)))
        return _literal(_Message(expr.bytes(3)))

    def _nodes(self, encoded: list[bytes]) -> tuple[Node, ...]:
        return tuple(map(self.node, encoded))

    def _call(self, call: _Message, offset: int | None) -> Node:
        return Call(call.text(2), self._nodes([*call.all(1), *call.all(3)]), offset)

    def _map(self, struct: _Message, offset: int | None) -> Node:
        entries = map(_Message, struct.all(2))
        items = [part for entry in entries for part in (*entry.all(3), *entry.all(4))]
        return MapOf(self._nodes(items), struct.text(1), offset)

    def _loop(self, loop: _Message) -> Node:
        source, initial, condition, step, result = (self.node(loop.bytes(number)) for number in (2, 4, 5, 6, 7))
        return Loop(loop.text(1), source, loop.text(3), initial, condition, step, result)


def _literal(constant: _Message) -> Node:
    if constant.has(6):
        return Literal(constant.text(6))
    return Literal(constant.bytes(7)) if constant.has(7) else Literal()
