"""Field paths compiled to closures that read one side of a write. Nothing is parsed when a write is judged.

A segment that meets a value of another type than it needs yields absent and is counted, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from rules.fieldpath import FieldPath
from rules.items import entries, selected
from rules.path_syntax import Items, MapValues, Name, Segment, Select
from rules.values import MISSING, canonical
from rules.write import Roots


class Tally:
    """Counts what was not as a rule expects it while one rule judges one write."""

    __slots__ = ("comparisons", "type_mismatches")

    def __init__(self) -> None:
        self.comparisons = 0
        self.type_mismatches = 0

    def expects(self, kind: type, value: Any) -> bool:
        """Tell whether a value has the type that is needed; count it if it has another. Absent is no mismatch."""
        if type(value) is kind:
            return True
        if value is not None:
            self.type_mismatches += 1
        return False


Reader: TypeAlias = Callable[[Roots, Tally], Any]
Step: TypeAlias = Callable[[Any, Tally], Any]


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
    return lambda value, tally: _item(segment, value) if tally.expects(list, value) else None


def _item(select: Select, items: list[Any]) -> Any:
    item = selected(select, items)
    return None if item is MISSING else item


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
        return [item for item in value if type(item) is dict or (is_last and item is not None)]
    # By their keys, because their order says nothing: a write that only turns it changes nothing that is read.
    ordered = sorted(entries(segment, value).values(), key=lambda entry: canonical(list(entry[0])))
    return [item for _, item in ordered]
