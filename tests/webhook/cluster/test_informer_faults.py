"""Whatever the API server does, an informer keeps what it knows, and is in sync again."""

from __future__ import annotations

import asyncio
from unittest.mock import Mock

import pytest

from tests.webhook.running import LogCapture
from webhook.cluster import client as client_module
from webhook.cluster import informer as informer_module
from webhook.cluster.backoff import Backoff
from webhook.cluster.client import ClusterClient
from webhook.cluster.informer import Informer

from .fake_api import FakeApi, Verb
from .faults import Handler, answer, cut, silence, status, stream
from .followed import THINGS, Followed, Following, names, write

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
OF_WATCHES = (
    stream(),
    stream(b'{"type":"ADDED","obj'),
    stream(b'{"type":"ADDED","object":{}}\n'),
    stream(b'{"type":"ADDED","object":{"metadata":{"name":"z"}}}\n'),
    stream(b'{"type":"MOVED","object":{"metadata":{"name":"z","resourceVersion":"2"}}}\n'),
    stream(b'{"type":"DELETED","object":{"metadata":{"name":"z","resourceVersion":"2"}}}\n'),
    stream(b'{"type":"ERROR","object":{"code":410,"reason":"Expired"}}\n'),
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


async def test_it_does_not_wait_to_list_anew(api: FakeApi, client: ClusterClient) -> None:
    api.fault("watch", status(503), status(410, "Expired"), stream())
    await rounds(client, api, 2)
    assert [request.verb for request in api.requests] == ["list", "watch", "watch", "list", "watch"]


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
