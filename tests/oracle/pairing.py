"""Section 2, 'Gone items' and pairing: one field of a path before and after the write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .paths import (
    EveryItem,
    Name,
    Path,
    Select,
    gather,
    items,
    member,
    name_segment,
    select,
    show_step,
)
from .values import equal


@dataclass(frozen=True)
class Pair:
    """One concrete field before and after. gone: an item on the way was there and is no more ('takes
    its fields with it'); added: an item on the way is new."""

    field: str
    old: object
    new: object
    gone: bool = False
    added: bool = False

    @property
    def differs(self) -> bool:
        return not equal(self.old, self.new)


def pairs(path: Path, old: object, new: object) -> list[Pair]:
    return list(_pairs(path, Pair("", old, new)))


def _pairs(path: Path, so_far: Pair) -> Iterator[Pair]:
    if not path:
        yield so_far
        return
    step, rest = path[0], path[1:]
    old, new = so_far.old, so_far.new
    if isinstance(step, Name):
        field = so_far.field + name_segment(step.key) if so_far.field else step.key
        below = Pair(field, member(old, step.key), member(new, step.key), so_far.gone, so_far.added)
        yield from _pairs(rest, below)
    elif isinstance(step, Select):
        yield from _pairs(rest, _item(so_far, show_step(step), select(old, step)[1], select(new, step)[1]))
    elif isinstance(step, EveryItem):  # not paired: both sides as lists
        field = so_far.field + "".join(map(show_step, path))
        yield Pair(field, gather(path, old), gather(path, new), so_far.gone, so_far.added)
    else:
        old_items, new_items = items(old, step) or {}, items(new, step) or {}
        for key in dict.fromkeys([*old_items, *new_items]):
            segment, old_item = old_items.get(key, ("", None))
            new_segment, new_item = new_items.get(key, (segment, None))
            yield from _pairs(rest, _item(so_far, segment or new_segment, old_item, new_item))


def _item(so_far: Pair, segment: str, old: object, new: object) -> Pair:
    gone = so_far.gone or (old is not None and new is None)
    added = so_far.added or (old is None and new is not None)
    return Pair(so_far.field + segment, old, new, gone, added)
