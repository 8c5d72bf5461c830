from __future__ import annotations

import asyncio
import math
import time

import pytest

from tests.webhook.running import LogCapture, samples
from webhook.cluster import informer as informer_module
from webhook.cluster.client import ClusterClient
from webhook.cluster.informer import Informer
from webhook.observe.metrics import Metrics

from .fake_api import FakeApi
from .fake_store import Target
from .faults import cut, status
from .followed import THINGS, Followed, Following, names, write


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


async def test_it_exports_how_fresh_it_is(api: FakeApi, client: ClusterClient) -> None:
    metrics = Metrics()
    informer = Followed(client, api, THINGS, metrics=metrics)

    def exported(name: str) -> float:
        ((labels, value),) = samples(metrics, f"statusguard_informer_{name}")
        assert labels == {"resource": THINGS.rpartition("/")[2]}
        return value

    assert math.isnan(exported("last_contact_timestamp_seconds"))
    assert exported("synced") == 0
    start = time.time()
    running = asyncio.create_task(informer.run())
    await informer.synced.wait()
    assert start <= exported("last_contact_timestamp_seconds") <= time.time()
    assert exported("synced") == 1
    running.cancel()
    await asyncio.wait([running])


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
