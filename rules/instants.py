"""Times: strict RFC 3339, any number of digits of a second, compared as instants.

`datetime.fromisoformat` would not do: it cuts nanoseconds off and takes week dates, commas and times without an offset.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Final, NamedTuple

_RFC_3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


class Instant(NamedTuple):
    """A point in time; ordered as time is.

    `seconds` counts from the first day of year 1; `fraction` holds the digits of the fraction of the second without
    trailing zeros, which order as text just as they do as numbers.
    """

    seconds: int
    fraction: str


def instant(value: Any) -> Instant | None:
    """Return the instant that a string names, or None for whatever is no RFC 3339 time with an offset.

    A leap second (`:60`) is none: no clock in a cluster writes one, and Go does not read it.
    """
    if type(value) is not str:
        return None
    match = _RFC_3339.fullmatch(value)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, offset_hours, offset_minutes = match.groups()[6:]
    days = _days(year, month, day)
    if days is None or hour > 23 or minute > 59 or second > 59:
        return None
    seconds = days * _DAY + hour * _HOUR + minute * _MINUTE + second
    if sign:
        if int(offset_hours) > 23 or int(offset_minutes) > 59:
            return None
        offset = int(offset_hours) * _HOUR + int(offset_minutes) * _MINUTE
        seconds += -offset if sign == "+" else offset
    return Instant(seconds, (fraction or "").rstrip("0"))


def _days(year: int, month: int, day: int) -> int | None:
    try:
        # RFC 3339 has a year 0000, which Python's calendar lacks; 400 years on the calendar is the same.
        return date(year or 400, month, day).toordinal() - (0 if year else 146_097)
    except ValueError:
        return None
