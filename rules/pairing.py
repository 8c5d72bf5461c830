"""Old and new paired along a path: what most checks read.

Pairing compares what both lists (maps) hold, and says of an item that is on one side only that it is not there on the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from rules.fieldpath import FieldPath, ItemKey
from rules.items import Entries, entries, selected
from rules.path_syntax import MapValues, Name, Segment, Select
from rules.reading import Tally, reader
from rules.values import MISSING, equal
from rules.write import Write


class Pair(NamedTuple):
    """One field before and after the write.

    None is a field that is absent; MISSING is one whose list item (or map entry) is not there at all. `where` has the keys
    by which the items were paired.
    """

    where: tuple[ItemKey, ...]
    old: Any
    new: Any


Pairs: TypeAlias = Callable[[Write, Tally], list[Pair]]


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


def changed_pairs(path: FieldPath) -> Pairs | None:
    """Return what reads only the pairs of items that differ, or None where that is no cheaper than to read all.

    Which items of a list differ is found once for a write, however many checks ask.
    """
    count = next((i for i, each in enumerate(path.segments) if not isinstance(each, Name)), len(path.segments))
    if count == len(path.segments) or isinstance(path.segments[count], Select):
        return None
    segment, inner = path.segments[count], _collector(path.segments[count + 1 :])
    read_list = reader(FieldPath("", path.segments[:count]))

    def read(write: Write, tally: Tally) -> list[Pair]:
        found: list[Pair] = []
        old, new = read_list(write.old, tally), read_list(write.new, tally)
        for key, before, after in differing(write, segment, old, new, tally):
            inner((key,), before, after, tally, found)
        return found

    return read


Differing: TypeAlias = list[tuple[ItemKey, Any, Any]]


def differing(write: Write, segment: Segment, old: Any, new: Any, tally: Tally) -> Differing:
    """Return the items that differ between two lists (maps), paired; MISSING for one that is on the other side only."""
    known = (id(old), id(new), segment)
    found: Differing | None = write.memo.get(known)
    if found is None:
        found = write.memo[known] = _differing(_indexed(segment, old, tally), _indexed(segment, new, tally))
    return found


def _differing(before: Entries, after: Entries) -> Differing:
    found: Differing = []
    for identity, (key, item) in after.items():
        counterpart = before.get(identity)
        if counterpart is None or not equal(counterpart[1], item):
            found.append((key, MISSING if counterpart is None else counterpart[1], item))
    found += [(key, item, MISSING) for identity, (key, item) in before.items() if identity not in after]
    return found


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
    def find(value: Any, tally: Tally) -> Any:
        return selected(select, value) if value is not MISSING and tally.expects(list, value) else MISSING

    def collect(where: tuple[ItemKey, ...], old: Any, new: Any, tally: Tally, found: list[Pair]) -> None:
        before, after = find(old, tally), find(new, tally)
        if before is not MISSING or after is not MISSING:
            inner(where, before, after, tally, found)

    return collect


def _indexed(segment: Segment, value: Any, tally: Tally) -> Entries:
    if value is MISSING or not tally.expects(dict if isinstance(segment, MapValues) else list, value):
        return {}
    return entries(segment, value)
