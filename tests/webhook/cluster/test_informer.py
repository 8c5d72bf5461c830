from __future__ import annotations

import asyncio
import gc
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import Mock

import aiohttp.client
import aiohttp.client_reqrep
import aiohttp.connector
import pytest

from tests.webhook.running import LogCapture
from webhook.cluster import client as client_module
from webhook.cluster import informer as informer_module
from webhook.cluster import payloads
from webhook.cluster.backoff import Backoff
from webhook.cluster.client import ClusterClient
from webhook.cluster.informer import Informer

from .fake_api import FakeApi, Verb
from .fake_store import Target
from .faults import Handler, answer, cut, failure, silence, status, stream

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


@pytest.fixture
def following(api: FakeApi, client: ClusterClient, log: LogCapture) -> Following:
    """Run an informer as long as the test needs it; it must not end by itself, nor log a bug."""

    @asynccontextmanager
    async def follow(*, bugs_expected: bool = False, **options: Any) -> AsyncIterator[Followed]:
        informer = Followed(client, api, **options)
        task = asyncio.create_task(informer.run())
        try:
            yield informer
            assert not task.done()
        finally:
            task.cancel()
            await asyncio.wait([task])
        assert bugs_expected or "Traceback" not in log.stream.getvalue()

    return follow


async def test_it_follows_what_happens(api: FakeApi, following: Following) -> None:
    write(api, "a", "b")
    async with following() as informer:
        await api.until(lambda: api.watching)
        assert informer.synced.is_set()
        write(api, "c")
        write(api, "a", spec={"x": 1})
        api.delete(f"{THINGS}/b")
        await api.until(lambda: names(informer) == "ac")
        assert informer.seen == ["ab", "abc", "abc", "ac"]
        assert informer.store["", "a"] == api.store.get(Target.parse(f"{THINGS}/a"))


async def test_a_collection_of_nothing_is_handed_on_too(api: FakeApi, following: Following) -> None:
    async with following() as informer:
        await informer.synced.wait()
        assert informer.seen == [""]


async def test_a_snapshot_never_changes(api: FakeApi, following: Following) -> None:
    write(api, "a")
    async with following() as informer:
        await api.until(lambda: api.watching)
        before = informer.store
        write(api, "b")
        await api.until(lambda: names(informer) == "ab")
        assert list(before) == [("", "a")]


async def test_objects_of_all_namespaces_or_only_the_one_that_is_meant(api: FakeApi, client: ClusterClient) -> None:
    for namespace in "xy":
        for name in "ab":
            api.apply(f"/api/v1/namespaces/{namespace}/secrets/{name}", {"kind": "Secret", "metadata": {"name": name}})
    every = Followed(client, api, "/api/v1/secrets")
    one = Followed(client, api, "/api/v1/namespaces/x/secrets", field_selector="metadata.name=b")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each.run()) for each in (every, one)]
        await api.until(lambda: api.watching == 2)
        api.apply("/api/v1/namespaces/x/secrets/c", {"kind": "Secret", "metadata": {"name": "c"}})
        await api.until(lambda: len(every.store) == 5)
        for task in tasks:
            task.cancel()
    assert sorted(every.store)[:3] == [("x", "a"), ("x", "b"), ("x", "c")]
    assert (list(one.store), one.seen) == ([("x", "b")], ["b"])


async def test_after_a_cut_it_goes_on_where_it_was(api: FakeApi, following: Following) -> None:
    write(api, "a")
    async with following() as informer:
        await api.until(lambda: api.watching)
        write(api, "b")
        await api.until(lambda: names(informer) == "ab")
        api.cut()
        write(api, "c")
        await api.until(lambda: names(informer) == "abc")
        assert informer.seen == ["a", "ab", "abc"]
        assert api.count("list") == 1


async def test_bookmarks_keep_it_from_falling_behind(api: FakeApi, following: Following) -> None:
    write(api, "a")
    async with following() as informer:
        await api.until(lambda: api.watching)
        api.store.pass_time(100)
        write(api, "b")
        api.store.pass_time(100)
        api.bookmark()
        await api.until(lambda: informer._resource_version == str(api.store.version))
        api.store.compact()
        api.cut()
        write(api, "c")
        await api.until(lambda: names(informer) == "abc")
        assert api.count("list") == 1


async def test_of_what_is_forgotten_all_is_listed_anew(api: FakeApi, following: Following) -> None:
    write(api, "a", "b")
    async with following() as informer:
        await api.until(lambda: api.watching)
        api.fault("watch", cut)
        api.cut()
        write(api, "c")
        api.delete(f"{THINGS}/a")
        api.store.compact()
        await api.until(lambda: names(informer) == "bc")
        assert informer.seen == ["ab", "bc"]
        assert api.count("list") == 2


