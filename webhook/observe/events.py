"""Writes Kubernetes Events on the objects whose status was written wrongly. Never in the way of a request.

What is to be told is in memory, counted and bounded; one Event at a time is written. While the API server is away nothing but
the counts goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Final, Protocol

import structlog

from webhook.cluster.backoff import Backoff
from webhook.cluster.complaint import Complaint
from webhook.cluster.errors import ApiError, ClusterError
from webhook.cluster.payloads import Object
from webhook.observe import event_body
from webhook.observe.event_series import EventSeries, Series
from webhook.observe.incident import Incident
from webhook.observe.incident_parts import is_placed
from webhook.observe.metrics import Metrics

REQUEST_SECONDS: Final = 5.0
"""How long the API server has for one Event: it is not worth more."""

MAX_TRIES: Final = 10
"""Failures in a row after which an Event is given up: 20 s of pauses on average, and what the requests take."""

LONGEST_RETRY_AFTER: Final = 30.0
"""Seconds that we are willing to wait because the API server asks for it."""

SHORTEST_PAUSE: Final = 0.05
"""Seconds between two looks at what is due."""

FLUSH_SECONDS: Final = 2.0
"""How long the end of the process waits for what is not written yet."""

log = structlog.stdlib.get_logger(__name__)


class EventApi(Protocol):
    """What Events need of a ClusterClient."""

    async def create(self, path: str, body: Object) -> Object:
        """Create an object in a collection."""

    async def merge(self, path: str, body: Object) -> Object:
        """Apply a JSON merge patch."""


class Events:
    """Hand it to an IncidentQueue as `take`, and `run` it as a task."""

    def __init__(self, api: EventApi, metrics: Metrics, instance: str, *, backoff: Backoff | None = None) -> None:
        """Write as `instance`, the name of our pod."""
        self.series = EventSeries(instance)
        self._api = api
        self._metrics = metrics
        self._backoff = backoff or Backoff()
        self._stirred = asyncio.Event()
        self._complaint = Complaint("an Event cannot be written")

    async def take(self, incidents: Sequence[Incident]) -> None:
        """Count incidents. Those that no Event will tell of are counted as limited, those without a place as failed."""
        now = asyncio.get_running_loop().time()
        placed = [incident for incident in incidents if is_placed(incident)]
        self._metrics.event("failed", len(incidents) - len(placed))
        self._metrics.event("limited", sum(self.series.add(incident, now) for incident in placed))
        self._stirred.set()

    async def run(self) -> None:
        """Write what is due until cancelled."""
        while True:
            pause = await self._round()
            if pause is None:
                await self._stirred.wait()
            else:
                with suppress(TimeoutError):
                    async with asyncio.timeout(max(pause, SHORTEST_PAUSE)):
                        await self._stirred.wait()
            self._stirred.clear()

    async def flush(self) -> None:
        """Write once what is not written yet, and give up the rest. Call it when `run` has ended and nothing more is taken."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                while (series := self.series.next(float("inf"))) is not None and await self._try(series) is None:
                    pass
        if untold := self.series.untold():
            log.info("no Event tells of some violations at the end", count=untold)

    async def _round(self) -> float | None:
        """Write all that is due; return the seconds until there is more, None if nothing waits."""
        loop = asyncio.get_running_loop()
        while (series := self.series.next(loop.time())) is not None:
            if (error := await self._try(series)) is not None:
                # Not cut short by what comes in meanwhile: that is told of when the API server can be reached.
                await asyncio.sleep(self._wait(error))
        return self.series.wait(loop.time())

    async def _try(self, series: Series) -> Exception | None:
        """Write an Event; return the error if it is worth trying again."""
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._write(series)
        except (ClusterError, TimeoutError) as error:
            self._complaint.make(error)
            retryable = not isinstance(error, ClusterError) or error.retryable
            self.series.postpone(series, asyncio.get_running_loop().time())
            if not retryable or series.tries >= MAX_TRIES:
                self._metrics.event("failed")
                self.series.forget(series)
            return error if retryable else None
        self._backoff.reset()
        return None

    async def _write(self, series: Series) -> None:
        count, now = series.count, asyncio.get_running_loop().time()
        path = event_body.collection(series.incident)
        if series.told:
            try:
                change = event_body.series(count, series.latest.at)
                await self._api.merge(f"{path}/{self.series.name(series)}", change)
            except ApiError as error:
                if error.status != HTTPStatus.NOT_FOUND:
                    raise
                self.series.renew(series, now)
                return
            self._metrics.event("updated")
        else:
            try:
                await self._api.create(path, self.series.body(series))
            except ApiError as error:
                if error.status != HTTPStatus.CONFLICT:
                    raise
                # Ours, of a try that was not answered: how many it tells of is not known.
                count = 1
            self._metrics.event("created")
        self.series.written(series, count, now)

    def _wait(self, error: Exception) -> float:
        asked = error.retry_after if isinstance(error, ApiError) else None
        return max(self._backoff.next(), min(asked or 0.0, LONGEST_RETRY_AFTER))
