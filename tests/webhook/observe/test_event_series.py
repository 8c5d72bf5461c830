from __future__ import annotations

import re
from typing import Any

import pytest

from webhook.observe.event_series import (
    MOST_SERIES,
    OBJECT_BURST,
    OBJECT_RATE,
    SERIES_SECONDS,
    TOTAL_BURST,
    UPDATE_BURST,
    UPDATE_SECONDS,
    EventSeries,
    Series,
)

from .incidents import incident


@pytest.fixture
def all_series() -> EventSeries:
    return EventSeries("pod-1")


def add(to: EventSeries, now: float, **fields: Any) -> int:
    return to.add(incident(**fields), now)


def write_all(of: EventSeries, now: float) -> list[Series]:
    """Write what is due, and return it."""
    found = []
    while (series := of.next(now)) is not None:
        of.written(series, series.count, now)
        found.append(series)
    return found


def test_what_repeats_is_one_event_that_counts(all_series: EventSeries) -> None:
    assert [add(all_series, 0.0, request_uid=str(number)) for number in range(3)] == [0, 0, 0]
    (series,) = write_all(all_series, 0.0)
    assert all_series.body(series)["series"]["count"] == 3
    assert all_series.wait(0.0) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"rule": "another"},
        {"invariant": "another"},
        {"namespace": "another"},
        {"name": "another"},
        {"kind": "Gadget"},
        {"object_uid": "another"},
        {"writer": "another"},
        {"manager": "another"},
        {"action": "Audit"},
        {"denied": False},
    ],
    ids=str,
)
def test_what_differs_in_any_of_these_is_another_event(all_series: EventSeries, fields: dict[str, Any]) -> None:
    add(all_series, 0.0)
    add(all_series, 0.0, **fields)
    first, second = write_all(all_series, 0.0)
    assert all_series.name(first) != all_series.name(second)


@pytest.mark.parametrize("fields", [{"new": "0"}, {"field": "status.x"}, {"problem": "went"}], ids=str)
def test_what_differs_otherwise_is_the_same_event(all_series: EventSeries, fields: dict[str, Any]) -> None:
    add(all_series, 0.0)
    add(all_series, 0.0, **fields)
    assert len(write_all(all_series, 0.0)) == 1


def test_a_name_is_one_that_kubernetes_takes_and_stays(all_series: EventSeries) -> None:
    add(all_series, 0.0, name="system:node", rule="n/r", writer='"\N{SNOWMAN}"')
    (series,) = write_all(all_series, 0.0)
    name = all_series.name(series)
    assert re.fullmatch(r"[a-z0-9.-]{1,253}", name)
    add(all_series, 1.0, name="system:node", rule="n/r", writer='"\N{SNOWMAN}"', request_uid="u-2")
    assert all_series.name(series) == name


def test_replicas_do_not_write_into_each_others_events() -> None:
    names = []
    for instance in ("pod-1", "pod-2"):
        all_series = EventSeries(instance)
        add(all_series, 0.0)
        (series,) = write_all(all_series, 0.0)
        names.append(all_series.name(series))
    assert names[0] != names[1]


def test_an_event_is_updated_once_in_a_while(all_series: EventSeries) -> None:
    add(all_series, 0.0)
    write_all(all_series, 0.0)
    add(all_series, 1.0)
    assert write_all(all_series, 1.0) == []
    assert all_series.wait(1.0) == UPDATE_SECONDS - 1.0
    (series,) = write_all(all_series, UPDATE_SECONDS)
    assert series.told == 2


def test_after_a_long_pause_it_is_another_event(all_series: EventSeries) -> None:
    add(all_series, 0.0)
    (first,) = write_all(all_series, 0.0)
    add(all_series, SERIES_SECONDS)
    (second,) = write_all(all_series, SERIES_SECONDS)
    assert first is not second
    assert all_series.next(3 * SERIES_SECONDS) is None
    assert len(all_series) == 0


def test_a_series_that_goes_on_is_one_event(all_series: EventSeries) -> None:
    for number in range(10):
        add(all_series, number * (SERIES_SECONDS - 1))
        write_all(all_series, number * (SERIES_SECONDS - 1))
    assert len(all_series) == 1
    assert all_series.untold() == 0


def test_about_one_object_there_are_few_events(all_series: EventSeries) -> None:
    limited = sum(add(all_series, 0.0, writer=f"u{number}") for number in range(1_000))
    assert limited == 1_000 - OBJECT_BURST
    assert add(all_series, 0.0, name="another") == 0
    assert add(all_series, 1 / OBJECT_RATE, writer="late") == 0
    assert add(all_series, 1 / OBJECT_RATE, writer="later") == 1


def test_in_all_there_are_few_events(all_series: EventSeries) -> None:
    limited = sum(add(all_series, 0.0, name=f"w{number}") for number in range(10_000))
    assert limited == 10_000 - TOTAL_BURST
    assert len(all_series) == TOTAL_BURST


def test_who_is_over_the_limit_of_an_object_takes_nothing_from_the_others(all_series: EventSeries) -> None:
    for number in range(1_000):
        add(all_series, 0.0, writer=f"u{number}")
    assert [add(all_series, 0.0, name=f"w{number}") for number in range(TOTAL_BURST - OBJECT_BURST)].count(0) == 40


def test_updates_are_limited_and_wait(all_series: EventSeries) -> None:
    now = 0.0
    for number in range(2 * UPDATE_BURST):
        add(all_series, now, name=f"w{number}")
        write_all(all_series, now)
        now += 1.0
    for number in range(2 * UPDATE_BURST):
        add(all_series, now, name=f"w{number}")
    now += UPDATE_SECONDS
    assert len(write_all(all_series, now)) == UPDATE_BURST
    assert 0 < (all_series.wait(now) or 0) <= 1.0
    add(all_series, now, name="new")
    assert all_series.wait(now) == 0.0
    assert len(write_all(all_series, now)) == 1
    assert len(write_all(all_series, now + 60)) == UPDATE_BURST


def test_what_was_limited_and_what_is_told_is_all_there_was(all_series: EventSeries) -> None:
    limited = sum(
        add(all_series, float(number), name=f"w{number % 97}", writer=f"u{number % 7}") for number in range(5_000)
    )
    assert limited + sum(each.told for each in write_all(all_series, 1e6)) == 5_000


def test_the_memory_is_bounded_and_what_is_forgotten_untold_is_counted(all_series: EventSeries) -> None:
    limited = sum(add(all_series, number * 1.0, name=f"w{number}") for number in range(MOST_SERIES + 100))
    assert len(all_series) == MOST_SERIES
    assert limited == 100


def test_an_event_that_is_gone_is_begun_anew_with_what_was_not_told(all_series: EventSeries) -> None:
    add(all_series, 0.0)
    (series,) = write_all(all_series, 0.0)
    name = all_series.name(series)
    for number in range(2):
        add(all_series, 20.0, at=incident().at.replace(minute=number + 1))
    all_series.renew(series, 20.0)
    assert all_series.next(20.0) is series
    body = all_series.body(series)
    assert body["metadata"]["name"] != name
    assert body["series"]["count"] == 2
    assert body["eventTime"] == "2026-01-01T00:02:00.000000Z"
