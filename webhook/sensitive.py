"""Sensitive paths: values that nobody may see, not even where one is the key of a list or of a map."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from rules.fieldpath import FieldPath

HIDDEN: Final = "<hidden>"

_WHOLE_OBJECT: Final = "object"
"""The field of an expression in CEL that reads objects as a whole."""

_NAME: Final = re.compile(r"\.?([^.\[]+)")
_KEY: Final = re.compile(r"[^\]=,]*")
_BARE: Final = re.compile(r"[^\],]*")
_decoder: Final = json.JSONDecoder()

Names: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of a concrete field: a name, or keys of an item (`name` is None then); each key with its value as written."""

    written: str
    name: str | None = None
    keys: tuple[tuple[str, str], ...] = ()


class Sensitive:
    """Knows the sensitive paths. The items of a list are all alike: a key in a path does not matter."""

    def __init__(self, paths: Sequence[FieldPath] = ()) -> None:
        self._paths = tuple(_names(str(path)) for path in paths)

    def hides(self, field: str) -> bool:
        """Tell whether the value of a concrete field is, holds or belongs to a sensitive one."""
        return bool(self._paths) and self._touches(() if field == _WHOLE_OBJECT else _names(field))

    def field(self, field: str) -> str:
        """Return a concrete field without what is sensitive in it: keys of items, and names below a sensitive map."""
        return "".join(self._shown(field)) if self._paths else field

    def _shown(self, field: str) -> Iterator[str]:
        names: Names = ()
        for step in _steps(field):
            if step.name is not None:
                yield f".{HIDDEN}" if self._covers(names) else step.written
                names = (*names, step.name)
            elif any(self._touches((*names, key)) for key, _ in step.keys):
                keys = ((key, HIDDEN if self._touches((*names, key)) else value) for key, value in step.keys)
                yield f"[{','.join(f'{key}={value}' for key, value in keys)}]"
            else:
                yield step.written

    def _covers(self, names: Names) -> bool:
        return any(_leads_to(path, names) for path in self._paths)

    def _touches(self, names: Names) -> bool:
        return self._covers(names) or any(_leads_to(names, path) for path in self._paths)


def _leads_to(path: Names, names: Names) -> bool:
    """Whether one is the other, or above it; `*` is any name."""
    return len(path) <= len(names) and all(a == b or "*" in {a, b} for a, b in zip(path, names, strict=False))


def _names(field: str) -> Names:
    return tuple(step.name for step in _steps(field) if step.name is not None)


def _steps(field: str) -> Iterator[_Step]:
    """Yield the steps of a concrete field. It is no path of the grammar: an object as a key is written as canonical JSON."""
    position = 0
    while position < len(field):
        if field.startswith('["', position):
            key, end = _decoder.raw_decode(field, position + 1)
            yield _Step(field[position : end + 1], key)
            position = end + 1
        elif field[position] == "[":
            keys, end = _keys(field, position + 1)
            yield _Step(field[position:end], keys=keys)
            position = end
        else:
            match = _NAME.match(field, position)
            assert match is not None  # noqa: S101  a name follows whatever is no bracket
            yield _Step(match.group(), match.group(1))
            position = match.end()


def _keys(field: str, position: int) -> tuple[tuple[tuple[str, str], ...], int]:
    """Return the keys between two brackets with their values as written, and the position after the closing one."""
    keys: list[tuple[str, str]] = []
    while position < len(field) and field[position - 1] != "]":
        key = _match(_KEY, field, position)
        position += len(key)
        value = ""
        if field.startswith("=", position):
            value = _value(field, position + 1)
            position += 1 + len(value)
            keys.append((key, value))
        position += 1
    return tuple(keys), position


def _value(field: str, position: int) -> str:
    try:
        _, end = _decoder.raw_decode(field, position)
    except (ValueError, RecursionError):
        return _match(_BARE, field, position)
    # What only begins like JSON (`1.2.3`) is a bare value.
    return field[position:end] if field[end : end + 1] in {",", "]"} else _match(_BARE, field, position)


def _match(pattern: re.Pattern[str], field: str, position: int) -> str:
    match = pattern.match(field, position)
    return match.group() if match else ""
