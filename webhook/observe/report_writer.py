"""Adds batches to policy reports: reads a report, merges, and writes it if nobody else did meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final, Protocol
from urllib.parse import urlencode

from webhook.cluster.backoff import Backoff
from webhook.cluster.errors import ApiError
from webhook.cluster.payloads import Object
from webhook.observe.report_apis import APIS, ReportApi
from webhook.observe.report_body import NAME, Batch, batches, report

REQUEST_SECONDS: Final = 10.0
"""How long one reading and writing of a report may take."""

MAX_CONFLICTS: Final = 8
"""How often a report is read again because another replica was faster."""

PAGE: Final = 20
"""Reports that are read at once while those with old entries are looked for: one can be half a megabyte."""


class ReportsApi(Protocol):
    """What reports need of a ClusterClient."""

    async def get(self, path: str) -> Object:
        """Return an object."""

    async def create(self, path: str, body: Object) -> Object:
        """Create an object in a collection."""

    async def replace(self, path: str, body: Object) -> Object:
        """Replace an object if it still has the resourceVersion of `body`."""


class ReportWriter:
    """Knows how reports are found and written. Methods raise ClusterError or TimeoutError."""

    def __init__(self, api: ReportsApi) -> None:
        self._api = api

    async def discover(self) -> ReportApi | None:
        """Return the API of reports that the cluster has, None if it has none."""
        for each in APIS:
            try:
                async with asyncio.timeout(REQUEST_SECONDS):
                    found = await self._api.get(f"/apis/{each.api_version}")
            except ApiError as error:
                if error.status != HTTPStatus.NOT_FOUND:
                    raise
                continue
            served = {resource.get("name") for resource in found.get("resources") or ()}
            if {each.of_namespace.plural, each.of_cluster.plural} <= served:
                return each
        return None

    async def add(self, api: ReportApi, namespace: str, batch: Batch, oldest: datetime) -> None:
        """Add a batch to the report of a namespace, once, and take out what is older than `oldest`."""
        backoff = Backoff(first=0.05, longest=1.0)
        for _ in range(MAX_CONFLICTS):
            try:
                async with asyncio.timeout(REQUEST_SECONDS):
                    return await self._add(api, namespace, batch, oldest)
            except ApiError as error:
                if error.status != HTTPStatus.CONFLICT:
                    raise
            await asyncio.sleep(backoff.next())
        raise TimeoutError("other replicas were always faster")

    async def _add(self, api: ReportApi, namespace: str, batch: Batch, oldest: datetime) -> None:
        collection = api.collection(namespace)
        path = f"{collection}/{NAME}"
        try:
            found = await self._api.get(path)
        except ApiError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            await self._api.create(collection, report(api, namespace, None, batch, oldest))
        else:
            if batch.name not in batches(found):
                await self._api.replace(path, report(api, namespace, found, batch, oldest))

    async def all(self, api: ReportApi) -> AsyncIterator[Object]:
        """Yield our reports, a few in memory at a time."""
        for plural in (api.of_namespace.plural, api.of_cluster.plural):
            following = ""
            while True:
                query = {"fieldSelector": f"metadata.name={NAME}", "limit": str(PAGE)}
                if following:
                    query["continue"] = following
                async with asyncio.timeout(REQUEST_SECONDS):
                    page: dict[str, Any] = await self._api.get(f"/apis/{api.api_version}/{plural}?{urlencode(query)}")
                for each in page.get("items") or ():
                    yield each
                following = page["metadata"].get("continue") or ""
                if not following:
                    break
