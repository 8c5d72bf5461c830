"""The syntax of field paths: their segments, and the parser.

path = name *( "." name / "." "*" / item ) ; item = "[" sel "]" / "[*]" / '["' any key '"]'
sel  = key "=" value *( "," key "=" value ) / key *( "," key )
name = [A-Za-z_$][A-Za-z0-9_-]*             ; value = bare up to "]" or ",", or a JSON string
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final, TypeAlias

NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_-]*", re.ASCII)
_JSON_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_BARE_VALUE: Final = re.compile(r'[^\],"=\s][^\],]*')


QUOTED_KEY: Final = 'a key with other characters is written ["a.b/c"]'
"""What to do about an annotation's key in a path."""


class FieldPathError(ValueError):
    """A path that does not parse, or that is not of the form wanted; `offset` counts characters from its start."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Name:
    """A member of an object; `written` is how the rule spells the step (`.name` or `["a.b/c"]`)."""

    name: str
    written: str


@dataclass(frozen=True, slots=True)
class Select:
    """The one item of a list whose keys have these values: `[type=Ready]`."""

    keys: tuple[tuple[str, str], ...]
    written: str


@dataclass(frozen=True, slots=True)
class Keyed:
    """Every item of a list, old and new paired by these keys: `[type]`."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MapValues:
    """Every value of a map, old and new paired by its key: `.*`."""


@dataclass(frozen=True, slots=True)
class Items:
    """Every item of a list, not paired: `[*]`."""


Segment: TypeAlias = Name | Select | Keyed | MapValues | Items


class Parser:
    """Reads a path step by step. Every method that reads raises FieldPathError where the text is not what it expects."""

    def __init__(self, written: str, position: int = 0) -> None:
        self.written = written
        self.position = position

    def peek(self) -> str:
        """Return the next character, empty at the end."""
        return self.written[self.position : self.position + 1]

    def fail(self, expected: str) -> FieldPathError:
        """Return the error that something else was expected here."""
        found = repr(self.peek()) if self.peek() else "the end of the path"
        return FieldPathError(f"expected {expected}, found {found}", self.position)

    def take(self, pattern: re.Pattern[str], expected: str) -> str:
        """Read what matches a pattern."""
        match = pattern.match(self.written, self.position)
        if match is None:
            raise self.fail(expected)
        self.position = match.end()
        return match.group()

    def skip(self, literal: str) -> bool:
        """Read these characters if they come next, and tell whether they did."""
        found = self.written.startswith(literal, self.position)
        self.position += len(literal) if found else 0
        return found

    def name(self) -> Name:
        """Read the first step of a path."""
        name = self.take(NAME, "a name (letters, digits, _, -, $)")
        return Name(name, name)

    def segment(self) -> Segment:
        """Read any further step."""
        if self.skip("."):
            if self.skip("*"):
                return MapValues()
            name = self.take(NAME, 'a name or "*" after the "."')
            return Name(name, f".{name}")
        return self.bracket()

    def bracket(self) -> Segment:
        """Read a step in brackets."""
        start = self.position
        self.skip("[")
        if self.peek() == '"':
            key = self.json_string()
            self.close()
            return Name(key, self.written[start : self.position])
        if self.skip("*"):
            self.close()
            return Items()
        keys = [self.take(NAME, 'a key, "*" or a quoted key after the "["')]
        values = [self.value()] if self.skip("=") else []
        while self.skip(","):
            keys.append(self.take(NAME, "a key after the comma"))
            if values:
                if not self.skip("="):
                    raise self.fail('"=": either every key has a value or none has')
                values.append(self.value())
        self.close()
        if len(set(keys)) < len(keys):
            raise FieldPathError("a key is named twice", start)
        if values:
            return Select(tuple(zip(keys, values, strict=True)), self.written[start : self.position])
        return Keyed(tuple(keys))

    def close(self) -> None:
        """Read the closing bracket."""
        if self.skip("]"):
            return
        error = self.fail('"]"')
        if self.peek() in {".", "/"}:
            raise FieldPathError(f"{error.message}; {QUOTED_KEY}", error.offset)
        raise error

    def value(self) -> str:
        """Read the value of a key."""
        if self.peek() == '"':
            return self.json_string()
        return self.take(_BARE_VALUE, 'a value after the "="')

    def json_string(self) -> str:
        """Read a JSON string."""
        start = self.position
        written = self.take(_JSON_STRING, "a closing quote")
        try:
            return str(json.loads(written))
        except ValueError:
            raise FieldPathError(f"{written} is no JSON string", start) from None
