from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.webhook.running import LogCapture, samples
from webhook.observe import violation_log
from webhook.observe.metrics import Metrics
from webhook.observe.turns import MAX_OBJECTS
from webhook.observe.violation_log import WINDOW, ViolationLog

from .incidents import incident


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Logging:
    """A log of violations, its time and what it counts."""

    def __init__(self, log: LogCapture, window: float = WINDOW) -> None:
        self.clock, self.metrics = Clock(), Metrics()
        self.sink = ViolationLog(self.metrics, window, self.clock)
        self._log = log

    async def take(self, count: int = 1, **fields: str) -> None:
        await self.sink.take([incident(**fields)] * count)

    def violations(self) -> int:
        return len(self._log.named("violation"))

    def held_back(self) -> list[int]:
        return [event["count"] for event in self._log.named("violations held back")]

    def counted(self) -> float:
        ((_, value),) = samples(self.metrics, "statusguard_log_lines_held_back_total")
        return value


@pytest.fixture
def logging(log: LogCapture) -> Logging:
    return Logging(log)


async def test_a_violation_is_one_line_that_says_all_of_it(logging: Logging, log: LogCapture) -> None:
    await logging.take()
    (event,) = log.events()
    del event["timestamp"]
    assert event == {
        "event": "violation",
        "level": "warning",
        "rule": "r",
        "invariant": "i",
        "field": "status.observedGeneration",
        "old": "2",
        "new": "1",
        "action": "Deny",
        "denied": True,
        "problem": "went back from 2 to 1",
        "resource": "widgets.example.test",
        "object": "n/w",
        "writer": "u",
        "manager": "m",
        "last_writer": "kubelet",
        "last_written": "2026-01-01T00:00:00Z",
        "request_uid": "u-1",
    }


async def test_the_line_that_the_documentation_shows_is_one_of_ours(logging: Logging, log: LogCapture) -> None:
    await logging.take()
    page = (Path(__file__).parents[3] / "docs/metrics.md").read_text("utf-8")
    _, _, block = page.partition("```json\n")
    assert json.loads(block.partition("```")[0]).keys() == log.events()[0].keys()


async def test_what_repeats_is_held_back_and_its_count_is_said_when_the_window_has_passed(
    logging: Logging, log: LogCapture
) -> None:
    await logging.take(5)
    await logging.take(5, old="3", manager="another", request_uid="u-2")
    assert (logging.violations(), logging.held_back(), logging.counted()) == (1, [], 9)
    logging.clock.now += WINDOW
    await logging.take()
    assert (logging.violations(), logging.held_back(), logging.counted()) == (1, [9], 10)
    (event,) = log.named("violations held back")
    del event["timestamp"]
    assert event == {
        "event": "violations held back",
        "level": "warning",
        "count": 9,
        "rule": "r",
        "invariant": "i",
        "resource": "widgets.example.test",
        "object": "n/w",
        "writer": "u",
    }


@contextmanager
def ticking(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the log look every millisecond."""
    with monkeypatch.context() as patch:
        patch.setattr(violation_log, "TICK", 0.001)
        yield


async def test_the_count_is_said_without_another_violation(logging: Logging, monkeypatch: pytest.MonkeyPatch) -> None:
    with ticking(monkeypatch):
        async with logging.sink.closing(), asyncio.timeout(10):
            await logging.take(3)
            logging.clock.now += WINDOW
            while not logging.held_back():  # noqa: ASYNC110  no event tells of it
                await asyncio.sleep(0.001)
    assert logging.held_back() == [2]


async def test_at_the_end_all_that_was_held_back_is_said(logging: Logging) -> None:
    async with logging.sink.closing():
        await logging.take(3)
        await logging.take(2, name="v")
    assert (logging.violations(), logging.held_back()) == (2, [2, 1])


async def test_of_many_objects_some_are_named_and_the_rest_is_counted(logging: Logging, log: LogCapture) -> None:
    async with logging.sink.closing():
        await logging.sink.take([incident(name=str(number)) for number in range(1_000)])
    assert (logging.violations(), logging.held_back()) == (MAX_OBJECTS, [1_000 - MAX_OBJECTS])
    (event,) = log.named("violations held back")
    assert (event["rule"], event["invariant"], event["writer"]) == ("r", "i", "u")
    assert "object" not in event


async def test_without_a_window_each_violation_has_its_line(log: LogCapture) -> None:
    logging = Logging(log, window=0.0)
    await logging.take(3)
    assert (logging.violations(), logging.counted()) == (3, 0)


async def test_text_from_outside_stays_on_its_line(logging: Logging, log: LogCapture) -> None:
    await logging.take(name="x\ny", writer="\x1b[2J", rule="\u202e")
    (line,) = log.stream.getvalue().splitlines()
    assert line.isascii()
    assert line.isprintable()
