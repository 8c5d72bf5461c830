r"""The characters, escapes and classes of a pattern: those that RE2 and Rust's regex both have, with RE2's meaning.

`\d \w \s` are ASCII (RE2's `\s` has no vertical tab), a class in brackets is a plain set without set operations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_CLASSES: Final = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}
_CONTROLS: Final = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_INSTEAD: Final = {"<": "write <", ">": "write >", "Z": r"write \z", "u": r"write \x{...}", "U": r"write \x{...}"}

# The general categories that are one set in both. C and Cs are not, and scripts differ with the version of Unicode.
_PROPERTY: Final = re.compile(
    r"\\[pP](?:(?P<letter>[LMNPSZ])|\{(?P<name>C[cfo]|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)\})"
)
_POSIX_CLASS: Final = re.compile(
    r"\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]"
)
_HEXADECIMAL: Final = re.compile(r"\\x(?P<digits>[0-9a-fA-F]{2}|\{[0-9a-fA-F]{1,8}\})")
_SET_OPERATIONS: Final = ("&&", "--", "~~")
_MAX_CODE: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)


class PatternError(ValueError):
    """A pattern that cannot be used; `offset` counts characters from its start to what is wrong."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a pattern: how Rust is to read it, the offset after it, and its code point if it is one character."""

    written: str
    end: int
    code: int | None = None


def character(pattern: str, at: int) -> Part:
    """Return the character or escape at `at`."""
    if pattern[at] != "\\":
        return _literal(ord(pattern[at]), at, at + 1)
    letter = pattern[at + 1 : at + 2]
    if letter.lower() in _CLASSES:
        negation = "^" if letter.isupper() else ""
        return Part(f"[{negation}{_CLASSES[letter.lower()]}]", at + 2)
    if letter in ("p", "P"):
        return _property(pattern, at)
    if letter == "x":
        return _hexadecimal(pattern, at)
    if letter in _CONTROLS:
        return _literal(_CONTROLS[letter], at, at + 2)
    if not letter:
        raise PatternError("there is nothing after the last backslash", at)
    if letter.isascii() and not letter.isalnum() and letter not in "<>":
        return _literal(ord(letter), at, at + 2)
    if letter.isdecimal():
        raise PatternError("backreferences and octal numbers are not supported", at)
    hint = f": {_INSTEAD[letter]}" if letter in _INSTEAD else ""
    raise PatternError(f"\\{letter} is not supported{hint}", at)


def bracketed(pattern: str, at: int) -> Part:
    """Return the class in brackets that begins at `at`."""
    start = at
    negation = "^" if pattern.startswith("^", at + 1) else ""
    at += 1 + len(negation)
    items: list[str] = []
    while not items or not pattern.startswith("]", at):
        if at >= len(pattern):
            raise PatternError("this [ is not closed", start)
        item = _posix_class(pattern, at) if pattern[at] == "[" else _range(pattern, at)
        items.append(item.written)
        at = item.end
    return Part(f"[{negation}{''.join(items)}]", at + 1)


def _range(pattern: str, at: int) -> Part:
    if pattern.startswith(_SET_OPERATIONS, at):
        raise PatternError(f"{pattern[at] * 2} in a class is a set operation to some: write \\{pattern[at]}", at)
    low = character(pattern, at)
    if not pattern.startswith("-", low.end) or pattern.startswith("]", low.end + 1):
        return low
    if pattern.startswith("--", low.end):
        raise PatternError("-- in a class is a set operation to some: write \\-", low.end)
    if low.end + 1 == len(pattern):
        return low
    high = character(pattern, low.end + 1)
    if low.code is None or high.code is None:
        raise PatternError("a range cannot begin or end with a class: write \\- for a hyphen", at)
    if low.code > high.code:
        raise PatternError("this range is out of order", at)
    return Part(f"{low.written}-{high.written}", high.end)


def _posix_class(pattern: str, at: int) -> Part:
    match = _POSIX_CLASS.match(pattern, at)
    if match is None:
        raise PatternError(r"expected a class such as [:alpha:], or write \[ for the bracket itself", at)
    return Part(match[0], match.end())


def _property(pattern: str, at: int) -> Part:
    match = _PROPERTY.match(pattern, at)
    if match is None:
        raise PatternError(r"expected a general category such as \pL or \p{Lu}, other than C and Cs", at)
    return Part(f"{match[0][:2]}{{{match['letter'] or match['name']}}}", match.end())


def _hexadecimal(pattern: str, at: int) -> Part:
    match = _HEXADECIMAL.match(pattern, at)
    if match is None:
        raise PatternError(r"expected two hexadecimal digits, or \x{...}", at)
    return _literal(int(match["digits"].strip("{}"), 16), at, match.end())


def _literal(code: int, at: int, end: int) -> Part:
    if code > _MAX_CODE or code in _SURROGATES:
        raise PatternError(f"U+{code:04X} is no character", at)
    return Part(f"\\x{{{code:X}}}", end, code)
