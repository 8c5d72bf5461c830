"""Field paths: what a path names, and how a concrete one is spelt. `rules.reading` reads with them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from rules.path_syntax import NAME, QUOTED_KEY, FieldPathError, Items, Keyed, MapValues, Name, Parser, Segment, Select
from rules.values import canonical, text

MAX_LENGTH: Final = 1_024
"""Characters in a path; the bound of every string in a rule."""

_AMBIGUOUS: Final = re.compile(r'[\],"=\s]')

ItemKey: TypeAlias = tuple[Any, ...]
"""The key values that tell one item of a list, or the one key that tells a value of a map."""


@dataclass(frozen=True)
class FieldPath:
    """A parsed path. Equal paths are spelt alike; `str()` gives the spelling."""

    written: str
    segments: tuple[Segment, ...]

    def __str__(self) -> str:
        return self.written

    @cached_property
    def root(self) -> str:
        """The member of the object that the path starts from: `status`, `metadata`, `spec`."""
        first = self.segments[0]
        assert isinstance(first, Name)  # noqa: S101  the grammar says so
        return first.name

    @cached_property
    def names_one_value(self) -> bool:
        """Whether the path names one value, not one an item."""
        return not any(isinstance(segment, Keyed | MapValues | Items) for segment in self.segments)

    @cached_property
    def is_paired(self) -> bool:
        """Whether old and new can be paired along the path: no `[*]`."""
        return not any(isinstance(segment, Items) for segment in self.segments)

    @cached_property
    def has_list_items(self) -> bool:
        """Whether the path leads through items of a list, which come and go (`omitempty`)."""
        return any(isinstance(segment, Select | Keyed | Items) for segment in self.segments)

    def concrete(self, where: tuple[ItemKey, ...]) -> str:
        """Return the path with its keys filled in: `status.conditions[type=Ready].reason`.

        `where` has one entry for each `[key]` and `.*` of the path, in order.
        """
        found = iter(where)
        written: list[str] = []
        for segment in self.segments:
            match segment:
                case Name() | Select():
                    written.append(segment.written)
                case Keyed():
                    pairs = zip(segment.keys, next(found), strict=True)
                    written.append("[" + ",".join(f"{key}={_key_text(value)}" for key, value in pairs) + "]")
                case MapValues():
                    (key,) = next(found)
                    written.append(f".{key}" if NAME.fullmatch(key) else f"[{_quoted(key)}]")
                case Items():
                    written.append("[*]")
        return "".join(written)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """In documents a path is a string of at most 1,024 characters."""
        return parsed_schema("field-path", parse)


def parsed_schema(code: str, parse_written: Callable[[str], Any]) -> CoreSchema:
    """Return the schema of what a document writes as a string with a syntax of its own; `code` is that of its mistakes.

    `parse_written` raises FieldPathError.
    """

    def validate(written: str) -> Any:
        try:
            return parse_written(written)
        except FieldPathError as error:
            raise custom_error(code, error.message, error.offset) from None

    return core_schema.no_info_after_validator_function(
        validate,
        core_schema.str_schema(min_length=1, max_length=MAX_LENGTH, strict=True),
        serialization=core_schema.to_string_ser_schema(),
    )


def custom_error(code: str, message: str, offset: int | None = None, *below: str | int) -> PydanticCustomError:
    """Return the error by which a validator tells what is wrong with a string that has a syntax of its own.

    `offset` counts characters in the string; `below` leads from the validated value to the string. `rules.api` reads both.
    """
    return PydanticCustomError(code, "{reason}", {"reason": message, "offset": offset, "below": below})


def single(path: FieldPath) -> FieldPath:
    """Return the path if it names one value; raises PydanticCustomError otherwise."""
    if path.names_one_value:
        return path
    offset = _offset_of(path, (Keyed, MapValues, Items))
    raise custom_error("field-path", "one value is wanted here: [key], [*] and .* name many; write [key=value]", offset)


def paired(path: FieldPath) -> FieldPath:
    """Return the path if old and new can be paired along it; raises PydanticCustomError otherwise."""
    if path.is_paired:
        return path
    offset = _offset_of(path, (Items,))
    raise custom_error("field-path", "[*] pairs nothing and belongs inside sum(); write [key]", offset)


def _offset_of(path: FieldPath, kinds: tuple[type, ...]) -> int:
    parser = Parser(path.written)
    parser.name()
    while parser.position < len(parser.written):
        start = parser.position
        if isinstance(parser.segment(), kinds):
            return start
    return 0


def parse(written: str) -> FieldPath:
    """Parse a path. Raises FieldPathError."""
    path, end = parse_prefix(written, 0)
    if end < len(written):
        hint = f"; {QUOTED_KEY}" if written[end] == "/" else ""
        raise FieldPathError(f'expected "." or "[" or the end of the path, found {written[end]!r}{hint}', end)
    return path


def parse_prefix(written: str, start: int) -> tuple[FieldPath, int]:
    """Parse the path that starts at `start`; return it and where it ends. Raises FieldPathError."""
    parser = Parser(written, start)
    segments: list[Segment] = [parser.name()]
    while parser.peek() in {".", "["}:
        segments.append(parser.segment())
    return FieldPath(written[start : parser.position], tuple(segments)), parser.position


def _key_text(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value) if not value or _AMBIGUOUS.search(value) else value
    scalar = text(value)
    return canonical(value) if scalar is None else scalar


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
