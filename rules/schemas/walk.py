"""A field path is followed through a schema: to what it leads to, or to the first step that cannot be taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rules.diagnosis import suggestion
from rules.fieldpath import FieldPath
from rules.path_syntax import NAME, Items, Keyed, MapValues, Name, Parser, Segment, Select
from rules.schemas.finding import Severity, listed
from rules.schemas.schema import UNKNOWN, Schema

_MAX_LEVELS, _MAX_LOOKED_AT = 3, 2_000
"""How far, and through how many fields, a name is looked for that is not where the path has it."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What is wrong at one step; `offset` counts characters from the start of the path, the rest is as in `Finding`."""

    offset: int
    code: str
    what: str
    rest: str
    severity: Severity = "error"


Step: TypeAlias = tuple[Segment, int, str]
"""A segment, its offset in the path, and what is written of the path before it."""


def follow(path: FieldPath, root: Schema) -> tuple[Schema, list[Remark]]:
    """Return what a path leads to in an object (UNKNOWN after a step that cannot be taken), and what is wrong on the way."""
    schema, remarks = root, list[Remark]()
    for step in _steps(path):
        taken = _take(step, schema, root) if schema.types else UNKNOWN
        if isinstance(taken, Remark):
            return UNKNOWN, [*remarks, taken]
        remarks += _of_keys(step, schema)
        schema = taken
    return schema, remarks


def _steps(path: FieldPath) -> Iterator[Step]:
    parser = Parser(path.written)
    yield parser.name(), 0, ""
    while parser.position < len(path.written):
        start = parser.position
        segment = parser.segment()
        plain = isinstance(segment, Name) and path.written[start] == "."
        yield segment, start + plain, path.written[:start]


def _take(step: Step, schema: Schema, root: Schema) -> Schema | Remark:
    segment, offset, before = step
    match segment:
        case Name():
            return _member(segment, offset, before, schema, root)
        case MapValues():
            if "object" in schema.types:
                return schema.value
            return Remark(offset, "wrong-type", f"{before} is {schema.title}", ", expected a map")
        case Items():
            return schema.item if "array" in schema.types else _no_list(offset, before, schema)
        case Keyed() | Select():
            return _item(step, schema)


def _member(segment: Name, offset: int, before: str, schema: Schema, root: Schema) -> Schema | Remark:
    if "object" not in schema.types:
        key = ",".join(schema.list_keys) or "key"
        hint = (
            f": write {before}[{key}=...] for one item or {before}[{key}] for each" if "array" in schema.types else ""
        )
        return Remark(offset, "wrong-type", f"{before} is {schema.title}", f", which has no field {segment.name}{hint}")
    found = schema.field(segment.name)
    if found is not None:
        return found
    hint = _elsewhere(segment.name, schema, before, root) or suggestion(segment.name, sorted(schema.names))
    what = f'{before or "the object"} has no field "{segment.name}"'
    return Remark(offset, "unknown-path", what, hint or listed(schema.names))


def _item(step: Step, schema: Schema) -> Schema | Remark:
    segment, offset, before = step
    if "array" not in schema.types:
        return _no_list(offset, before, schema)
    item = schema.item
    if item.types and "object" not in item.types:
        return Remark(offset, "wrong-type", f"the items of {before} are each {item.title}", ", expected objects")
    for key in _keys(segment):
        if item.types and item.field(key) is None:
            hint = suggestion(key, sorted(item.names)) or listed(item.names)
            return Remark(offset, "unknown-path", f'the items of {before} have no field "{key}"', hint)
    return item


def _no_list(offset: int, before: str, schema: Schema) -> Remark:
    hint = f": write {before}.* for every value of a map" if schema.types == {"object"} else ""
    return Remark(offset, "wrong-type", f"{before} is {schema.title}", f", expected a list of objects{hint}")


def _of_keys(step: Step, schema: Schema) -> Iterator[Remark]:
    """Yield the warning that a path's keys are not those by which the API server tells the items of a list apart."""
    segment, offset, before = step
    keys, wanted = _keys(segment), schema.list_keys
    if not keys or not wanted or set(keys) == set(wanted):
        return
    if isinstance(segment, Select):
        if set(keys) > set(wanted):
            return  # one item at most is there
        right, risk = ",".join(f"{key}=..." for key in wanted), "the first of several items is read"
    else:
        right, risk = ",".join(wanted), "items may be paired wrongly"
    what = f"the items of {before} are told apart by {' and '.join(wanted)}"
    yield Remark(offset, "list-keys", what, f", not by {' and '.join(keys)}: write [{right}], else {risk}", "warning")


def _keys(segment: Segment) -> tuple[str, ...]:
    match segment:
        case Keyed(keys):
            return keys
        case Select(pairs):
            return tuple(key for key, _ in pairs)
        case _:
            return ()


def _elsewhere(name: str, parent: Schema, before: str, root: Schema) -> str:
    """Return the hint that a field of this name is in one other place only, unless a neighbour differs by its case alone."""
    top, _, _ = before.partition(".")
    start = root.field(top) if top else None
    if start is None or name.lower() in map(str.lower, parent.names):
        return ""
    found: list[str] = []
    level = [(top, start)]
    looked_at = 0
    for _ in range(_MAX_LEVELS):
        below: list[tuple[str, Schema]] = []
        for written, schema in level:
            for field in schema.names:
                looked_at += 1
                place = f"{written}.{field}"
                if field == name:
                    found.append(place)
                if NAME.fullmatch(field) and looked_at < _MAX_LOOKED_AT:
                    below.append((place, schema.field(field) or UNKNOWN))
        level = below
    return f', did you mean "{found[0]}"?' if len(found) == 1 else ""
