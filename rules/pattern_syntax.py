"""The syntax of patterns that RE2 and Rust's regex have in common, written so that Rust reads it as RE2 does.

The API server judges with RE2, this program with Rust's regex: what only one of them has, or what each reads in its own
way, is refused. Whether a whole value matches does not depend on greediness or on the order of alternatives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rules.pattern_classes import Part, PatternError, bracketed, character

MAX_REPEATED: Final = 1000
"""The most that a counted repetition may come to, what it repeats written out: RE2 bounds the counts alone by this."""

MAX_SIZE: Final = 2000
"""The most characters, classes and assertions of a pattern, counted repetitions written out. Matching takes time in
proportion to it and to the value's length: at this bound, at worst one to two seconds for 100 kB."""

_ASSERTIONS: Final = {r"\A": r"\A", r"\z": r"\z", r"\b": r"(?-u:\b)", r"\B": r"(?-u:\B)"}
_COUNT: Final = "(?:0|[1-9][0-9]{0,8})"
_REPETITION: Final = re.compile(rf"(?:[*+?]|\{{(?P<least>{_COUNT})(?:,(?P<most>{_COUNT})?)?\}})\??")
_GROUP: Final = re.compile(r"\((?:\?:|\?P?<(?P<name>[A-Za-z_][A-Za-z0-9_]*)>|(?!\?))")
_FLAGS: Final = re.compile(r"\(\?(?P<flags>[imsU]+(?:-[imsU]+)?|-[imsU]+)(?P<end>[:)])")
_LOOK_AROUND: Final = ("(?=", "(?!", "(?<=", "(?<!")


@dataclass(slots=True)
class _Group:
    """An open group: the size of all in it but its last part, and that of the last, which a repetition repeats."""

    start: int
    size: int = 0
    last: int = 0
    is_repeatable: bool = False


class Translator:
    """Reads one pattern from left to right; `translate` returns it as Rust is to read it, each group of it closed.

    Raises PatternError with the offset of what is not in both syntaxes or is too large.
    """

    __slots__ = ("_at", "_groups", "_names", "_pattern")

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._groups = [_Group(0)]
        self._names: set[str] = set()

    @property
    def size(self) -> int:
        """The characters, classes and assertions of what was read, counted repetitions written out: at most MAX_SIZE."""
        return self._groups[0].size + self._groups[0].last

    def translate(self) -> str:
        """Return the pattern in Rust's syntax."""
        written: list[str] = []
        while self._at < len(self._pattern):
            written.append(self._next())
        if len(self._groups) > 1:
            raise PatternError("this ( is not closed", self._groups[-1].start)
        return "".join(written)

    def _next(self) -> str:
        match self._pattern[self._at]:
            case "(":
                return self._open()
            case ")":
                return self._close()
            case "*" | "+" | "?" | "{":
                return self._repeat()
            case "|":
                return self._separate("|", self._at + 1)
            case "^" | "$" | "." as operator:
                return self._add(Part(operator, self._at + 1))
            case "[":
                return self._add(bracketed(self._pattern, self._at))
        assertion = _ASSERTIONS.get(self._pattern[self._at : self._at + 2])
        if assertion is not None:
            return self._add(Part(assertion, self._at + 2))
        return self._add(character(self._pattern, self._at))

    def _open(self) -> str:
        if flags := _FLAGS.match(self._pattern, self._at):
            return self._set_flags(flags)
        match = _GROUP.match(self._pattern, self._at)
        if match is None:
            raise self._unknown_group()
        name = match["name"]
        if name in self._names:
            raise PatternError(f"there are two groups named {name}", self._at)
        if name is not None:
            self._names.add(name)
        self._groups.append(_Group(self._at))
        self._at = match.end()
        return "(?:"

    def _set_flags(self, match: re.Match[str]) -> str:
        letters = match["flags"].replace("-", "")
        if len(set(letters)) < len(letters):
            raise PatternError("a flag is there twice", self._at)
        if match["end"] == ":":
            self._groups.append(_Group(self._at))
            self._at = match.end()
            return match[0]
        return self._separate(match[0], match.end())

    def _unknown_group(self) -> PatternError:
        if self._pattern.startswith(_LOOK_AROUND, self._at):
            return PatternError("look-around is not supported", self._at)
        return PatternError("expected (?:...), (?P<name>...) or the flags i, m, s or U after (?", self._at)

    def _close(self) -> str:
        if len(self._groups) == 1:
            raise PatternError("this ) closes nothing", self._at)
        closed = self._groups.pop()
        return self._add(Part(")", self._at + 1), max(closed.size + closed.last, 1))

    def _repeat(self) -> str:
        group = self._groups[-1]
        match = _REPETITION.match(self._pattern, self._at)
        if match is None:
            raise PatternError(r"expected {n}, {n,} or {n,m}: write \{ for a brace", self._at)
        if not group.is_repeatable:
            raise PatternError("there is nothing here to repeat (a repetition itself only in a group)", self._at)
        if match["least"] is not None:
            self._count(group, int(match["least"]), int(match["most"] or match["least"]))
        group.is_repeatable = False
        self._at = match.end()
        return match[0]

    def _count(self, group: _Group, least: int, most: int) -> None:
        if most < least:
            raise PatternError("the most is less than the least", self._at)
        group.last *= max(most, 1)
        if group.last > MAX_REPEATED:
            raise PatternError(f"a repetition that comes to more than {MAX_REPEATED}", self._at)
        self._check_size(group)

    def _add(self, part: Part, size: int = 1) -> str:
        """Add a part that may be repeated."""
        written = self._separate(part.written, part.end)
        group = self._groups[-1]
        group.last = size
        group.is_repeatable = True
        self._check_size(group)
        return written

    def _separate(self, written: str, end: int) -> str:
        """Go on at `end`, where there is nothing to repeat."""
        group = self._groups[-1]
        group.size += group.last
        group.last = 0
        group.is_repeatable = False
        self._at = end
        return written

    def _check_size(self, group: _Group) -> None:
        if group.size + group.last > MAX_SIZE:
            raise PatternError(f"the pattern comes to more than {MAX_SIZE} characters", self._at)
