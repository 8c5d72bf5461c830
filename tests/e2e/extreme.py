"""Objects for many rules at once: every list that they read as long as it may be, and what has no business being there."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from rules.api import RuleSpec
from rules.native.suspect import SuspectForm
from rules.native.variables import Variables
from rules.path_syntax import Items, Keyed, MapValues, Name, Segment, Select

Json: TypeAlias = dict[str, Any]
Place: TypeAlias = tuple[str | int, ...]
"""Where something is in an object: names of members, and indexes of items."""

HOSTILE: Final[tuple[Any, ...]] = (
    None,
    "",
    "x",
    "2026-99-99T99:99:99Z",
    "9999-12-31T23:59:59-23:59",
    "é😀\u0000\ud7ff\U0010ffff\u202e",
    "x" * 1_000_000,
    -1,
    2.5,
    1e308,
    2**63 - 1,
    -(2**63),
    True,
    [],
    {},
    [None],
    [[]],
    [{}],
    [{"type": None}, {"type": {"type": []}}, {"type": "Ready", "status": {}}, "Ready", 3],
    [{"type": "Ready"}] * 300,
    {"": {"": {"": None}}},
    {str(number): number for number in range(300)},
)

_DEEP: Final = 60


def deep() -> Any:
    """Return lists and objects in each other, about as deep as the API server takes them."""
    value: Any = "x"
    for _ in range(_DEEP):
        value = [{"type": "Ready", "conditions": value, "a": value if isinstance(value, str) else None}]
    return value


def paths_of(specs: Iterable[RuleSpec]) -> list[Sequence[Segment]]:
    """Return the paths that rules read."""
    found: dict[str, Sequence[Segment]] = {}
    for spec in specs:
        for invariant in spec.invariants:
            for clause in invariant.spec.in_cel(SuspectForm(Variables())):
                found |= {str(path): path.segments for path in clause.paths}
            found |= {str(predicate.field): predicate.field.segments for predicate in invariant.when}
    return list(found.values())


def grown(paths: Iterable[Sequence[Segment]], length: int, leaf: Any) -> Json:
    """Return an object that has all of these fields, and in every list and map that many items, a few in those within."""
    root: Json = {}
    for path in paths:
        _grow(root, path, length, leaf)
    return root


def _grow(value: Json, path: Sequence[Segment], length: int, leaf: Any) -> None:
    segment, after = path[0], path[1:]
    assert isinstance(segment, Name)
    follows = after[0] if after else None
    if isinstance(follows, Name):
        below = value.setdefault(segment.name, {})
        if isinstance(below, dict):
            _grow(below, after, length, leaf)
    elif isinstance(follows, MapValues):
        entries = value.setdefault(segment.name, {})
        for number in range(length if isinstance(entries, dict) else 0):
            _below(entries, f"e{number}", after[1:], length, leaf)
    elif isinstance(follows, Keyed | Select | Items):
        items = value.setdefault(segment.name, [])
        if isinstance(items, list):
            _grow_items(items, follows, after[1:], length, leaf)
    else:
        value.setdefault(segment.name, leaf)


def _grow_items(
    items: list[Any], segment: Keyed | Select | Items, after: Sequence[Segment], length: int, leaf: Any
) -> None:
    keys = [key for key, _ in segment.keys] if isinstance(segment, Select) else getattr(segment, "keys", ())
    wanted = dict(segment.keys) if isinstance(segment, Select) else {}
    while len(items) < length:
        items.append({})
    for number, item in enumerate(items):
        for key in keys:
            item.setdefault(key, f"k{number}")
    if wanted and not any(wanted.items() <= item.items() for item in items):
        free = next((item for item in items if all(str(item[key]).startswith("k") for key in keys)), None)
        if free is None:
            items.append(free := {})
        free.update(wanted)
    for item in items:
        _below_item(item, after, length, leaf)


def _below_item(item: Json, after: Sequence[Segment], length: int, leaf: Any) -> None:
    if after:
        _grow(item, after, min(length, 8), leaf)


def _below(entries: Json, key: str, after: Sequence[Segment], length: int, leaf: Any) -> None:
    if not after:
        entries.setdefault(key, leaf)
    elif isinstance(entries.setdefault(key, {}), dict):
        _grow(entries[key], after, min(length, 8), leaf)


def places(value: Any, below: Place = ()) -> Iterator[Place]:
    """Yield every place in an object; of the items of a list only the last, of the entries of a large map too."""
    members: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        members = list(value.items())[-40:] if len(value) <= 40 else list(value.items())[-1:]
    elif isinstance(value, list):
        members = list(enumerate(value))[-1:]
    for step, member in members:
        yield (*below, step)
        yield from places(member, (*below, step))


def changed(root: Json, place: Place, to: Any) -> Json:
    """Return a copy with something else at a place; Ellipsis: with nothing there."""
    copied = copy.deepcopy(root)
    holder: Any = copied
    for step in place[:-1]:
        holder = holder[step]
    if to is ...:
        del holder[place[-1]]
    else:
        holder[place[-1]] = to
    return copied
