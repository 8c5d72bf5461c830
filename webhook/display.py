"""Values as people may see them: cut, escaped, and masked where a path is sensitive."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

from rules.fieldpath import FieldPath
from rules.values import canonical

MAX_VALUE: Final = 64
"""Characters of a value that are shown."""

MAX_NAME: Final = 200
"""Characters of a field, a user or a manager that are shown: longer ones are made to hide something."""

HIDDEN: Final = "<hidden>"

_ELLIPSIS: Final = "…"


class Display:
    """Shows values. `sensitive` paths, and what is below or above them, are never shown."""

    def __init__(self, sensitive: Sequence[FieldPath] = ()) -> None:
        self._sensitive = tuple(_parts(str(path)) for path in sensitive)

    def value(self, field: str, value: Any, limit: int = MAX_VALUE) -> str:
        """Return the value of a concrete field on one line: compact JSON, at most `limit` characters; absent is `unset`."""
        if value is None:
            return "unset"
        if self.hides(field):
            return HIDDEN
        # Cut before it is encoded: a list of a million items is not worth a megabyte of text.
        return cut(escape(_encoded(value, limit)), limit)

    def hides(self, field: str) -> bool:
        """Tell whether the value of a concrete field is or holds a sensitive one."""
        parts = _parts(field) if self._sensitive else ()
        return any(_is_prefix(path, parts) or _is_prefix(parts, path) for path in self._sensitive)


def _encoded(value: Any, limit: int) -> str:
    if isinstance(value, str):
        return canonical(value[: limit + 1])
    try:
        return canonical(value)
    except RecursionError:
        return "<nested too deeply>"


def cut(words: str, limit: int) -> str:
    """Return words cut to at most `limit` characters, with an ellipsis where something is left out."""
    return words if len(words) <= limit else words[: limit - 1] + _ELLIPSIS


def name(words: str) -> str:
    """Return a field, a user name or the like as it may be shown."""
    return cut(escape(words[: MAX_NAME + 1]), MAX_NAME)


def escape(words: str) -> str:
    r"""Return words with control, bidirectional and other invisible characters escaped as `\\uXXXX`, as JSON does."""
    if words.isascii() and words.isprintable():
        return words
    return "".join(character if _is_harmless(character) else _escaped(character) for character in words)


def _is_harmless(character: str) -> bool:
    # Control, format (bidirectional marks, zero width), surrogate, line separator, private and unassigned characters.
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"}


def _escaped(character: str) -> str:
    point = ord(character)
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


_PART: Final = re.compile(r'\[[^\]"]*(?:"(?:[^"\\]|\\.)*"[^\]"]*)*\]|[^.\[]+')


def _parts(field: str) -> tuple[str, ...]:
    """Return the steps of a path with the keys of its items left out: every item of a sensitive list is sensitive."""
    steps: list[str] = []
    for step in _PART.findall(field):
        if step.startswith('["'):
            steps.append(step[2:-2])
        elif not step.startswith("["):
            steps.append(step)
    return tuple(steps)


def _is_prefix(prefix: tuple[str, ...], steps: tuple[str, ...]) -> bool:
    return len(prefix) <= len(steps) and all(a in {"*", b} or b == "*" for a, b in zip(prefix, steps, strict=False))
