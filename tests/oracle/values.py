"""Section 2, 'Values': equality, text, numbers, times, quantities, canonical JSON.

'null and absent are the same' is None everywhere. Numbers are int, float or Decimal.
"""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext
from typing import NamedTuple

# No honest number needs more digits; beyond it a number is not written out or added up.
ABSURD_EXPONENT = 10_000


def number(value: object) -> Decimal | None:
    """'Integers are exact at any size, decimals exact'; a float is its shortest repr. No bool."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal) and value.is_finite():
        return value
    return None


def equal(left: object, right: object) -> bool:
    """'Equality is deep, null members of objects dropped, list order counts; 3 == 3.0, true != 1'."""
    left_number, right_number = number(left), number(right)
    if left_number is not None and right_number is not None:
        return left_number == right_number
    if isinstance(left, dict) and isinstance(right, dict):
        left, right = without_nulls(left), without_nulls(right)
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return type(left) is type(right) and left == right


def without_nulls(value: dict[str, object]) -> dict[str, object]:
    return {key: member for key, member in value.items() if member is not None}


def text(value: object) -> str | None:
    """'As strings: true/false, integers in full, integral floats as integers, others shortest;
    objects and lists never match': those, and what is absent, have no text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    as_number = number(value)
    return None if as_number is None else number_text(as_number)


def number_text(value: Decimal) -> str:
    """Integers in full decimal, fractions as RFC 8785 (ECMAScript) writes them, every digit kept."""
    if value == 0:
        return "0"
    sign, all_digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    digits = "".join(map(str, all_digits)).rstrip("0")
    exponent += len(all_digits) - len(digits)
    minus = "-" if sign else ""
    power = exponent + len(digits) - 1  # of the first digit
    if 0 <= exponent <= ABSURD_EXPONENT:
        return minus + digits + "0" * exponent
    if exponent > ABSURD_EXPONENT or power < -6:
        fraction = "." + digits[1:] if digits[1:] else ""
        return f"{minus}{digits[0]}{fraction}e{power:+d}"
    if power < 0:
        return minus + "0." + "0" * (-power - 1) + digits
    return minus + digits[: power + 1] + "." + digits[power + 1 :]


def canonical(value: object) -> str:
    """'Canonical JSON: RFC 8785 with integers in full decimal and null members dropped'."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, dict):
        # RFC 8785 sorts by UTF-16 code units.
        members = sorted(
            without_nulls(value).items(), key=lambda member: member[0].encode("utf-16-be", "surrogatepass")
        )
        return "{" + ",".join(f"{canonical(key)}:{canonical(member)}" for key, member in members) + "}"
    scalar = text(value)
    return json.dumps(repr(value)) if scalar is None else scalar  # NaN is no JSON: anything stable


class Instant(NamedTuple):
    """Seconds, and the digits after the point without trailing zeros: these sort as the times do."""

    seconds: int
    fraction: str


_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)


def instant(value: object) -> Instant | None:
    """'Times: strict RFC 3339, any number of digits, compared as instants'."""
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, offset_hour, offset_minute = match.groups()[6:]
    if hour > 23 or minute > 59 or second > 59 or int(offset_hour or 0) > 23 or int(offset_minute or 0) > 59:
        return None
    try:  # The calendar repeats after 400 years; Python's has no year 0.
        days = date(2000 + year % 400, month, day).toordinal() + (year // 400) * 146_097
    except ValueError:
        return None
    offset = int(offset_hour or 0) * 3600 + int(offset_minute or 0) * 60
    local = days * 86_400 + hour * 3600 + minute * 60 + second
    return Instant(local + offset if sign == "-" else local - offset, (fraction or "").rstrip("0"))


_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([KMGTPE])i|([numkMGTPE])|[eE]([+-]?\d+))?", re.ASCII)
_DECIMAL_SUFFIX = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def quantity(value: object) -> Decimal | None:
    """'Quantities: Kubernetes quantities, exact'."""
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    digits, binary, suffix, exponent = match.groups()
    if binary:
        with localcontext() as context:
            context.prec = len(digits) + 20  # 1024 ** 6 has 19 digits: the product is exact
            return Decimal(digits) * Decimal(2 ** (10 * ("KMGTPE".index(binary) + 1)))
    if suffix:
        exponent = str(_DECIMAL_SUFFIX[suffix])
    try:
        parsed = Decimal(f"{digits}e{exponent or 0}")
    except InvalidOperation:  # an exponent that nothing can hold
        return None
    return parsed if parsed.is_finite() else None


def measure(value: object) -> Decimal | Instant | None:
    """'A string is tried as time, then quantity; a number and a quantity compare, a time and a
    number do not': two measures compare if they are of one type. None: cannot be compared."""
    if isinstance(value, str):
        return instant(value) or quantity(value)
    return number(value)
