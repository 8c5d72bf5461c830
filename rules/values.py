"""JSON values as the rule language sees them: absent, equal, as numbers, as text, in canonical form.

Values are what the decoders give: `dict`, `list`, `str`, `bool`, `int`, `decimal.Decimal` and `None`. A `float` is taken
for the shortest decimal that reads back as it. null and absent are the same, so absent is `None` everywhere; `MISSING`
means something else: that there is not even a place for the value (an item that is gone, a request without a patch).
"""

from __future__ import annotations

import json
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias


class _Missing(Enum):
    MISSING = "MISSING"

    def __repr__(self) -> str:
        return "MISSING"


Missing: TypeAlias = Literal[_Missing.MISSING]
MISSING: Final[Missing] = _Missing.MISSING

MAX_EXPONENT: Final = 4_299
"""Numbers beyond ten to this power are no numbers to us.

Exact arithmetic on `1e999999999` would need a gigabyte. Nothing real comes near: the API server itself reads numbers as
64-bit integers and doubles, which end at 1e308. The largest number that CPython writes in full has as many digits after
its first (`sys.int_info.default_max_str_digits`), so no decoder gives a larger integer.
"""

Number: TypeAlias = int | Fraction


_PLAIN: Final = frozenset({str, int})
"""Types whose values Python compares just as we do, alone and in a list or dict of nothing else: no bool, no null."""


def equal(old: Any, new: Any) -> bool:
    """Tell whether two values are the same: deeply, null members dropped, `3 == 3.0`, `true != 1`, list order counts."""
    if old is new:
        return True
    kind = type(old)
    if kind in _PLAIN and type(new) is kind:
        return bool(old == new)
    return _deeply_equal(old, new)


def _deeply_equal(old: Any, new: Any) -> bool:  # noqa: C901  one loop, so that no depth of nesting can exhaust the stack
    pending = [(old, new)]
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        kind = type(a)
        if kind is str:
            if a != b:
                return False
        elif kind is dict:
            if type(b) is not dict:
                return False
            if _PLAIN.issuperset(map(type, a.values())) and _PLAIN.issuperset(map(type, b.values())):
                if a != b:
                    return False
                continue
            for key, member in a.items():
                if member is not None:
                    other = b.get(key)
                    if other is None:
                        return False
                    pending.append((member, other))
            for key, other in b.items():
                if other is not None and a.get(key) is None:
                    return False
        elif kind is list:
            if type(b) is not list or len(a) != len(b):
                return False
            if _PLAIN.issuperset(map(type, a)) and _PLAIN.issuperset(map(type, b)):
                if a != b:
                    return False
                continue
            pending.extend(zip(a, b, strict=True))
        elif not _same_scalar(a, b):
            return False
    return True


def _same_scalar(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if not isinstance(a, int | float | Decimal) or not isinstance(b, int | float | Decimal):
        return False
    # Decimal and int compare exactly and without building the power of ten.
    left = Decimal(repr(a)) if isinstance(a, float) else a
    right = Decimal(repr(b)) if isinstance(b, float) else b
    return left == right


def number(value: Any) -> Number | None:
    """Return the exact number that a JSON number stands for; None for anything else, or beyond MAX_EXPONENT."""
    if type(value) is int:
        return value
    if isinstance(value, float):
        value = Decimal(repr(value))
    if not isinstance(value, Decimal) or not value.is_finite():
        return None
    if not value:
        return 0
    if abs(value.adjusted()) > MAX_EXPONENT or len(value.as_tuple().digits) > MAX_EXPONENT:
        return None
    fraction = Fraction(value)
    return fraction.numerator if fraction.denominator == 1 else fraction


def text(value: Any) -> str | None:
    """Return a scalar as predicates and transitions compare it, or None for an object, a list and absent.

    `true`/`false`; integers in full; integral decimals as integers; other numbers in their shortest form.
    """
    if type(value) is str:
        return value
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int | float | Decimal):
        return _number_text(value)
    return None


def _number_text(value: float | Decimal) -> str:
    if type(value) is int:
        return str(value)
    exact = number(value)
    if isinstance(exact, int):
        return str(exact)
    return _shortest(value if isinstance(value, Decimal) else Decimal(repr(value)))


def _shortest(value: Decimal) -> str:
    # ECMAScript's Number::toString, which RFC 8785 asks for, without its rounding to a double.
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)  # noqa: S101  a finite number
    point = len(digits) + exponent
    mark = "-" if sign else ""
    figures = "".join(map(str, digits)).rstrip("0")
    if -6 < point <= 0:
        return f"{mark}0.{'0' * -point}{figures}"
    if 0 < point < len(figures):
        return f"{mark}{figures[:point]}.{figures[point:]}"
    fraction = f".{figures[1:]}" if len(figures) > 1 else ""
    return f"{mark}{figures[0]}{fraction}e{point - 1:+d}"


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value: RFC 8785, with integers in full decimal and null members dropped.

    Equal values have the same canonical form. A value nested too deeply for Python's stack raises RecursionError.
    """
    if value is None:
        return "null"
    if isinstance(value, dict):
        members = ((key, member) for key, member in value.items() if member is not None)
        # RFC 8785 sorts names by their UTF-16 code units.
        ordered = sorted(members, key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_quoted(key)}:{canonical(member)}" for key, member in ordered) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return _quoted(value)
    return str(text(value))


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
