"""A collection of the API server, kept up to date in memory: list once, then watch, through whatever happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

import structlog

from webhook.cluster.backoff import Backoff
from webhook.cluster.client import ClusterClient
from webhook.cluster.errors import ApiError, ClusterError, UnreachableError, UnreadableError
from webhook.cluster.payloads import Key, Object, WatchEvent, key_of, version_of
from webhook.observe.log import Throttle
from webhook.observe.metrics import Metrics

WATCH_SECONDS: Final = 30
"""How long a watch is asked to last. A connection that died without a word is noticed soon after that (client-go's pings take
45 s), and `last_contact` is never older while all is well."""

RELIST_SECONDS: Final = 600.0
"""How long at most watches alone are relied on. A watch from a resourceVersion of the future, as after etcd was restored from a
backup, is not refused: it is just silent (measured with 1.36)."""

SETTLED_SECONDS: Final = 5.0
"""A watch that was open this long worked, even if nothing happened in it."""

LONGEST_RETRY_AFTER: Final = 30.0
"""Seconds that we are willing to wait because the API server asks for it."""

log = structlog.stdlib.get_logger(__name__)


class Informer:
    """Follows one collection. `run` it as a task; it ends only by being cancelled, and never gives up.

    `store` is a snapshot of all objects: it never changes, a change makes a new one. Through any outage, and while the
    collection does not exist (its CRD is missing), it stays as it was last. `synced` is set after the first snapshot was
    handed to `on_change`. `last_contact` is when the API server was last heard of in this matter, in seconds since the
    epoch, 0 if never.
    """

    def __init__(
        self,
        client: ClusterClient,
        path: str,
        on_change: Callable[[], None],
        *,
        field_selector: str | None = None,
        backoff: Backoff | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        """Call `on_change` for the first snapshot, even if it is empty, and for each one that differs; it must not block.

        `field_selector` is one of the API's own: `metadata.name=x`. `metrics` get how fresh the snapshot is, by the plural that
        ends `path`.
        """
        self.store: Mapping[Key, Object] = MappingProxyType({})
        self.synced = asyncio.Event()
        self.last_contact = 0.0
        self._client = client
        self._path = path
        self._params = {"fieldSelector": field_selector} if field_selector else {}
        self._on_change = on_change
        self._backoff = backoff or Backoff()
        self._throttle = Throttle()
        self._troubled = False
        self._resource_version: str | None = None
        self._listed = time.monotonic()
        if metrics is not None:
            metrics.informer(path.rpartition("/")[2], lambda: self.last_contact, self.synced.is_set)

    async def run(self) -> None:
        """List and watch until cancelled."""
        while True:
            wait = await self._round()
            await asyncio.sleep(wait)

    async def _round(self) -> float:
        """Watch, after a list if need be, until that ends; return the seconds to wait before the next time.

        There is always a wait, so that nothing the other end does makes this a busy loop.
        """
        if time.monotonic() - self._listed >= RELIST_SECONDS:
            self._resource_version = None
        try:
            await self._follow()
        except ClusterError as error:
            return self._after(error)
        except Exception:
            log.exception("a bug while following a collection, all is listed anew", path=self._path)
            self._resource_version = None
        return self._backoff.next()

    async def _follow(self) -> None:
        if self._resource_version is not None:
            try:
                await self._watch(self._resource_version)
            except ApiError as error:
                if error.status != HTTPStatus.GONE:
                    raise
                log.debug("listed anew", path=self._path, cause=str(error))
            else:
                return
        await self._watch(await self._list())

    def _after(self, error: ClusterError) -> float:
        wait = self._backoff.next()
        if isinstance(error, ApiError):
            wait = max(wait, min(error.retry_after or 0.0, LONGEST_RETRY_AFTER))
        if not _resumable(error):
            self._resource_version = None
        self._report(error, wait)
        return wait

    async def _list(self) -> str:
        listing = await self._client.list(self._path, **self._params)
        self._heard()
        self._listed = time.monotonic()
        fresh = {key_of(item): item for item in listing.items}
        if not self.synced.is_set() or fresh != self.store:
            self._exchange(fresh)
        self._resource_version = listing.resource_version
        self.synced.set()
        return listing.resource_version

    async def _watch(self, resource_version: str) -> None:
        opened = None
        try:
            async with self._client.watch(self._path, resource_version, WATCH_SECONDS, **self._params) as events:
                opened = time.monotonic()
                self._heard()
                async for event in events:
                    self._heard()
                    self._backoff.reset()
                    self._take(event)
        finally:
            if opened is not None and time.monotonic() - opened >= SETTLED_SECONDS:
                self._backoff.reset()
        self._heard()

    def _take(self, event: WatchEvent) -> None:
        match event.type:
            case "ADDED" | "MODIFIED":
                self._exchange({**self.store, key_of(event.object): event.object})
            case "DELETED":
                gone = key_of(event.object)
                self._exchange({key: found for key, found in self.store.items() if key != gone})
            case "BOOKMARK":
                pass
            case _:
                raise UnreadableError(f"an event of type {event.type}")
        self._resource_version = version_of(event.object)

    def _exchange(self, store: dict[Key, Object]) -> None:
        self.store = MappingProxyType(store)
        try:
            self._on_change()
        except Exception:
            log.exception("a bug in what follows a collection", path=self._path)

    def _heard(self) -> None:
        self.last_contact = time.time()
        if self._troubled:
            self._troubled = False
            log.info("a collection is followed again", path=self._path)

    def _report(self, error: ClusterError, wait: float) -> None:
        kind = f"{type(error).__name__} {error.status if isinstance(error, ApiError) else ''}"
        held_back = self._throttle.admit(kind)
        if held_back is None:
            return
        self._troubled = True
        log.warning(
            "a collection cannot be followed, what is known of it is kept",
            path=self._path,
            error=str(error),
            next_try_in=round(wait, 1),
            held_back=held_back,
        )


def _resumable(error: ClusterError) -> bool:
    """Tell whether the watch may continue from where it was: the error says nothing about the resourceVersion."""
    return isinstance(error, UnreachableError) or (isinstance(error, ApiError) and error.retryable)
