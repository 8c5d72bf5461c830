"""Writes policy reports: one for each namespace, and one for what is in none. Never in the way of a request.

What happened waits in memory, counted and bounded, and is written in batches. While the API server is away, or has no reports,
nothing but the counts goes on.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Final
from uuid import uuid4

import structlog

from webhook.cluster.complaint import Complaint
from webhook.cluster.errors import ApiError, ClusterError
from webhook.observe.incident import Incident
from webhook.observe.incident_parts import is_placed
from webhook.observe.metrics import Metrics
from webhook.observe.report_apis import APIS, ReportApi
from webhook.observe.report_backlog import Backlog
from webhook.observe.report_body import Batch, has_aged
from webhook.observe.report_writer import ReportsApi, ReportWriter

BATCH_SECONDS: Final = 10.0
"""Seconds between two batches."""

MOST_REPORTS: Final = 50
"""Reports that one batch may write; the others wait for the next one."""

MOST_FAILURES: Final = 3
"""Reports that could not be written after which the rest of a batch waits too: the API server is away."""

LOOK_SECONDS: Final = 300.0
"""How often it is looked which API of reports the cluster has."""

SWEEP_SECONDS: Final = 3_600.0
"""How often old entries are taken out of reports into which nothing else is written."""

FLUSH_SECONDS: Final = 2.0
"""How long the end of the process waits for what is not written yet."""

log = structlog.stdlib.get_logger(__name__)


class Reports:
    """Hand it to an IncidentQueue as `take`, and `run` it as a task."""

    def __init__(self, api: ReportsApi, metrics: Metrics, retention: timedelta) -> None:
        """Keep entries for as long as `retention` after what they tell of happened last."""
        self.backlog = Backlog()
        self._writer = ReportWriter(api)
        self._metrics = metrics
        self._drop = metrics.dropped("reports")
        self._retention = retention
        self._complaint = Complaint("a policy report cannot be written")
        self._api: ReportApi | None = None
        self._looked = float("-inf")
        self._is_said = False

    async def take(self, incidents: Sequence[Incident]) -> None:
        """Keep incidents until the next batch. What there is no room or no place for is counted as dropped."""
        self._drop(sum(not (is_placed(incident) and self.backlog.add(incident)) for incident in incidents))

    async def run(self) -> None:
        """Write a batch every BATCH_SECONDS until cancelled."""
        # Replicas that start together do not sweep together.
        sweep_at = _now() + SWEEP_SECONDS * random.uniform(0.05, 0.2)  # noqa: S311  no secret
        while True:
            await self.write()
            if _now() >= sweep_at:
                sweep_at = _now() + SWEEP_SECONDS
                await self.sweep()
            await asyncio.sleep(BATCH_SECONDS)

    async def write(self) -> None:
        """Write one batch, once; what cannot be written for a while waits for the next one."""
        failed = 0
        try:
            await self._look()
            if self._api is None:
                self.backlog.clear()
                return
            for namespace in self.backlog.namespaces(MOST_REPORTS):
                failed += not await self._add(self._api, namespace)
                if failed >= MOST_FAILURES:
                    return
        except (ClusterError, TimeoutError) as error:
            self._complaint.make(error)

    async def sweep(self) -> None:
        """Take old entries out of all reports."""
        if self._api is None:
            return
        try:
            async for found in self._writer.all(self._api):
                if has_aged(found, self._oldest()):
                    nothing = Batch(uuid4().hex[:12], {})
                    namespace = found["metadata"].get("namespace", "")
                    await self._writer.add(self._api, namespace, nothing, self._oldest())
                    self._metrics.report("written")
        except (ClusterError, TimeoutError) as error:
            self._complaint.make(error)

    async def flush(self) -> None:
        """Write once what is not written yet, and give up the rest. Call it when `run` has ended and nothing more is taken."""
        if not self.backlog:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await self.write()
        if self.backlog:
            log.info("no report tells of some violations at the end", entries=len(self.backlog))

    async def _look(self) -> None:
        """Find out which API of reports there is, unless that was done lately."""
        if _now() < self._looked + LOOK_SECONDS:
            return
        found = await self._writer.discover()
        if found != self._api or not self._is_said:
            _say(found)
        self._api, self._looked, self._is_said = found, _now(), True

    async def _add(self, api: ReportApi, namespace: str) -> bool:
        """Add what waits to a report; return whether that need not be tried again."""
        batch = self.backlog.pop(namespace)
        try:
            await self._writer.add(api, namespace, batch, self._oldest())
        except (ClusterError, TimeoutError) as error:
            self._metrics.report("failed")
            self._complaint.make(error)
            if isinstance(error, ClusterError) and not error.retryable:
                self._refused(error, batch)
                return True
            self.backlog.give_back(namespace, batch)
            return False
        except asyncio.CancelledError:
            self.backlog.give_back(namespace, batch)
            raise
        self._metrics.report("written")
        return True

    def _refused(self, error: ClusterError, batch: Batch) -> None:
        """Go on without a batch: its namespace is gone, or the API, or we lack the right."""
        self._drop(sum(entry.count for entry in batch.entries.values()))
        if isinstance(error, ApiError) and error.status == HTTPStatus.NOT_FOUND:
            self._looked = float("-inf")

    def _oldest(self) -> datetime:
        return datetime.now(UTC) - self._retention


def _say(found: ReportApi | None) -> None:
    if found is None:
        log.info(
            "no policy reports are written: the cluster has no API for them", wanted=[each.api_version for each in APIS]
        )
    else:
        log.info("policy reports are written", api=found.api_version)


def _now() -> float:
    return asyncio.get_running_loop().time()
