"""Times that a prefilter compares: only such as sort as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.instants import instant
from rules.native.expression import name
from rules.native.measures import in_order
from rules.native.value import dynamic

from .engine import evaluate

_PLACES = "0000-00-00T00:00:00Z"
_LIKE_TIMES = st.tuples(*(st.sampled_from("0123459") if place == "0" else st.just(place) for place in _PLACES)).map(
    "".join
)
_FIRST = datetime(1000, 1, 1, tzinfo=UTC)
_SECONDS = int((datetime(9999, 12, 31, tzinfo=UTC) - _FIRST).total_seconds())
_TIMES = st.integers(0, _SECONDS).map(lambda seconds: _written(_FIRST + timedelta(seconds=seconds)))
_ANYTHING: st.SearchStrategy[Any] = (
    _TIMES | _LIKE_TIMES | st.sampled_from([None, 3, 2.5, "", "x" * 20, [], {}, "2026-01-01T00:00:00.0Z"])
)


def _written(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def are_in_order(old: object, new: object) -> bool:
    found = in_order(dynamic(name("o")), dynamic(name("n")))
    return bool(evaluate(found.text, {"o": old, "n": new}))


@given(_ANYTHING, _ANYTHING)
def test_what_is_in_order_are_times_in_order(old: object, new: object) -> None:
    before, after = instant(old), instant(new)
    assert not are_in_order(old, new) or (before is not None and after is not None and before <= after)


@given(_TIMES, _TIMES)
def test_times_are_in_order_one_way_or_the_other(old: str, new: str) -> None:
    assert "-02-29" in f"{old}{new}" or are_in_order(*sorted((old, new)))


@pytest.mark.parametrize("day", range(1, 367))
def test_every_day_of_a_year_but_that_of_leap_years(day: int) -> None:
    text = _written(datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=day - 1))
    assert are_in_order(text, text) == ("-02-29" not in text)
