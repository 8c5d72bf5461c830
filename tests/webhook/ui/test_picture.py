from __future__ import annotations

import pytest

from webhook.ui.picture import ceiling, rates
from webhook.ui.rates import Rates, minute_of

from .views import NOW, Read

LAST = minute_of(NOW)


def bars(read: Read) -> list[tuple[str, float, float]]:
    """Return kind, top and height of each bar."""
    return [
        (str(each["class"]), float(str(each["y"])), float(str(each["height"])))
        for name, each in read.elements
        if name == "rect"
    ]


def test_bars_stand_on_each_other_and_reach_as_high_as_the_numbers() -> None:
    minutes = Rates()
    for became, count in (("refused", 2), ("warned", 1), ("reported", 1)):
        for _ in range(count):
            minutes.add(became, LAST)  # type: ignore[arg-type]
    read = Read(rates(minutes.hour(LAST)))
    assert bars(read) == [("refused", 60.0, 40.0), ("warned", 40.0, 20.0), ("reported", 20.0, 20.0)]
    assert read.all_of("title") == ["Violations a minute in the last hour"]
    assert read.all_of("desc") == ["4 violations; most in one minute: 4 at 09:59 UTC."]


def test_the_numbers_are_there_as_a_table() -> None:
    minutes = Rates()
    minutes.add("refused", LAST)
    minutes.add("warned", LAST - 59)
    read = Read(rates(minutes.hour(LAST)))
    assert read.all_of("th") == ["minute (UTC)", "refused", "warned", "reported", "09:59", "09:00"]
    assert read.all_of("td") == ["1", "0", "0", "0", "1", "0"]


def test_an_hour_without_any_is_said_in_words() -> None:
    read = Read(rates(Rates().hour(LAST)))
    assert bars(read) == []
    assert read.all_of("desc") == ["No violation in the last hour."]
    assert "table" not in read.names()


@pytest.mark.parametrize(("peak", "top"), [(0, 1), (1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (501, 1_000)])
def test_the_top_is_a_round_number(peak: int, top: int) -> None:
    assert ceiling(peak) == top
