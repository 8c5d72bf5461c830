from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import aiohttp.client
import aiohttp.client_reqrep
import aiohttp.connector

from webhook.cluster import client, informer, payloads

from .fake_api import FakeApi
from .followed import Following, write


async def test_a_hundred_cuts_leave_nothing_behind(api: FakeApi, following: Following) -> None:
    write(api, *"abcde", spec={"text": "x" * 1_000})
    async with following() as followed:
        await api.until(lambda: api.watching)
        with tracing():
            before = await held_after_cuts(api, 10)
            then = await held_after_cuts(api, 100)
        assert followed.seen == ["abcde"]
    assert then.tasks == before.tasks
    # Python keeps some freed tuples for later; a response that is kept has ten times as much, an event too.
    assert then.memory - before.memory < 100 * 200


@dataclass(frozen=True)
class Held:
    """How many tasks there are, and the bytes that our code and the HTTP client asked for."""

    tasks: int
    memory: int


HOLDERS = (informer, client, payloads, aiohttp.client, aiohttp.client_reqrep, aiohttp.connector)


async def held_after_cuts(api: FakeApi, count: int) -> Held:
    wanted = api.count("watch") + count
    while api.count("watch") < wanted:
        watches = api.count("watch")
        api.cut()
        await api.until(partial(watched_anew, api, watches))
    gc.collect()
    filters = [tracemalloc.Filter(inclusive=True, filename_pattern=str(module.__file__)) for module in HOLDERS]
    taken = tracemalloc.take_snapshot().filter_traces(filters)
    return Held(len(asyncio.all_tasks()), sum(each.size for each in taken.statistics("filename")))


def watched_anew(api: FakeApi, watches: int) -> bool:
    return api.count("watch") > watches and api.watching == 1


@contextmanager
def tracing() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()