async def test_now_and_then_all_is_listed_although_no_watch_failed(
    api: FakeApi, following: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(api, "a")
    async with following() as informer:
        await api.until(lambda: api.watching)
        informer._resource_version = "1000000"
        api.cut()
        await api.until(lambda: api.count("watch") == 2 and api.watching)
        write(api, "b")
        monkeypatch.setattr(informer_module, "RELIST_SECONDS", 0.0)
        api.cut()
        await api.until(lambda: names(informer) == "ab")


async def test_a_list_that_brings_nothing_new_is_not_handed_on(api: FakeApi, following: Following) -> None:
    write(api, "a")
    async with following() as informer:
        api.fault("watch", status(410, "Expired"), status(410, "Expired"))
        await api.until(lambda: api.watching)
        assert api.count("list") == 3
        assert informer.seen == ["a"]


ANY = (
    status(429, "TooManyRequests"),
    status(500, "InternalError"),
    status(503),
    status(504, "Timeout", "Too large resource version"),
    status(401, "Unauthorized"),
    status(403, "Forbidden"),
    status(410, "Expired"),
    answer(404, "404 page not found\n"),
    answer(200, "<html>"),
    answer(200, ""),
    answer(200, "{}"),
    answer(200, '{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{}}]}'),
    stream(b'{"type":"ADDED","obj', broken=True),
    cut,
)
ERROR_EVENT = f'{{"type":"ERROR","object":{str(failure(410, "Expired", "")).replace(chr(39), chr(34))}}}\n'
OF_WATCHES = (
    stream(),
    stream(b'{"type":"ADDED","obj'),
    stream(b'{"type":"ADDED","object":{}}\n'),
    stream(b'{"type":"ADDED","object":{"metadata":{"name":"z"}}}\n'),
    stream(b'{"type":"MOVED","object":{"metadata":{"name":"z","resourceVersion":"2"}}}\n'),
    stream(b'{"type":"DELETED","object":{"metadata":{"name":"z","resourceVersion":"2"}}}\n'),
    stream(ERROR_EVENT.encode()),
    stream(b'{"type":"ERROR","object":{}}\n'),
)


@pytest.mark.parametrize("fault", [*ANY, *OF_WATCHES])
async def test_whatever_happens_to_a_watch_it_is_in_sync_again(
    api: FakeApi, following: Following, fault: Handler
) -> None:
    write(api, "a")
    api.fault("watch", fault, fault)
    async with following() as informer:
        await api.until(lambda: api.watching)
        write(api, "b")
        await api.until(lambda: names(informer) == "ab")
        assert informer.seen[0] == "a"
        assert set(informer.seen[1:-1]) <= {"a", "az"}


@pytest.mark.parametrize("fault", ANY)
async def test_whatever_happens_to_a_list_the_last_is_kept_until_one_succeeds(
    api: FakeApi, following: Following, fault: Handler
) -> None:
    api.fault("list", fault, fault)
    async with following() as informer:
        await api.until(lambda: api.count("list"))
        assert not informer.synced.is_set()
        write(api, "a")
        await api.until(lambda: names(informer) == "a")
        api.fault("list", fault, fault)
        api.fault("watch", status(410, "Expired"))
        api.cut()
        write(api, "b")
        await api.until(lambda: names(informer) == "ab")
        assert informer.seen == ["a", "ab"]


@pytest.mark.parametrize("verb", ["list", "watch"])
async def test_one_that_says_nothing_is_given_up(
    api: FakeApi, log: LogCapture, monkeypatch: pytest.MonkeyPatch, verb: Verb
) -> None:
    monkeypatch.setattr(informer_module, "WATCH_SECONDS", 1)
    monkeypatch.setattr(client_module, "WATCH_GRACE", -0.9)
    api.fault(verb, silence)
    async with ClusterClient(api.configuration(), request_seconds=0.1) as client:
        informer = Followed(client, api)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(informer.run())
            await api.until(lambda: api.count(verb) > 1)
            await informer.synced.wait()
            task.cancel()
    assert log.named("a collection cannot be followed, what is known of it is kept")[0]["error"] == "TimeoutError"


async def test_a_missing_crd_makes_no_busy_loop(
    api: FakeApi, following: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.missing.add(THINGS)
    async with following() as informer:
        waits = Mock(return_value=0.001)
        monkeypatch.setattr(informer.patience, "next", waits)
        await api.until(lambda: api.count("list") > 5)
        assert waits.call_count >= 5
        assert (api.count("watch"), informer.synced.is_set()) == (0, False)
        api.missing.clear()
        write(api, "a")
        await api.until(lambda: names(informer) == "a")


async def test_a_crd_that_goes_leaves_what_is_known(api: FakeApi, following: Following) -> None:
    write(api, "a")
    async with following() as informer:
        await api.until(lambda: api.watching)
        api.missing.add(THINGS)
        api.cut()
        await api.until(lambda: api.count("list") > 2)
        assert names(informer) == "a"


async def rounds(client: ClusterClient, api: FakeApi, count: int) -> list[float]:
    """Return how long an informer wants to wait after each of its rounds; the shortest possible is 0.5, the longest 8."""
    informer = Informer(client, THINGS, lambda: None, backoff=Backoff(first=1, longest=8))
    return [await informer._round() for _ in range(count)]


async def test_it_waits_longer_and_longer_for_what_does_not_get_better(api: FakeApi, client: ClusterClient) -> None:
    api.fault("watch", *[status(410, "Expired")] * 4)
    assert (await rounds(client, api, 4))[-1] >= 4
    api.fault("watch", *[stream()] * 4)
    assert (await rounds(client, api, 4))[-1] >= 4


async def test_it_waits_short_after_a_watch_that_worked(
    api: FakeApi, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2"}}}\n'
    api.fault("watch", *[stream(event)] * 4)
    assert max(await rounds(client, api, 4)) <= 1
    monkeypatch.setattr(informer_module, "SETTLED_SECONDS", 0.0)
    api.fault("watch", *[stream()] * 4)
    assert max(await rounds(client, api, 4)) <= 1


async def test_it_waits_as_long_as_it_is_asked_to_within_reason(api: FakeApi, client: ClusterClient) -> None:
    api.fault("list", status(429, retry_after=20), status(503, retry_after=86_400), status(429))
    asked, bounded, own = await rounds(client, api, 3)
    assert (asked, bounded) == (20, 30)
    assert own <= 4


async def test_it_says_when_it_last_heard_of_the_api_server(api: FakeApi, following: Following) -> None:
    write(api, "a")
    before = time.time()
    async with following() as informer:
        assert informer.last_contact == 0
        await api.until(lambda: api.watching)
        first = informer.last_contact
        api.down = True
        write(api, "b")
        await api.until(lambda: names(informer) == "ab")
        heard = informer.last_contact
        api.cut()
        await api.until(lambda: api.count("watch") > 4)
        assert before <= first <= heard == informer.last_contact


async def test_an_outage_is_logged_once_and_its_end_too(api: FakeApi, following: Following, log: LogCapture) -> None:
    async with following():
        await api.until(lambda: api.watching)
        api.down = True
        api.cut()
        await api.until(lambda: api.count("watch") > 10)
        api.down = False
        await api.until(lambda: log.named("a collection is followed again"))
    (trouble,) = log.named("a collection cannot be followed, what is known of it is kept")
    assert (trouble["path"], trouble["level"]) == (THINGS, "warning")
    assert trouble["error"]
    assert len(log.named("a collection is followed again")) == 1


async def test_a_bug_of_whoever_is_told_does_no_harm(api: FakeApi, client: ClusterClient, log: LogCapture) -> None:
    def broken() -> None:
        api.notify()
        raise ZeroDivisionError

    informer = Informer(client, THINGS, broken)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(informer.run())
        await api.until(lambda: api.watching)
        write(api, "a")
        await api.until(lambda: names(informer) == "a")
        task.cancel()
    assert [each["path"] for each in log.named("a bug in what follows a collection")] == [THINGS] * 2


async def test_a_bug_of_ours_is_logged_and_all_is_listed_anew(
    api: FakeApi, following: Following, log: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(api, "a")
    async with following(bugs_expected=True) as informer:
        await api.until(lambda: api.watching)
        with monkeypatch.context() as patch:
            patch.setattr(informer_module, "version_of", lambda _: 1 / 0)
            write(api, "b")
            await api.until(lambda: api.count("list") == 2)
        write(api, "c")
        await api.until(lambda: names(informer) == "abc")
    assert len(log.named("a bug while following a collection, all is listed anew")) == 1


async def test_a_hundred_cuts_leave_nothing_behind(api: FakeApi, following: Following) -> None:
    write(api, *"abcde", spec={"text": "x" * 1_000})
    async with following() as informer:
        await api.until(lambda: api.watching)
        with tracing():
            before = await held_after_cuts(api, 10)
            then = await held_after_cuts(api, 100)
        assert informer.seen == ["abcde"]
    assert then.tasks == before.tasks
    # Python keeps some freed tuples for later; a response that is kept has ten times as much, an event too.
    assert then.memory - before.memory < 100 * 200


@dataclass(frozen=True)
class Held:
    """How many tasks there are, and the bytes that our code and the HTTP client asked for."""

    tasks: int
    memory: int


HOLDERS = (informer_module, client_module, payloads, aiohttp.client, aiohttp.client_reqrep, aiohttp.connector)


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
