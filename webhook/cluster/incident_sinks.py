"""What becomes of violations in the cluster: Events and policy reports, each behind a queue of its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import structlog

from webhook.cluster.client import ClusterClient
from webhook.observe.delivery import delivering
from webhook.observe.events import Events
from webhook.observe.incident import Incident
from webhook.observe.metrics import Metrics
from webhook.observe.queue import IncidentQueue
from webhook.observe.reports import Reports
from webhook.reviewer import RuleReviewer

_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Telling:
    """Which of the two are written, and how long an entry of a report is kept after what it tells of happened last."""

    events: bool = True
    reports: bool = True
    retention: timedelta = timedelta(hours=24)


class Sink(Protocol):
    """Takes incidents at once, and writes what it makes of them as it can."""

    async def take(self, incidents: Sequence[Incident]) -> None:
        """Take incidents."""

    async def run(self) -> None:
        """Write until cancelled."""

    async def flush(self) -> None:
        """Write once what is left."""


@asynccontextmanager
async def telling(
    settings: Telling, client: ClusterClient, reviewer: RuleReviewer, metrics: Metrics
) -> AsyncIterator[None]:
    """Have violations told as long as it is open; at the end, when no request can come, what is left is written if possible."""
    async with AsyncExitStack() as open_sinks:
        if settings.events:
            queue = IncidentQueue("events", metrics)
            reviewer.sinks.append(queue)
            await open_sinks.enter_async_context(_working(queue, Events(client, metrics, socket.gethostname())))
        if settings.reports:
            queue = IncidentQueue("reports", metrics)
            reviewer.sinks.append(queue)
            await open_sinks.enter_async_context(_working(queue, Reports(client, metrics, settings.retention)))
        yield


@asynccontextmanager
async def _working(queue: IncidentQueue, sink: Sink) -> AsyncIterator[None]:
    writing = asyncio.create_task(_run(queue.name, sink.run), name=queue.name)
    try:
        async with delivering(queue, sink.take):
            yield
    finally:
        writing.cancel()
        await asyncio.wait((writing,))
        await sink.flush()


async def _run(name: str, run: Callable[[], Awaitable[None]]) -> None:
    try:
        await run()
    except Exception:
        _logger.exception("a bug: violations are not told any more in one way, all else goes on", way=name)
