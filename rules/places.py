"""Where something is in a source text, and the error that says so."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_SHOWN_CHARACTERS: Final = 64


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in a file as editors count it: lines and columns (in characters) from 1."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


class DocumentError(Exception):
    """A text that cannot be used; `message` is one line and says what was expected."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message


class SourceText:
    """A text that knows the place of each of its characters."""

    __slots__ = ("_line_starts", "source", "text")

    def __init__(self, source: str, text: str) -> None:
        self.source = source
        self.text = text
        self._line_starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]

    def place(self, index: int) -> Place:
        """Return the place of the character at `index`, at most the end of the text."""
        index = min(index, len(self.text))
        line = bisect_right(self._line_starts, index)
        return Place(self.source, line, index - self._line_starts[line - 1] + 1)

    def error(self, index: int, message: str) -> DocumentError:
        """Return the error that `message` is at the character at `index`."""
        return DocumentError(self.place(index), message)


def quoted(text: str) -> str:
    """Return foreign text for a message: in quotes, on one line, control characters escaped, cut at 64 characters."""
    shown = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."
    return repr(shown)
