"""The items of lists and the values of maps that a segment of a path means."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeAlias

from rules.fieldpath import ItemKey
from rules.path_syntax import Keyed, MapValues, Segment, Select
from rules.values import MISSING, Missing, canonical, text

Entries: TypeAlias = dict[Hashable, tuple[ItemKey, Any]]
"""Items by what identifies them, each with its key as the object has it."""


def is_item(item: Any, select: Select) -> bool:
    """Tell whether an item of a list is the one that `[key=value]` names."""
    return type(item) is dict and all(text(item.get(key)) == wanted for key, wanted in select.keys)


def selected(select: Select, items: list[Any]) -> Any | Missing:
    """Return the first item that `[key=value]` names, MISSING if there is none."""
    for item in items:
        if is_item(item, select):
            return item
    return MISSING


def entries(segment: Segment, value: Any) -> Entries:
    """Return the values of a map (`.*`), or the items of a list by their keys (`[key]`): of several with one key the first.

    Items that are no objects or lack a key, and values that are null, are not there.
    """
    if isinstance(segment, MapValues):
        return {key: ((key,), member) for key, member in value.items() if member is not None}
    assert isinstance(segment, Keyed)  # noqa: S101  `paired` has refused [*]
    found: Entries = {}
    for item in value:
        if type(item) is dict:
            values = tuple(item.get(key) for key in segment.keys)
            if all(value is not None for value in values):
                found.setdefault(_identity(values), (values, item))
    return found


def _identity(values: ItemKey) -> Hashable:
    # A string is its own canonical form; anything else is told from strings by a tuple around its form.
    if len(values) == 1 and type(values[0]) is str:
        return values[0]
    return tuple(value if type(value) is str else (canonical(value),) for value in values)
