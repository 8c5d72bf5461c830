"""Foreign text and values as people may see them: cut, escaped, and masked where a path is sensitive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from rules.fieldpath import FieldPath
from rules.values import canonical
from webhook.sensitive import HIDDEN, Sensitive

MAX_VALUE: Final = 64
"""Characters of a value that are shown."""

MAX_NAME: Final = 200
"""Characters of a field, a user or a manager that are shown: longer ones are made to hide something."""

_ELLIPSIS: Final = "…"


class Display:
    """Shows fields and their values. `sensitive` paths, and what is below or above them, are never shown."""

    def __init__(self, sensitive: Sequence[FieldPath] = ()) -> None:
        self._sensitive = Sensitive(sensitive)

    def hides(self, field: str) -> bool:
        """Tell whether the value of a concrete field is, holds or belongs to a sensitive one."""
        return self._sensitive.hides(field)

    def field(self, field: str) -> str:
        """Return a concrete field, at most MAX_NAME characters."""
        return name(self._sensitive.field(field))

    def value(self, field: str, value: Any, limit: int = MAX_VALUE) -> str:
        """Return the value of a concrete field on one line: compact JSON, at most `limit` characters; absent is `unset`."""
        if value is None:
            return "unset"
        return HIDDEN if self.hides(field) else short(_encoded(value, limit), limit)

    def plain(self, field: str, value: Any) -> str | int | bool | None:
        """Return the value of a concrete field for JSON: as it is where that is short and exact, else as text."""
        if value is not None and self.hides(field):
            return HIDDEN
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return short(value, MAX_VALUE)
        if isinstance(value, int) and abs(value) < 2**53:
            return value  # JSON readers hold numbers as doubles: what does not fit one is text
        return self.value(field, value)


def _encoded(value: Any, limit: int) -> str:
    """Return compact JSON, exact up to `limit` characters: a list of a million items is not worth a megabyte of text."""
    words = ""
    for piece in _pieces(value, limit):
        words += piece
        if len(words) > limit:
            break
    return words


def _pieces(value: Any, limit: int) -> Iterator[str]:
    # Each level of nesting yields a character before the next is entered, so the limit bounds the depth too.
    if isinstance(value, dict):
        comma = "{"
        for key, member in value.items():
            if member is not None:
                yield f"{comma}{canonical(key[: limit + 1])}:"
                yield from _pieces(member, limit)
                comma = ","
        yield "}" if comma == "," else "{}"
    elif isinstance(value, list):
        comma = "["
        for item in value:
            yield comma
            yield from _pieces(item, limit)
            comma = ","
        yield "]" if comma == "," else "[]"
    else:
        yield canonical(value[: limit + 1] if isinstance(value, str) else value)


def cut(words: str, limit: int) -> str:
    """Return words cut to at most `limit` characters, with an ellipsis where something is left out."""
    return words if len(words) <= limit else words[: limit - 1] + _ELLIPSIS


def cut_bytes(words: str, limit: int) -> str:
    """Return words cut to at most `limit` bytes of UTF-8 (at least three), with an ellipsis where something is left out."""
    encoded = words.encode()
    if len(encoded) <= limit:
        return words
    return encoded[: limit - len(_ELLIPSIS.encode())].decode(errors="ignore") + _ELLIPSIS


def name(words: str) -> str:
    """Return a field, a user name or the like as it may be shown."""
    return short(words, MAX_NAME)


def short(words: str, limit: int) -> str:
    """Return words escaped and cut to at most `limit` characters."""
    return cut(escape(words[: limit + 1]), limit)


def escape(words: str) -> str:
    r"""Return words with control, bidirectional and other invisible characters escaped by number, as JSON does (`\u202e`)."""
    if words.isprintable():
        return words
    return "".join(character if character.isprintable() else _escaped(character) for character in words)


def _escaped(character: str) -> str:
    point = ord(character)
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
