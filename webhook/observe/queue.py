"""The queue between the reviewer, which must not wait, and a sink that may be slow."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal, TypeAlias

import structlog

from webhook.observe.incident import Incident
from webhook.observe.log import Throttle
from webhook.observe.metrics import Metrics

Name: TypeAlias = Literal["log", "events", "reports"]

Take: TypeAlias = Callable[[Sequence[Incident]], Awaitable[None]]
"""Deals with incidents, in the order in which they happened."""

CAPACITY: Final = 1_000
"""Incidents that may wait, some 3 MB at their longest."""

MAX_BATCH: Final = 100
"""Incidents that are taken at once: the event loop is given back after each batch."""

_logger = structlog.get_logger()


class IncidentQueue:
    """A sink that keeps incidents, in bounded memory, for one that is slow. What finds no room is dropped and counted.

    Belongs to one event loop. `run` it as a task.
    """

    def __init__(self, name: Name, metrics: Metrics, capacity: int = CAPACITY) -> None:
        """Keep at most `capacity` incidents that wait; `name` is a label of the metrics."""
        self.name: Name = name
        self._capacity = capacity
        self._waiting: deque[Incident] = deque()
        self._stirred = asyncio.Event()
        self._closed = False
        self._throttle = Throttle()
        metrics.queue(name, capacity, lambda: len(self._waiting))
        self._drop = metrics.dropped(name)

    def __call__(self, incident: Incident) -> None:
        """Keep an incident, or drop it; never block."""
        if self._closed or len(self._waiting) >= self._capacity:
            self._drop(1)
            return
        self._waiting.append(incident)
        self._stirred.set()

    def close(self) -> None:
        """Accept nothing more. `run` returns once all that was accepted was taken."""
        self._closed = True
        self._stirred.set()

    async def run(self, take: Take) -> None:
        """Have everything taken, in batches, until the queue is closed and empty; what an error or an end loses is counted."""
        try:
            while self._waiting or not self._closed:
                await self._stirred.wait()
                self._stirred.clear()
                await self._take_all(take)
        finally:
            self._closed = True
            self._lose(len(self._waiting))
            self._waiting.clear()

    async def _take_all(self, take: Take) -> None:
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(MAX_BATCH, len(self._waiting)))]
            try:
                await take(batch)
            except Exception:
                self._drop(len(batch))
                if (held_back := self._throttle.admit("bug")) is not None:
                    _logger.exception("a bug in what takes violations", queue=self.name, held_back=held_back)
            except BaseException:
                self._lose(len(batch))
                raise
            await asyncio.sleep(0)

    def _lose(self, count: int) -> None:
        """Count what the end of the process loses, and say so, since nobody will scrape the count any more."""
        if count:
            self._drop(count)
            _logger.warning("violations are lost at the end", queue=self.name, count=count)
