"""A short string that a regular expression of the operator `Matches` matches as a whole.

It takes the first alternative and the fewest repetitions, and asks the compiled pattern whether it was right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rules.pattern_classes import Part, bracketed, character
from rules.patterns import PatternError, compile_pattern

_PREFERRED: Final = "a0A-_. "
"""The characters that are tried first for a class; then the rest of ASCII."""

_ALL: Final = dict.fromkeys([*_PREFERRED, *map(chr, range(33, 127)), "\t", "\n", "é", "Ω", "字"])
_EMPTY: Final = re.compile(r"\^|\$|\\[AzbB]|\(\?[imsU-]+\)")
_GROUP: Final = re.compile(r"\((?:\?(?:P?<[A-Za-z_][A-Za-z0-9_]*>|[imsU-]*:))?")
_REPETITION: Final = re.compile(r"(?:[*?]|\+|\{([0-9]+)(?:,[0-9]*)?\})\??")


def example(pattern: str) -> str | None:
    """Return a string that a pattern matches as a whole, None if these simple means find none."""
    try:
        matches = compile_pattern(pattern)
        return next(filter(matches, _Reader(pattern).alternatives()), None)
    except (PatternError, RecursionError):
        return None


class _Reader:
    """Reads a pattern, which is known to be one, from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def alternatives(self) -> Iterator[str]:
        """Yield an example for each alternative up to the end of the group."""
        yield self._sequence()
        while self._pattern.startswith("|", self._at):
            self._at += 1
            yield self._sequence()

    def _sequence(self) -> str:
        words: list[str] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            word = self._part()
            repetition = _REPETITION.match(self._pattern, self._at)
            if repetition is None:
                words.append(word)
                continue
            self._at = repetition.end()
            least = int(repetition[1]) if repetition[1] else int(repetition[0].startswith("+"))
            words.append(word * least)
        return "".join(words)

    def _part(self) -> str:
        if empty := _EMPTY.match(self._pattern, self._at):
            self._at = empty.end()
            return ""
        match self._pattern[self._at]:
            case "(":
                return self._group()
            case "[":
                return self._one_of(bracketed(self._pattern, self._at))
            case ".":
                return self._one_of(Part(".", self._at + 1))
        part = character(self._pattern, self._at)
        if part.code is None:
            return self._one_of(part)
        self._at = part.end
        return chr(part.code)

    def _group(self) -> str:
        opening = _GROUP.match(self._pattern, self._at)
        assert opening is not None  # noqa: S101  it starts with "("
        self._at = opening.end()
        first, *_ = self.alternatives()
        self._at += 1
        return first

    def _one_of(self, part: Part) -> str:
        written = self._pattern[self._at : part.end]
        self._at = part.end
        return next(filter(compile_pattern(written), _ALL), "")
