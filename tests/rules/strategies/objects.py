"""Objects, each before and after a write, grown from the paths that a rule reads.

At every level either side may lack what the path needs, hold null there, or something of another type.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from tests.oracle.paths import EveryItem, EveryValue, Keyed, Name, Select, Step, parse

from .values import JUNK, WORDS, Values

Reads: TypeAlias = Iterable[tuple[str, Values]]
"""Paths, and what values the fields have."""


class _Absent(Enum):
    ABSENT = "ABSENT"


ABSENT: Final = _Absent.ABSENT
Sides: TypeAlias = tuple[Any, Any]
"""A value before and after the write."""

_FATES: Final = st.sampled_from(["kept"] * 14 + ["dropped", "added", "nulled", "was null", "turned junk", "was junk"])
_PLACES: Final = st.sampled_from(["both", "both", "both", "old", "new", "twice", "junk"])
_KEYS: Final = ["Ready", "a b", "x", "", "3", 3, Decimal("3.0"), True, {"n": 1}, {"n": 1, "m": None}, None]
_MAP_KEYS: Final = st.lists(st.sampled_from(["a", "b", "a.b", "", "é", "x y"]), unique=True, max_size=3)


@dataclass
class Node:
    """What the paths say of one place: the values it has where a path ends, and the steps that lead on."""

    leaf: Values | None = None
    below: dict[Step, Node] = field(default_factory=dict)

    def add(self, written: str, values: Values) -> None:
        node = self
        for step in parse(written):
            node = node.below.setdefault(step, Node())
        node.leaf = _either(node.leaf, values)

    @property
    def names(self) -> dict[str, Node]:
        return {step.key: node for step, node in self.below.items() if isinstance(step, Name)}

    @property
    def items(self) -> list[Step]:
        return [step for step in self.below if isinstance(step, Select | Keyed | EveryItem)]


def tree(reads: Reads) -> Node:
    root = Node()
    for written, values in reads:
        root.add(written, values)
    return root


def _either(left: Values | None, right: Values | None) -> Values | None:
    if left is None or right is None or left is right:
        return right if left is None else left
    return left | right


def _merged(nodes: Iterable[Node]) -> Node:
    merged = Node()
    for node in nodes:
        merged.leaf = _either(merged.leaf, node.leaf)
        for step, below in node.below.items():
            merged.below[step] = _merged([merged.below[step], below]) if step in merged.below else below
    return merged


def grow(draw: st.DrawFn, node: Node) -> Sides:
    """Draw what is at a place before and after the write."""
    old, new = _grow_honestly(draw, node)
    match draw(_FATES):
        case "dropped":
            return old, ABSENT
        case "added":
            return ABSENT, new
        case "nulled":
            return old, None
        case "was null":
            return None, new
        case "turned junk":
            return old, draw(JUNK)
        case "was junk":
            return draw(JUNK), new
    return old, new


def _grow_honestly(draw: st.DrawFn, node: Node) -> Sides:
    if node.items and (not node.names or draw(st.booleans())):
        return _grow_list(draw, node)
    if node.below:
        return grow_object(draw, node)
    values = WORDS if node.leaf is None else node.leaf
    old = draw(values)
    return old, old if draw(st.booleans()) else draw(values)


def grow_object(draw: st.DrawFn, node: Node) -> Sides:
    members = dict(node.names)
    if EveryValue() in node.below:
        every = node.below[EveryValue()]
        members |= {key: _merged([every, *filter(None, [members.get(key)])]) for key in draw(_MAP_KEYS)}
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for name, below in members.items():
        before, after = grow(draw, below)
        old |= {} if before is ABSENT else {name: before}
        new |= {} if after is ABSENT else {name: after}
    return old, dict(reversed(new.items())) if draw(st.booleans()) else new


def _grow_list(draw: st.DrawFn, node: Node) -> Sides:
    item = _merged(node.below[step] for step in node.items)
    keys = _keys(node.items)
    old: list[Any] = []
    new: list[Any] = []
    for _ in range(draw(st.integers(0, 3))):
        before, after = _grow_item(draw, item, keys)
        place = draw(_PLACES)
        old += [before] if place != "new" else []
        new += [draw(JUNK)] if place == "junk" else [after] if place != "old" else []
        new += [draw(st.sampled_from([before, after]))] if place == "twice" else []
    if draw(st.integers(0, 3)) == 3:
        new.reverse()
    return old, new


def _keys(steps: list[Step]) -> dict[str, Values]:
    """The keys of a list's items, with the values that the paths ask for and others."""
    wanted: dict[str, list[Any]] = {}
    for step in steps:
        for key, value in step.wanted if isinstance(step, Select) else ():
            wanted.setdefault(key, []).append(value)
        for key in step.keys if isinstance(step, Keyed) else ():
            wanted.setdefault(key, [])
    return {key: st.sampled_from([*values * 10, *_KEYS]) for key, values in wanted.items()}


def _grow_item(draw: st.DrawFn, item: Node, keys: dict[str, Values]) -> Sides:
    if not keys and not item.below:
        return _grow_honestly(draw, item)
    old, new = grow_object(draw, item)
    if item.leaf is not None:
        old["value"], new["value"] = _grow_honestly(draw, Node(item.leaf))
    named = {key: draw(values) for key, values in keys.items()}
    return named | old, named | new
