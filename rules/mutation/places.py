"""The places of an object that a path leads to, by name and index, and copies of the object with another value there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from rules.items import is_item
from rules.path_syntax import MapValues, Name, Segment, Select

Step: TypeAlias = str | int | Select
"""A member's name, an item's index, or the keys of an item that is not there."""

Steps: TypeAlias = tuple[Step, ...]


def places(value: Any, segments: Sequence[Segment]) -> Iterator[Steps]:
    """Yield every place that a path leads to: one for each item and value there is, and those of fields that are absent."""
    if not segments:
        yield ()
        return
    for step, child in _children(value, segments[0]):
        yield from ((step, *rest) for rest in places(child, segments[1:]))


def _children(value: Any, segment: Segment) -> Iterator[tuple[Step, Any]]:
    members = value if type(value) is dict else {}
    items = value if type(value) is list else []
    match segment:
        case Name():
            yield segment.name, members.get(segment.name)
        case MapValues():
            yield from members.items()
        case Select():
            found = ((index, item) for index, item in enumerate(items) if is_item(item, segment))
            yield next(found, (segment, None))
        case _:
            yield from enumerate(items)


def value_at(value: Any, steps: Steps) -> Any:
    """Return what is at a place; None is absent."""
    for step in steps:
        if isinstance(step, str):
            value = value.get(step) if type(value) is dict else None
        elif isinstance(step, int):
            value = value[step] if type(value) is list and step < len(value) else None
        else:
            return None
    return value


def put(target: Any, steps: Steps, value: Any) -> Any:
    """Return a copy of `target` with a value at a place; None takes away what is there."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        members = dict(target) if type(target) is dict else {}
        below = put(members.get(step), rest, value)
        if below is None:
            members.pop(step, None)
        else:
            members[step] = below
        return members
    items = list(target) if type(target) is list else []
    if isinstance(step, Select):
        below = None if value is None else put(dict(step.keys), rest, value)
        return items if below is None else [*items, below]
    below = put(items[step], rest, value)
    return [*items[:step], *([] if below is None else [below]), *items[step + 1 :]]
