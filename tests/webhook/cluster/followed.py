"""An informer under test, and the collection that it follows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from tests.webhook.running import LogCapture
from webhook.cluster.backoff import Backoff
from webhook.cluster.client import ClusterClient
from webhook.cluster.informer import Informer

from .fake_api import FakeApi


@asynccontextmanager
async def at_work(work: Coroutine[Any, Any, None], log: LogCapture, *, bugs_expected: bool) -> AsyncIterator[None]:
    """Let something that never ends work; it must not end by itself, nor log a bug unless one is expected."""
    task = asyncio.create_task(work)
    try:
        yield
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.wait([task])
    assert bugs_expected or "Traceback" not in log.stream.getvalue()


THINGS = "/apis/example.dev/v1/things"


def thing(name: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "example.dev/v1", "kind": "Thing", "metadata": {"name": name}, **fields}


def write(api: FakeApi, *names: str, **fields: Any) -> None:
    for name in names:
        api.apply(f"{THINGS}/{name}", thing(name, **fields))


def names(informer: Informer) -> str:
    return "".join(sorted(name for _, name in informer.store))


class Followed(Informer):
    """An informer that keeps what it handed on, and is quick to try again."""

    def __init__(self, client: ClusterClient, api: FakeApi, path: str = THINGS, **options: Any) -> None:
        self.seen: list[str] = []
        self.patience = Backoff(first=0.001, longest=0.01)
        super().__init__(client, path, self._handed_on, backoff=self.patience, **options)
        self._api = api

    def _handed_on(self) -> None:
        self.seen.append(names(self))
        self._api.notify()


Following = Callable[..., AbstractAsyncContextManager[Followed]]
