"""Section 2, 'Field paths': parse, read one side, write the concrete field."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from .values import canonical, text


@dataclass(frozen=True)
class Name:
    """`.name` or `["any key"]`."""

    key: str


@dataclass(frozen=True)
class Select:
    """`[type=Ready]`: the one item."""

    wanted: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Keyed:
    """`[type]`: every item, old and new paired by the key."""

    keys: tuple[str, ...]


@dataclass(frozen=True)
class EveryItem:
    """`[*]`: every item, not paired: only inside sum."""


@dataclass(frozen=True)
class EveryValue:
    """`.*`: every value of a map, paired by key."""


Step = Name | Select | Keyed | EveryItem | EveryValue
Path = tuple[Step, ...]

NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_-]*")
_JSON = json.JSONDecoder()


def parse(source: str) -> Path:
    """'path = name *( "." name / "." "*" / item )'. The rule is valid: errors are not explained."""
    steps: list[Step] = []
    at = 0
    while at < len(source):
        if source.startswith('["', at):
            key, at = _JSON.raw_decode(source, at + 1)
            steps.append(Name(key))
            at = _expect(source, at, "]")
        elif source[at] == "[":
            step, at = _parse_item(source, at + 1)
            steps.append(step)
        else:
            at = _expect(source, at, ".") if steps else at
            if source.startswith("*", at):
                steps.append(EveryValue())
                at += 1
            else:
                match = NAME.match(source, at)
                if match is None:
                    raise ValueError(f"no path: {source!r} at {at}")
                steps.append(Name(match.group()))
                at = match.end()
    return tuple(steps)


def _expect(source: str, at: int, character: str) -> int:
    if not source.startswith(character, at):
        raise ValueError(f"no path: {source!r} at {at}, {character!r} expected")
    return at + 1


def _parse_item(source: str, at: int) -> tuple[Step, int]:
    """'sel = key "=" value *( "," key "=" value ) / key *( "," key ); no mixed forms'."""
    if source.startswith("*]", at):
        return EveryItem(), at + 2
    keys: list[str] = []
    wanted: list[tuple[str, str]] = []
    while True:
        key, at = _until(source, at, "=,]")
        if source[at] == "=":
            if source.startswith('"', at + 1):
                value, at = _JSON.raw_decode(source, at + 1)
            else:
                value, at = _until(source, at + 1, ",]")
            wanted.append((key, value))
        else:
            keys.append(key)
        if source[at] == "]":
            return (Select(tuple(wanted)) if wanted else Keyed(tuple(keys))), at + 1
        at += 1


def _until(source: str, at: int, stops: str) -> tuple[str, int]:
    end = at
    while source[end] not in stops:
        end += 1
    return source[at:end], end


# --- reading one side -------------------------------------------------------------------------------


def member(value: object, key: str) -> object:
    """'A segment that meets a value of another type than it needs yields absent'."""
    return value.get(key) if isinstance(value, dict) else None


def select(value: object, step: Select) -> tuple[int, object]:
    """'`[type=Ready]`: the one item', 'of several items with one key the first is read'.
    Index and item; (-1, None) if there is none."""
    for index, item in enumerate(value if isinstance(value, list) else []):
        if isinstance(item, dict) and all(text(item.get(key)) == want for key, want in step.wanted):
            return index, item
    return -1, None


def items(value: object, step: Keyed | EveryValue) -> dict[str, tuple[str, object]] | None:
    """The items by what they are paired with, and their concrete segment; None: no list (map).

    'Items that are no objects or lack a key are not there; of several items with one key the
    first is read'; keys are equal as values are (3 and 3.0), so their canonical JSON identifies them."""
    found: dict[str, tuple[str, object]] = {}
    if isinstance(step, EveryValue):
        if not isinstance(value, dict):
            return None
        return {canonical([key]): (name_segment(key), entry) for key, entry in value.items() if entry is not None}
    if not isinstance(value, list):
        return None
    for item in value:
        keys = [item.get(key) for key in step.keys] if isinstance(item, dict) else [None]
        if not any(key is None for key in keys):
            segment = ",".join(f"{key}={show(item[key])}" for key in step.keys)
            found.setdefault(canonical(keys), (f"[{segment}]", item))
    return found


def read(path: Path, root: object) -> object:
    """The one value of a path without `[key]`, `.*` and `[*]`."""
    value = root
    for step in path:
        if isinstance(step, Name):
            value = member(value, step.key)
        else:
            assert isinstance(step, Select), "one value is wanted here"
            value = select(value, step)[1]
    return value


def gather(path: Path, root: object) -> list[object] | None:
    """Every value of a path inside `sum`, None for each that is absent. No result: an absent list.
    'List order counts except along keyed paths': those are in the order of their keys."""
    if not path:
        return [root]
    step, rest = path[0], path[1:]
    if isinstance(step, Name):
        return gather(rest, member(root, step.key))
    if isinstance(step, Select):
        return gather(rest, select(root, step)[1])
    if isinstance(step, EveryItem):
        if not isinstance(root, list):
            return None
        entries = [item for item in root if isinstance(item, dict) or (item is not None and not rest)]
    else:
        keyed = items(root, step)
        if keyed is None:
            return None
        entries = [keyed[key][1] for key in sorted(keyed)]
    values: list[object] = []
    for entry in entries:
        below = gather(rest, entry)
        if below is None:
            return None
        values += below
    return values


# --- concrete fields --------------------------------------------------------------------------------


def show(value: object) -> str:
    """'a key value with `] , " =` or white space is a JSON string, an object is canonical JSON'. So is an
    empty one: the path must parse."""
    if isinstance(value, str) and value and not any(c in '],"=' or c.isspace() for c in value):
        return value
    return canonical(value)


def name_segment(key: str) -> str:
    """'a map key that is no name is `["a.b"]`'."""
    return f".{key}" if NAME.fullmatch(key) else f"[{canonical(key)}]"


def show_step(step: Step) -> str:
    if isinstance(step, Name):
        return name_segment(step.key)
    if isinstance(step, Select):
        return "[" + ",".join(f"{key}={show(value)}" for key, value in step.wanted) + "]"
    if isinstance(step, Keyed):
        return "[" + ",".join(step.keys) + "]"
    return "[*]" if isinstance(step, EveryItem) else ".*"


def show_path(path: Path) -> str:
    return "".join(map(show_step, path)).removeprefix(".")
