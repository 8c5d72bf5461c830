from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.instants import instant

OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(
    min_value=datetime(2, 1, 1),  # noqa: DTZ001  hypothesis adds the zone
    max_value=datetime(9998, 12, 31),  # noqa: DTZ001
    timezones=OFFSETS,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", id="another offset"),
        pytest.param("2026-01-01T00:00:00Z", "2025-12-31T18:30:00-05:30", id="another day"),
        pytest.param("2026-01-01T00:00:00Z", "2026-01-01t00:00:00z", id="lower case"),
        pytest.param("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000000000Z", id="zeros"),
        pytest.param("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.500-00:00", id="digits"),
        pytest.param("0000-02-29T00:00:00Z", "0000-02-28T23:00:00-01:00", id="the year 0 is a leap year"),
        pytest.param("9999-12-31T23:59:59Z", "9999-12-31T22:59:59-01:00", id="the last year"),
    ],
)
def test_the_same_instant(one: str, other: str) -> None:
    assert instant(one) is not None
    assert instant(one) == instant(other)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000000000000001Z"),
        ("2026-01-01T00:00:00.09Z", "2026-01-01T00:00:00.1Z"),
        ("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.51Z"),
        ("2026-01-01T00:00:00.999999999999Z", "2026-01-01T00:00:01Z"),
        ("2026-01-01T00:00:00+01:00", "2026-01-01T00:00:00Z"),
        ("0000-12-31T23:59:59Z", "0001-01-01T00:00:00Z"),
    ],
)
def test_order(earlier: str, later: str) -> None:
    before, after = instant(earlier), instant(later)
    assert before is not None
    assert after is not None
    assert before < after


@pytest.mark.parametrize(
    "written",
    [
        "",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00Z",
        "20260101T000000Z",
        "2026-W01-1T00:00:00Z",
        "2026-01-01T00:00:00,5Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00+01",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T23:59:60Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "10000-01-01T00:00:00Z",
        " 2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z\n",
        "٢٠٢٦-01-01T00:00:00Z",
    ],
)
def test_what_is_no_rfc_3339_time(written: str) -> None:
    assert instant(written) is None


@pytest.mark.parametrize("value", [None, 0, 20260101, True, ["2026-01-01T00:00:00Z"], {}])
def test_only_strings_are_times(value: Any) -> None:
    assert instant(value) is None


@given(TIMES, TIMES)
def test_order_is_that_of_datetime(one: datetime, other: datetime) -> None:
    first, second = instant(one.isoformat()), instant(other.isoformat())
    assert first is not None
    assert second is not None
    assert (first < second, first == second) == (one < other, one == other)
