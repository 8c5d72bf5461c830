"""Numbers and plain scalars, read exactly.

A plain (unquoted) scalar is read by the core schema of YAML 1.2.2, section 10.3.2: `yes`, `on`, dates and `1:30` are
strings. Where the tools that people use disagree about a *number*, neither reading is safe and the scalar is refused:
`012` is 10 to `kubectl` and 12 to YAML 1.2, `0o14`, `0b11` and `1_000` are numbers to the one and text to the other.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from rules.places import quoted

Scalar = str | int | Decimal | bool | None

MAX_DIGITS: Final = 4300
"""The most digits of a number, written out. It is Python's own default bound for reading and printing integers
(`sys.int_info.default_max_str_digits`): beyond it, conversions take quadratic time."""

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMERIC_START: Final = frozenset("+-.0123456789")
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE](?P<exponent>[-+]?[0-9]+))?")
_DISPUTED: Final = re.compile(r"[-+]?(?:0[0-9]+|0o[0-7]+|0b[01]+)|[-+]0x[0-9a-fA-F]+")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def integer(text: str, base: int = 10) -> int:
    """Return the integer that `text` (its syntax checked) says; ValueError if it has more than `MAX_DIGITS`."""
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number of more than {MAX_DIGITS} digits")
    return int(text, base)


def decimal(text: str) -> Decimal:
    """Return the decimal that `text` says, exactly; ValueError if `text` is none or has more than `MAX_DIGITS`."""
    match = _FLOAT.fullmatch(text)
    if match is None:
        raise ValueError(f"{quoted(text)} is no number")
    if len(text) > MAX_DIGITS or abs(int(match["exponent"] or "0")) > MAX_DIGITS:
        raise ValueError(f"a number of more than {MAX_DIGITS} digits")
    return Decimal(text)


def plain_scalar(text: str) -> Scalar:
    """Return what a plain scalar stands for; ValueError with a one-line message if that is no usable value."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMERIC_START:
        return text
    if _INTEGER.fullmatch(text):
        return integer(text)
    if _HEXADECIMAL.fullmatch(text):
        return integer(text, 16)
    if _is_disputed(text):
        raise ValueError(
            f"{quoted(text)} is not the same number to every YAML reader: write it as a plain decimal number, "
            "or in quotes if it is text"
        )
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{quoted(text)} is no finite number (in quotes it is text)")
    if _FLOAT.fullmatch(text):
        return decimal(text)
    return text


def _is_disputed(text: str) -> bool:
    digits = text.replace("_", "")
    if _DISPUTED.fullmatch(digits):
        return True
    return digits != text and any(number.fullmatch(digits) for number in (_INTEGER, _HEXADECIMAL, _FLOAT))
