"""Field paths compiled to closures that read objects. Nothing is parsed when a write is judged.

A segment that meets a value of another type than it needs yields absent and is counted, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, TypeAlias

from rules.fieldpath import FieldPath, ItemKey
from rules.path_syntax import Items, Keyed, MapValues, Name, Segment, Select
from rules.values import MISSING, Missing, canonical, text
from rules.write import Roots, Write


class Tally:
    """Counts what was not as a rule expects it while one rule judges one write."""

    __slots__ = ("type_mismatches",)

    def __init__(self) -> None:
        self.type_mismatches = 0

    def expects(self, kind: type, value: Any) -> bool:
        """Tell whether a value has the type that is needed; count it if it has another. Absent is no mismatch."""
        if type(value) is kind:
            return True
        if value is not None:
            self.type_mismatches += 1
        return False


class Pair(NamedTuple):
    """One field before and after the write.

    None is a field that is absent; MISSING is one whose list item (or map entry) is not there at all. `where` has the keys
    by which the items were paired.
    """

    where: tuple[ItemKey, ...]
    old: Any
    new: Any


Reader: TypeAlias = Callable[[Roots, Tally], Any]
Step: TypeAlias = Callable[[Any, Tally], Any]
Pairs: TypeAlias = Callable[[Write, Tally], list[Pair]]


def reader(path: FieldPath) -> Reader:
    """Return what reads the one value that a path names; None is absent."""
    root = path.root
    names = [segment.name for segment in path.segments[1:] if isinstance(segment, Name)]
    if len(names) == len(path.segments) - 1:
        return _plain_reader(root, names)
    steps = [_step(segment) for segment in path.segments[1:]]

    def read(roots: Roots, tally: Tally) -> Any:
        value = roots[root]
        for step in steps:
            value = step(value, tally)
        return value

    return read


def _plain_reader(root: str, names: list[str]) -> Reader:
    def read(roots: Roots, tally: Tally) -> Any:
        value = roots[root]
        for name in names:
            if type(value) is not dict:
                tally.expects(dict, value)
                return None
            value = value.get(name)
        return value

    return read


def _step(segment: Segment) -> Step:
    if isinstance(segment, Name):
        name = segment.name
        return lambda value, tally: value.get(name) if tally.expects(dict, value) else None
    assert isinstance(segment, Select)  # noqa: S101  `single` has refused the others
    return lambda value, tally: _absent(_selected(segment, value, tally))


def _absent(value: Any | Missing) -> Any:
    return None if value is MISSING else value


def _selected(select: Select, value: Any, tally: Tally) -> Any | Missing:
    if not tally.expects(list, value):
        return MISSING
    for item in value:
        if is_item(item, select):
            return item
    return MISSING


def is_item(item: Any, select: Select) -> bool:
    """Tell whether an item of a list is the one that `[key=value]` names."""
    return type(item) is dict and all(text(item.get(key)) == wanted for key, wanted in select.keys)


def all_values(path: FieldPath) -> Reader:
    """Return what reads a list of every value along a path with `[*]`, `[key]` or `.*`; None if a list is absent.

    An item without the field reads as None in the list.
    """
    root = path.root
    expand = _expander(path.segments[1:])

    def read(roots: Roots, tally: Tally) -> list[Any] | None:
        found: list[Any] = []
        return found if expand(roots[root], tally, found) else None

    return read


def _expander(segments: tuple[Segment, ...]) -> Callable[[Any, Tally, list[Any]], bool]:
    if not segments:

        def take(value: Any, tally: Tally, found: list[Any]) -> bool:
            found.append(value)
            return True

        return take
    inner = _expander(segments[1:])
    segment = segments[0]
    if isinstance(segment, Name | Select):
        step = _step(segment)
        return lambda value, tally, found: inner(step(value, tally), tally, found)

    def expand(value: Any, tally: Tally, found: list[Any]) -> bool:
        if not tally.expects(dict if isinstance(segment, MapValues) else list, value):
            return False
        return all(inner(item, tally, found) for item in _members(segment, value, is_last=len(segments) == 1))

    return expand


def _members(segment: Segment, value: Any, *, is_last: bool) -> Iterable[Any]:
    if isinstance(segment, Items):
        # In the middle of a path an item that is no object is not there; at its end it is the value itself.
        return value if is_last else [item for item in value if type(item) is dict]
    return [item for _, item in _entries(segment, value).values()]


def pairs(path: FieldPath) -> Pairs:
    """Return what reads every pair of values along a path: one for a plain path, else one for each item on either side."""
    root = path.root
    collect = _collector(path.segments[1:])

    def read(write: Write, tally: Tally) -> list[Pair]:
        found: list[Pair] = []
        collect((), write.old[root], write.new[root], tally, found)
        return found

    if all(isinstance(segment, Name) for segment in path.segments):
        plain = reader(path)
        return lambda write, tally: [Pair((), plain(write.old, tally), plain(write.new, tally))]
    return read


def one_pair(path: FieldPath) -> Callable[[Write, Tally], tuple[Any, Any]]:
    """Return what reads the old and the new value of a path that names one value; a new one is MISSING if its item is gone."""
    read = pairs(path)

    def read_one(write: Write, tally: Tally) -> tuple[Any, Any]:
        found = read(write, tally)
        if not found:
            return None, None
        _, old, new = found[0]
        old = None if old is MISSING else old
        return (old, None) if old is None and new is MISSING else (old, new)

    return read_one


Collector: TypeAlias = Callable[[tuple[ItemKey, ...], Any, Any, Tally, list[Pair]], None]


def _collector(segments: tuple[Segment, ...]) -> Collector:
    if not segments:
        return lambda where, old, new, tally, found: found.append(Pair(where, old, new))
    segment, inner = segments[0], _collector(segments[1:])
    if isinstance(segment, Name):
        return _name_collector(segment.name, inner)
    if isinstance(segment, Select):
        return _select_collector(segment, inner)

    def collect(where: tuple[ItemKey, ...], old: Any, new: Any, tally: Tally, found: list[Pair]) -> None:
        before, after = _indexed(segment, old, tally), _indexed(segment, new, tally)
        for identity, (key, item) in after.items():
            counterpart = before.get(identity)
            inner((*where, key), MISSING if counterpart is None else counterpart[1], item, tally, found)
        for identity, (key, item) in before.items():
            if identity not in after:
                inner((*where, key), item, MISSING, tally, found)

    return collect


def _name_collector(name: str, inner: Collector) -> Collector:
    def step(value: Any, tally: Tally) -> Any:
        if value is MISSING:
            return MISSING
        return value.get(name) if tally.expects(dict, value) else None

    return lambda where, old, new, tally, found: inner(where, step(old, tally), step(new, tally), tally, found)


def _select_collector(select: Select, inner: Collector) -> Collector:
    def collect(where: tuple[ItemKey, ...], old: Any, new: Any, tally: Tally, found: list[Pair]) -> None:
        before = MISSING if old is MISSING else _selected(select, old, tally)
        after = MISSING if new is MISSING else _selected(select, new, tally)
        if before is not MISSING or after is not MISSING:
            inner(where, before, after, tally, found)

    return collect


Entries: TypeAlias = dict[Hashable, tuple[ItemKey, Any]]


def _indexed(segment: Segment, value: Any, tally: Tally) -> Entries:
    if value is MISSING or not tally.expects(dict if isinstance(segment, MapValues) else list, value):
        return {}
    return _entries(segment, value)


def _entries(segment: Segment, value: Any) -> Entries:
    if isinstance(segment, MapValues):
        return {key: ((key,), member) for key, member in value.items() if member is not None}
    assert isinstance(segment, Keyed)  # noqa: S101  `paired` has refused [*]
    entries: Entries = {}
    for item in value:
        if type(item) is dict:
            values = tuple(item.get(key) for key in segment.keys)
            if all(value is not None for value in values):
                entries.setdefault(_identity(values), (values, item))
    return entries


def _identity(values: ItemKey) -> Hashable:
    # A string is its own canonical form; anything else is told from strings by a tuple around its form.
    if len(values) == 1 and type(values[0]) is str:
        return values[0]
    return tuple(value if type(value) is str else (canonical(value),) for value in values)
