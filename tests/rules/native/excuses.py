"""Which objects show what a policy is said to lose: nothing else may make it disagree with the evaluator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from rules.fieldpath import parse
from rules.instants import instant
from rules.native.losses import (
    FRACTION,
    FRACTION_AS_TEXT,
    IGNORED,
    NULLS,
    ODD_TIME,
    QUANTITY,
    SUM_OF_MAP,
    SUM_ORDER,
    TWINS,
)
from rules.native.measures import RFC_3339
from rules.path_syntax import Keyed, Select
from rules.values import canonical

_TIME: Final = re.compile(RFC_3339.replace(r"\z", r"\Z"))
_FINE: Final = re.compile(r"\.[0-9]{10}|[0-9]n|[eE]-|^[+-]?\.[^0-9]*$")
_MAYBE_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt].*")


def excused(loss: str, reads: Sequence[str], old: Any, new: Any) -> bool:
    """Tell whether the objects show a loss."""
    shows = _SHOWN.get(loss)
    return shows is not None and any(shows(side, reads) for side in (old, new))


def _values(value: Any) -> Iterator[Any]:
    yield value
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for member in members:
        yield from _values(member)


def _has_null(value: Any, reads: Sequence[str]) -> bool:
    return any(member is None for member in _values(value))


def _has_fraction(value: Any, reads: Sequence[str]) -> bool:
    return any(isinstance(member, float | Decimal) for member in _values(value))


def _has_large_number(value: Any, reads: Sequence[str]) -> bool:
    return _has_fraction(value, reads) or any(type(each) is int and abs(each) > 2**53 for each in _values(value))


def _has_odd_time(value: Any, reads: Sequence[str]) -> bool:
    texts = (each for each in _values(value) if isinstance(each, str) and _MAYBE_TIME.match(each))
    return any((_TIME.fullmatch(text) is None) != (instant(text) is None) or text.startswith("9999") for text in texts)


def _has_fine_number(value: Any, reads: Sequence[str]) -> bool:
    return any(isinstance(member, str | float | Decimal) and _FINE.search(str(member)) for member in _values(value))


def _has_twins(value: Any, reads: Sequence[str]) -> bool:
    segments = [segment for read in reads for segment in _segments(read)]
    keys = {tuple(key for key, _ in segment.keys) for segment in segments if isinstance(segment, Select)}
    keys |= {segment.keys for segment in segments if isinstance(segment, Keyed)} | {("type",)}
    return any(_are_twins(each, key) for each in _values(value) if isinstance(each, list) for key in keys)


def _are_twins(items: list[Any], keys: tuple[str, ...]) -> bool:
    found = [canonical([item.get(key) for key in keys]) for item in items if isinstance(item, dict)]
    return len(set(found)) < len(found)


def _segments(read: str) -> Sequence[object]:
    return parse(read).segments


def _always(value: Any, reads: Sequence[str]) -> bool:
    return True


_SHOWN: Final[dict[str, Callable[[Any, Sequence[str]], bool]]] = {
    TWINS: _has_twins,
    NULLS: _has_null,
    FRACTION: _has_large_number,
    FRACTION_AS_TEXT: _has_fraction,
    ODD_TIME: _has_odd_time,
    QUANTITY: _has_fine_number,
    IGNORED: _always,
    SUM_OF_MAP: _always,
    SUM_ORDER: _always,
}
