"""Objects, each before and after a write, grown from the paths that a rule reads.

At every level either side may lack what the path needs, hold null there, or something of another type.
"""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from tests.oracle.paths import EveryValue, Keyed, Select, Step
from tests.oracle.values import text

from .tree import Node, merged
from .values import JUNK, Values


class _Absent(Enum):
    ABSENT = "ABSENT"


ABSENT: Final = _Absent.ABSENT
Sides: TypeAlias = tuple[Any, Any]
"""A value before and after the write."""

_FATES: Final = st.sampled_from(["kept"] * 34 + ["dropped", "added", "nulled", "was null", "turned junk", "was junk"])
_CHANGES: Final = st.sampled_from(["kept"] * 4 + ["other"] * 3 + ["as text", "was text"])
_LENGTHS: Final = st.sampled_from([1, 2, 3, 0])
_PLACES: Final = st.sampled_from(["both"] * 5 + ["old", "new", "twice", "was twice", "junk"])
_KEYS: Final = [
    "Ready",
    "Ready",
    "Ready",
    "a b",
    "x",
    "",
    "3",
    3,
    Decimal("3.0"),
    True,
    {"n": 1},
    {"n": 1, "m": None},
    None,
]
_MAP_KEYS: Final = st.lists(st.sampled_from(["a", "b", "a.b", "", "é", "x y"]), unique=True, max_size=3)


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
    return _change(draw, st.one_of(*dict.fromkeys(node.values)))


def _change(draw: st.DrawFn, values: Values) -> Sides:
    old = draw(values)
    match draw(_CHANGES):
        case "other":
            return old, draw(values)
        case "as text":
            return old, text(old)
        case "was text":
            return text(old), old
    return old, old


def grow_object(draw: st.DrawFn, node: Node) -> Sides:
    names = [*node.names, *(draw(_MAP_KEYS) if EveryValue() in node.below else [])]
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for name in dict.fromkeys(names):
        before, after = grow(draw, node.at(name))
        old |= {} if before is ABSENT else {name: before}
        new |= {} if after is ABSENT else {name: after}
    return old, dict(reversed(new.items())) if draw(st.booleans()) else new


def _grow_list(draw: st.DrawFn, node: Node) -> Sides:
    item = merged(node.below[step] for step in node.items)
    keys = _keys(node.items)
    old: list[Any] = []
    new: list[Any] = []
    for _ in range(draw(_LENGTHS)):
        before, after = _grow_item(draw, item, keys)
        match draw(_PLACES):
            case "both":
                old, new = [*old, before], [*new, after]
            case "old":
                old = [*old, before]
            case "new":
                new = [*new, after]
            case "twice":
                old, new = [*old, before], [*new, after, before]
            case "was twice":
                old, new = [*old, before, after], [*new, after]
            case "junk":
                old, new = [*old, before], [*new, draw(JUNK), after]
    if draw(st.integers(0, 3)) == 3:
        new.reverse()
    return old, new


def _keys(steps: list[Step]) -> dict[str, Values]:
    """The keys of a list's items, with the values that the paths ask for and others."""
    wanted: dict[str, list[Any]] = {}
    for step in steps:
        for key, value in step.wanted if isinstance(step, Select) else ():
            wanted.setdefault(key, []).extend([value, value, int(value)] if value.isdigit() else [value, value])
        for key in step.keys if isinstance(step, Keyed) else ():
            wanted.setdefault(key, [])
    return {key: st.sampled_from([*values * 5, *_KEYS]) for key, values in wanted.items()}


def _grow_item(draw: st.DrawFn, item: Node, keys: dict[str, Values]) -> Sides:
    if not keys and not item.below:
        before, after = grow(draw, item)
        return None if before is ABSENT else before, None if after is ABSENT else after
    old, new = grow_object(draw, item)
    if item.values:
        old["value"], new["value"] = _grow_honestly(draw, Node(item.values))
    named = {key: draw(values) for key, values in keys.items()}
    return named | old, named | new
