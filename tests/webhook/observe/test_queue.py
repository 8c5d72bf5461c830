from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.webhook.running import LogCapture, samples
from webhook.observe.delivery import delivering
from webhook.observe.incident import Incident
from webhook.observe.metrics import Metrics
from webhook.observe.queue import MAX_BATCH, IncidentQueue

from .incidents import incident


class Taker:
    """Takes batches, once it may."""

    def __init__(self, *, at_once: bool = True) -> None:
        self.names: list[str] = []
        self.batches: list[int] = []
        self.may = asyncio.Event()
        self.began = asyncio.Event()
        if at_once:
            self.may.set()

    async def __call__(self, incidents: Sequence[Incident]) -> None:
        self.began.set()
        await self.may.wait()
        self.batches.append(len(incidents))
        self.names += [each.name for each in incidents]


def filled(metrics: Metrics, count: int, capacity: int = 1_000) -> IncidentQueue:
    queue = IncidentQueue("log", metrics, capacity)
    for number in range(count):
        queue(incident(name=str(number)))
    return queue


def value(metrics: Metrics, name: str) -> float:
    ((labels, found),) = samples(metrics, f"statusguard_queue_{name}")
    assert labels == {"queue": "log"}
    return found


async def test_incidents_are_taken_in_order_and_in_batches() -> None:
    taker = Taker()
    queue = filled(Metrics(), 2 * MAX_BATCH + 1)
    async with delivering(queue, taker):
        pass
    assert taker.names == [str(number) for number in range(2 * MAX_BATCH + 1)]
    assert taker.batches == [MAX_BATCH, MAX_BATCH, 1]


async def test_what_comes_later_is_taken_too() -> None:
    taker = Taker()
    queue = filled(Metrics(), 0)
    async with delivering(queue, taker):
        await asyncio.sleep(0)
        queue(incident())
        await taker.began.wait()
    assert taker.names == ["w"]


async def test_what_finds_no_room_is_dropped_and_counted() -> None:
    metrics = Metrics()
    queue = filled(metrics, 5, capacity=3)
    assert (value(metrics, "depth"), value(metrics, "capacity"), value(metrics, "dropped_total")) == (3, 3, 2)
    taker = Taker()
    async with delivering(queue, taker):
        pass
    assert taker.names == ["0", "1", "2"]
    assert (value(metrics, "depth"), value(metrics, "dropped_total")) == (0, 2)


async def test_a_queue_is_there_with_all_its_series_from_the_start() -> None:
    metrics = Metrics()
    filled(metrics, 0, capacity=7)
    assert [value(metrics, name) for name in ("depth", "capacity", "dropped_total")] == [0, 7, 0]


async def test_nothing_is_accepted_any_more_once_it_is_closed() -> None:
    metrics, taker = Metrics(), Taker()
    queue = filled(metrics, 1)
    queue.close()
    queue(incident(name="late"))
    async with delivering(queue, taker):
        pass
    assert taker.names == ["0"]
    assert value(metrics, "dropped_total") == 1


async def test_an_error_costs_its_batch_which_is_counted_and_the_rest_is_taken(log: LogCapture) -> None:
    metrics, taker = Metrics(), Taker()

    async def take(incidents: Sequence[Incident]) -> None:
        if incidents[0].name == "0":
            raise ValueError("a bug")
        await taker(incidents)

    async with delivering(filled(metrics, MAX_BATCH + 1), take):
        pass
    assert taker.names == [str(MAX_BATCH)]
    assert value(metrics, "dropped_total") == MAX_BATCH
    (event,) = log.named("a bug in what takes violations")
    assert "ValueError: a bug" in event["exception"]


async def test_who_is_stuck_at_the_end_is_given_up_and_what_that_loses_is_counted_and_said(log: LogCapture) -> None:
    metrics, taker = Metrics(), Taker(at_once=False)
    async with delivering(filled(metrics, MAX_BATCH + 2), taker, patience=0.01):
        await taker.began.wait()
    assert taker.names == []
    assert value(metrics, "dropped_total") == MAX_BATCH + 2
    assert [(event["queue"], event["count"]) for event in log.named("violations are lost at the end")] == [
        ("log", MAX_BATCH),
        ("log", 2),
    ]


async def test_the_end_waits_for_who_is_slow() -> None:
    taker = Taker(at_once=False)
    async with delivering(filled(Metrics(), 3), taker):
        asyncio.get_running_loop().call_later(0.02, taker.may.set)
    assert taker.names == ["0", "1", "2"]


async def test_whatever_ends_the_work_what_was_accepted_is_taken() -> None:
    taker = Taker()
    with pytest.raises(KeyError):
        async with delivering(filled(Metrics(), 3), taker):
            raise KeyError
    assert taker.names == ["0", "1", "2"]


async def test_the_event_loop_is_given_back_after_each_batch() -> None:
    queue, taken_in_between = filled(Metrics(), 3 * MAX_BATCH), asyncio.Event()

    async def take(incidents: Sequence[Incident]) -> None:
        if incidents[0].name == str(2 * MAX_BATCH):
            assert taken_in_between.is_set()

    asyncio.get_running_loop().call_soon(asyncio.get_running_loop().call_soon, taken_in_between.set)
    async with delivering(queue, take):
        pass
    assert taken_in_between.is_set()
