"""Reports in virtual time, into a store that answers at once, late, wrongly, or never."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.webhook.cluster.fake_store import FakeStore, Object
from tests.webhook.cluster.virtual_time import run
from tests.webhook.running import LogCapture, samples
from webhook.observe.metrics import Metrics
from webhook.observe.queue import IncidentQueue
from webhook.observe.report_backlog import MOST_WAITING
from webhook.observe.report_writer import MAX_CONFLICTS
from webhook.observe.reports import BATCH_SECONDS, LOOK_SECONDS, MOST_REPORTS, SWEEP_SECONDS, Reports

from .incidents import incident
from .stored_api import StoredApi, Trouble, at_once, lost, refused

OPEN, OLD = "openreports.io/v1alpha1", "wgpolicyk8s.io/v1alpha2"
PLURALS = {OPEN: ["reports", "clusterreports"], OLD: ["policyreports", "clusterpolicyreports"]}
REPORTS = f"/apis/{OPEN}/reports"


class Written:
    """Reports at work in one replica."""

    def __init__(self, store: FakeStore | None = None, serves: tuple[str, ...] = (OPEN,), hours: float = 24) -> None:
        self.api = StoredApi(store)
        self.api.serves = {api: PLURALS[api] for api in serves}
        self.metrics = Metrics()
        IncidentQueue("reports", self.metrics)
        self.reports = Reports(self.api, self.metrics, timedelta(hours=hours))

    async def happen(self, count: int = 1, **fields: Any) -> None:
        await self.reports.take([incident(**{"at": datetime.now(UTC), **fields})] * count)

    def counted(self) -> dict[str, float]:
        found = {labels["result"]: value for labels, value in samples(self.metrics, "statusguard_reports_total")}
        found["dropped"] = sum(
            value
            for labels, value in samples(self.metrics, "statusguard_queue_dropped_total")
            if labels["queue"] == "reports"
        )
        return {name: value for name, value in found.items() if value}

    def found(self, collection: str = REPORTS) -> list[Object]:
        return self.api.objects(collection)

    def total(self) -> int:
        """Return how often all reports say that something happened."""
        return sum(int(each["properties"]["count"]) for found in self.found() for each in found["results"])


@asynccontextmanager
async def at_work(*all_of_them: Written) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(each.reports.run()) for each in all_of_them]
    yield
    assert not any(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def test_a_namespace_has_one_report_whatever_happens_in_it() -> None:
    async def test() -> None:
        written = Written()
        async with at_work(written):
            for number in range(200):
                await written.happen(name=f"w{number % 20}")
                await written.happen(namespace="other")
            await asyncio.sleep(2 * BATCH_SECONDS)
            mine, other = written.found()
            assert (mine["metadata"]["name"], mine["kind"]) == ("statusguard", "Report")
            assert mine["summary"] == {"pass": 0, "fail": 20, "warn": 0, "error": 0, "skip": 0}
            assert other["summary"]["fail"] == 1
            assert written.total() == 400
            assert written.counted() == {"written": 2}

    run(test())


def test_what_is_in_no_namespace_is_in_the_report_of_the_cluster() -> None:
    async def test() -> None:
        written = Written(serves=(OLD,))
        async with at_work(written):
            await written.happen(namespace="", kind="Node")
            await asyncio.sleep(2 * BATCH_SECONDS)
            (found,) = written.found(f"/apis/{OLD}/clusterpolicyreports")
            assert found["kind"] == "ClusterPolicyReport"

    run(test())


@pytest.mark.parametrize(
    ("serves", "chosen"), [((OPEN,), OPEN), ((OLD,), OLD), ((OLD, OPEN), OPEN)], ids=["open", "old", "both"]
)
def test_the_api_is_that_which_the_cluster_has(serves: tuple[str, ...], chosen: str) -> None:
    async def test() -> None:
        written = Written(serves=serves)
        async with at_work(written):
            await written.happen()
            await asyncio.sleep(2 * BATCH_SECONDS)
            assert len(written.found(f"/apis/{chosen}/{PLURALS[chosen][0]}")) == 1
            assert written.counted() == {"written": 1}

    run(test())


def test_half_of_an_api_is_none() -> None:
    async def test() -> None:
        written = Written(serves=(OLD,))
        written.api.serves[OPEN] = ["reports"]
        async with at_work(written):
            await written.happen()
            await asyncio.sleep(2 * BATCH_SECONDS)
            assert len(written.found(f"/apis/{OLD}/policyreports")) == 1

    run(test())


def test_without_an_api_nothing_is_kept_and_it_is_said_once(log: LogCapture) -> None:
    async def test() -> None:
        written = Written(serves=())
        async with at_work(written):
            for _ in range(100):
                await written.happen()
                await asyncio.sleep(BATCH_SECONDS)
            assert len(written.reports.backlog) <= 1
            assert written.api.count("discover") <= 2 * (100 * BATCH_SECONDS / LOOK_SECONDS + 1)
            written.api.serves = {OPEN: PLURALS[OPEN]}
            await asyncio.sleep(LOOK_SECONDS)
            await written.happen()
            await asyncio.sleep(2 * BATCH_SECONDS)
            assert len(written.found()) == 1

    run(test())
    assert len(log.named("no policy reports are written: the cluster has no API for them")) == 1
    assert [each["api"] for each in log.named("policy reports are written")] == [OPEN]


def test_an_api_that_goes_away_is_noticed() -> None:
    async def test() -> None:
        written = Written(serves=(OPEN, OLD))
        async with at_work(written):
            await written.happen()
            await asyncio.sleep(2 * BATCH_SECONDS)
            del written.api.serves[OPEN]
            written.api.store.__init__()  # type: ignore[misc]
            written.api.before = refused(404, "NotFound")
            await written.happen(2)
            await asyncio.sleep(BATCH_SECONDS)
            written.api.before = at_once
            await written.happen()
            await asyncio.sleep(2 * BATCH_SECONDS)
            assert len(written.found(f"/apis/{OLD}/policyreports")) == 1
            assert written.counted()["dropped"] == 2

    run(test())


def slowly(written: Written) -> None:
    """Let other replicas do something between reading and writing."""

    async def a_moment() -> None:
        await asyncio.sleep(0.01)

    written.api.before = a_moment


@pytest.mark.parametrize("replicas", [2, 6])
def test_replicas_merge_into_one_report(replicas: int, log: LogCapture) -> None:
    async def test() -> None:
        store = FakeStore()
        all_of_them = [Written(store) for _ in range(replicas)]
        for each in all_of_them:
            slowly(each)
        async with at_work(*all_of_them):
            for number in range(50):
                for each in all_of_them:
                    await each.happen(name=f"w{number % 7}")
                await asyncio.sleep(1.0)
            await asyncio.sleep(5 * BATCH_SECONDS)
        (found,) = all_of_them[0].found()
        assert len(found["results"]) == found["summary"]["fail"] == 7
        assert all_of_them[0].total() == 50 * replicas
        requests = [path for each in all_of_them for path in each.api.requests]
        assert any(path[0] == "replace" for path in requests)

    run(test())
    assert log.named("a policy report cannot be written") == []


@pytest.mark.parametrize("trouble", [lost, refused(500), refused(429)])
def test_a_failure_is_tried_again(trouble: Trouble) -> None:
    async def test() -> None:
        written = Written()
        async with at_work(written):
            await asyncio.sleep(1)
            written.api.once.append(trouble)
            await written.happen(3)
            await asyncio.sleep(3 * BATCH_SECONDS)
            assert written.total() == 3
            assert written.counted() == {"failed": 1, "written": 1}

    run(test())


def test_who_is_always_too_slow_tries_again_later() -> None:
    async def test() -> None:
        written = Written()
        async with at_work(written):
            await asyncio.sleep(1)
            written.api.once.extend([at_once, refused(409, "AlreadyExists")] * MAX_CONFLICTS)
            await written.happen(3)
            await asyncio.sleep(5 * BATCH_SECONDS)
            assert written.total() == 3
            assert written.counted() == {"failed": 1, "written": 1}

    run(test())


def test_until_it_is_known_which_api_there_is_all_is_kept() -> None:
    async def test() -> None:
        written = Written()
        written.api.before = refused(503)
        async with at_work(written):
            await written.happen(3)
            await asyncio.sleep(3 * BATCH_SECONDS)
            written.api.before = at_once
            await asyncio.sleep(2 * BATCH_SECONDS)
            assert written.total() == 3

    run(test())


@pytest.mark.parametrize("before", [0, 1], ids=["the report is new", "the report is there"])
def test_what_was_written_without_an_answer_is_not_counted_twice(before: int) -> None:
    async def test() -> None:
        written = Written()
        async with at_work(written):
            await written.happen(before)
            await asyncio.sleep(2 * BATCH_SECONDS)

            async def lost_after_the_write() -> None:
                if written.api.requests[-1][0] in ("create", "replace"):
                    await lost()

            written.api.after = lost_after_the_write
            await written.happen(3)
            await asyncio.sleep(BATCH_SECONDS)
            written.api.after = at_once
            await written.happen()
            await asyncio.sleep(3 * BATCH_SECONDS)
            assert written.total() == before + 4

    run(test())


@pytest.mark.parametrize("trouble", [refused(403, "Forbidden"), refused(422, "Invalid")])
def test_what_is_refused_is_dropped_and_counted(trouble: Trouble) -> None:
    async def test() -> None:
        written = Written()
        async with at_work(written):
            await asyncio.sleep(1)
            written.api.once.append(trouble)
            await written.happen(3)
            await written.happen(namespace="other")
            await asyncio.sleep(2 * BATCH_SECONDS)
            assert written.counted() == {"failed": 1, "dropped": 3, "written": 1}
            assert len(written.reports.backlog) == 0

    run(test())


def test_what_comes_from_no_namespace_that_can_be_is_dropped() -> None:
    async def test() -> None:
        written = Written()
        async with at_work(written):
            for namespace in ("../../secrets", "A", "n/x", "n?x"):
                await written.happen(namespace=namespace)
            await asyncio.sleep(2 * BATCH_SECONDS)
            assert written.counted() == {"dropped": 4}
            assert {method for method, _ in written.api.requests} == {"discover"}

    run(test())


def test_a_batch_writes_so_many_reports_and_the_next_one_the_others() -> None:
    async def test() -> None:
        written = Written()
        async with at_work(written):
            await asyncio.sleep(1)
            for number in range(MOST_REPORTS + 10):
                await written.happen(namespace=f"n{number}")
            await asyncio.sleep(BATCH_SECONDS)
            assert len(written.found()) == MOST_REPORTS
            await asyncio.sleep(BATCH_SECONDS)
            assert len(written.found()) == MOST_REPORTS + 10

    run(test())


def test_while_the_api_server_says_nothing_nothing_blocks_and_nothing_grows() -> None:
    async def test() -> None:
        written = Written()
        async with at_work(written):
            await asyncio.sleep(1)

            async def never() -> None:
                await asyncio.Event().wait()

            written.api.before = never
            for number in range(20_000):
                await written.happen(namespace=f"n{number % 6_000}")
                await asyncio.sleep(0.01)
            waiting = len(written.reports.backlog)
            assert waiting <= MOST_WAITING + 1
            dropped = written.counted()["dropped"]
            written.api.before = at_once
            await asyncio.sleep(BATCH_SECONDS * (MOST_WAITING / MOST_REPORTS + 10))
            assert written.total() + dropped == 20_000

    run(test())


def test_one_that_always_fails_does_not_keep_the_others_waiting() -> None:
    async def test() -> None:
        written = Written()

        async def no_bad_ones() -> None:
            if "/bad" in written.api.requests[-1][1]:
                await refused(500)()

        written.api.before = no_bad_ones
        async with at_work(written):
            for _ in range(5):
                for namespace in ("bad-1", "bad-2", "bad-3", "bad-4", "good"):
                    await written.happen(namespace=namespace)
                await asyncio.sleep(BATCH_SECONDS)
            await asyncio.sleep(3 * BATCH_SECONDS)
            assert written.total() == 5

    run(test())


@pytest.mark.parametrize(("bad", "written"), [(2, 1), (3, 0)])
def test_a_batch_goes_on_after_some_failures_and_not_after_more(bad: int, written: int) -> None:
    async def test() -> None:
        one = Written()
        async with at_work(one):
            await asyncio.sleep(1)
            one.api.once.extend([refused(500)] * bad)
            for number in range(bad):
                await one.happen(namespace=f"bad-{number}")
            await one.happen(namespace="good")
            await asyncio.sleep(BATCH_SECONDS)
            assert one.counted() == {"failed": bad, **({"written": 1} if written else {})}

    run(test())


def test_old_entries_go_even_if_nothing_else_happens_there() -> None:
    async def test() -> None:
        store = FakeStore()
        ago = datetime.now(UTC) - timedelta(hours=2)
        first = Written(store, hours=24)
        async with at_work(first):
            for number in range(45):
                await first.happen(namespace=f"n{number}", name="old", at=ago)
            await first.happen(namespace="n7", name="new")
            await first.happen(namespace="", name="old", at=ago)
            await asyncio.sleep(2 * BATCH_SECONDS)
        assert len(first.found()) == 45
        second = Written(store, hours=1)
        async with at_work(second):
            await asyncio.sleep(SWEEP_SECONDS)
        assert [each["resources"][0]["name"] for found in second.found() for each in found["results"]] == ["new"]
        (of_cluster,) = second.found(f"/apis/{OPEN}/clusterreports")
        assert (of_cluster["results"], of_cluster["summary"]["fail"]) == ([], 0)

    run(test())


@pytest.mark.parametrize("end", [lost, refused(410, "Expired")])
def test_a_sweep_that_fails_is_made_the_next_time(end: Trouble) -> None:
    async def test() -> None:
        written = Written(hours=1)
        async with at_work(written):
            await written.happen()
            await asyncio.sleep(2 * BATCH_SECONDS)
            assert written.total() == 1

            async def the_first_list_fails() -> None:
                if written.api.requests[-1][0] == "list" and written.api.count("list") == 1:
                    await end()

            written.api.before = the_first_list_fails
            written.reports._retention = timedelta(0)
            await asyncio.sleep(2.5 * SWEEP_SECONDS)
            assert written.api.count("list") > 1
            assert written.total() == 0

    run(test())


def test_at_the_end_what_is_left_is_written() -> None:
    async def test() -> None:
        written = Written()
        await written.happen(3)
        await written.reports.flush()
        assert written.total() == 3
        await written.reports.flush()
        assert written.api.count("discover") == 1

    run(test())


def test_the_end_does_not_wait_for_an_api_server_that_is_away(log: LogCapture) -> None:
    async def test() -> float:
        written = Written()

        async def never() -> None:
            await asyncio.Event().wait()

        written.api.before = never
        await written.happen()
        await written.reports.flush()
        assert len(written.reports.backlog) == 1
        return asyncio.get_running_loop().time()

    assert run(test()) <= 2.0
    assert log.named("no report tells of some violations at the end")
