"""Where in a schema a rule goes: the nodes that are parents of all that it reads, the deepest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rules.fieldpath import FieldPath
from rules.native.crd_field import Field, escape, is_known, is_selected
from rules.native.expression import FALSE, TRUE, Expression, all_of, any_of, has, member, name, negate
from rules.path_syntax import Keyed, MapValues, Name, Segment, Select
from rules.schemas.schema import Schema


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a schema: `self` and `oldSelf` are what is there. `segments` lead to it from the root.

    `is_always_there`: every object has it, so that nothing can be missed because it is gone. `unbounded`: the lists and maps on
    the way that may be of any length.
    """

    segments: tuple[Segment, ...]
    schema: Schema
    is_always_there: bool
    unbounded: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """What a person would write: `status.conditions[]`."""
        written = (f".{each.name}" if isinstance(each, Name) else "[]" for each in self.segments)
        return "".join(written).removeprefix(".")

    @property
    def is_root(self) -> bool:
        """Whether it is the object itself."""
        return not self.segments

    @property
    def keys(self) -> tuple[str, ...]:
        """Members that every item has there by which the API server pairs items."""
        last = self.segments[-1] if self.segments else None
        if isinstance(last, Keyed):
            return last.keys
        return tuple(key for key, _ in last.keys) if isinstance(last, Select) else ()

    @property
    def is_in_items(self) -> bool:
        """Whether it is below items of a list or values of a map, which the API server pairs."""
        return any(not isinstance(segment, Name) for segment in self.segments)

    def within(self, raw: Any) -> Any:
        """Return the same node in another copy of the schema."""
        for segment in self.segments:
            if isinstance(segment, Name):
                properties = raw.get("properties") or {}
                raw = properties[segment.name] if segment.name in properties else raw["additionalProperties"]
            else:
                raw = raw["additionalProperties" if isinstance(segment, MapValues) else "items"]
        return raw

    def after(self, base: Expression) -> Expression:
        """Return what is here of an object; of items there is none to name."""
        for segment in self.segments:
            base = member(base, escape(segment.name)) if isinstance(segment, Name) else base
        return base

    def is_there(self, base: Expression) -> Expression:
        """Return that an object has what is here: a place that names lead to."""
        found = TRUE
        for segment in self.segments:
            if not isinstance(segment, Name):
                return FALSE  # rules of items have no second rule
            found = all_of(found, has(base, escape(segment.name)))
            base = member(base, escape(segment.name))
        return found

    def only_here(self, itself: Field, holds: Expression) -> Expression:
        """Return what holds, asked only of the item that the path to this place selects."""
        last = self.segments[-1] if self.segments else None
        chosen = is_selected(itself, last) if isinstance(last, Select) else TRUE
        return any_of(negate(chosen), holds)


def places(root: Schema, paths: Sequence[FieldPath]) -> list[Place]:
    """Return the nodes that are objects, or items that the API server pairs, and parents of all paths; the root comes last."""
    shared = _shared([path.segments for path in paths])
    found = [Place((), root, is_always_there=True)]
    for place in _along(found[0], shared):
        last = place.segments[-1]
        if not isinstance(last, Name) or "object" in place.schema.types:
            found.append(place)
        if isinstance(last, Select):
            break  # what is below an item that is selected is read from the item
    return found[::-1]


def _shared(paths: Sequence[tuple[Segment, ...]]) -> tuple[Segment, ...]:
    """Return what all paths begin with; the last name of a path is a field, and no parent."""
    parents = [path[:-1] if isinstance(path[-1], Name) else path for path in paths]
    first = parents[0] if parents else ()
    length = next(
        (at for at in range(len(first)) if any(other[at : at + 1] != first[at : at + 1] for other in parents)),
        len(first),
    )
    return first[:length]


def _along(place: Place, segments: Sequence[Segment]) -> Iterator[Place]:
    for segment in segments:
        below = _step(place, segment)
        if below is None:
            return
        place = below
        yield place


def _step(place: Place, segment: Segment) -> Place | None:
    schema, segments = place.schema, (*place.segments, segment)
    if isinstance(segment, Name):
        below = schema.field(segment.name)
        is_there = place.is_always_there and segment.name in (schema.raw.get("required") or ())
        is_fixed = segment.name in schema.names
        if below is None or not is_fixed or not is_known(below) or below.raw.get("nullable") is True:
            return None
        return Place(segments, below, is_there, place.unbounded)
    if isinstance(segment, MapValues):
        is_map = isinstance(schema.raw.get("additionalProperties"), dict)
        if not is_map or not is_known(schema.value) or schema.value.raw.get("nullable") is True:
            return None
        return _each(place, segments, schema.value, "maxProperties")
    if not isinstance(segment, Keyed | Select):
        return None
    keys = segment.keys if isinstance(segment, Keyed) else [key for key, _ in segment.keys]
    # The API server multiplies the cost of an item's rules by how many there may be; a selected item is cheaper to find.
    is_bounded = isinstance(segment, Keyed) or "maxItems" in schema.raw
    field = Field(TRUE, name("self"), "list", schema)
    return _each(place, segments, schema.item, "maxItems") if is_bounded and field.is_map_by(tuple(keys)) else None


def _each(place: Place, segments: tuple[Segment, ...], schema: Schema, bound: str) -> Place:
    here = () if bound in place.schema.raw else (f"{place.path} has no {bound}",)
    return Place(segments, schema, is_always_there=False, unbounded=place.unbounded + here)


IN_STATUS: Final = "status"
"""What begins the path of a place that no object has when it is created (the API server drops the status)."""
