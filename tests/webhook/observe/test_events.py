"""Events in virtual time, into a store that answers at once, late, wrongly, or never."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.webhook.cluster.virtual_time import run
from tests.webhook.running import LogCapture, samples
from webhook.observe.event_series import MOST_SERIES, TOTAL_BURST
from webhook.observe.events import MAX_TRIES, Events
from webhook.observe.metrics import Metrics

from .incidents import incident
from .stored_api import StoredApi, Trouble, at_once, lost, refused

EVENTS = "/apis/events.k8s.io/v1/events"


class Written:
    """Events at work."""

    def __init__(self) -> None:
        self.api = StoredApi()
        self.metrics = Metrics()
        self.events = Events(self.api, self.metrics, "pod-1")

    async def happen(self, count: int = 1, **fields: Any) -> None:
        await self.events.take([incident(**fields)] * count)

    def counted(self) -> dict[str, float]:
        return {labels["result"]: value for labels, value in samples(self.metrics, "statusguard_events_total") if value}

    def counts(self) -> list[int]:
        """Return how often each Event says that it happened."""
        return [found.get("series", {"count": 1})["count"] for found in self.api.objects(EVENTS)]


@asynccontextmanager
async def at_work() -> AsyncIterator[Written]:
    written = Written()
    task = asyncio.create_task(written.events.run())
    yield written
    assert not task.done()
    task.cancel()
    await asyncio.wait([task])


def in_virtual_time(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    def synchronous() -> None:
        run(test())

    synchronous.__name__ = test.__name__
    return synchronous


@in_virtual_time
async def test_a_violation_becomes_an_event_at_once() -> None:
    async with at_work() as written:
        await written.happen()
        await asyncio.sleep(0.1)
        (found,) = written.api.objects(EVENTS)
        assert found["metadata"]["namespace"] == "n"
        assert found["regarding"]["name"] == "w"
        assert written.counted() == {"created": 1}


@in_virtual_time
async def test_ten_thousand_are_one_event_with_their_number() -> None:
    async with at_work() as written:
        for _ in range(100):
            await written.happen(100)
            await asyncio.sleep(0.1)
        await asyncio.sleep(15)
        assert written.counts() == [10_000]
        assert written.api.count("create") == 1
        assert written.api.count("merge") <= 3


@in_virtual_time
async def test_what_is_too_much_is_counted() -> None:
    async with at_work() as written:
        for number in range(1_000):
            await written.happen(name=f"w{number}")
        await asyncio.sleep(10)
        assert written.counts() == [1] * TOTAL_BURST
        assert written.counted() == {"created": TOTAL_BURST, "limited": 1_000 - TOTAL_BURST}


@in_virtual_time
async def test_what_comes_from_no_namespace_that_can_be_is_written_nowhere() -> None:
    async with at_work() as written:
        for namespace in ("../../secrets", "A", "n/x", "n?x", "-", "n" * 64, "\N{SNOWMAN}"):
            await written.happen(namespace=namespace)
        await asyncio.sleep(60)
        assert written.api.requests == []
        assert written.counted() == {"failed": 7}


@in_virtual_time
async def test_an_event_that_expired_is_made_anew() -> None:
    async with at_work() as written:
        await written.happen(3)
        await asyncio.sleep(20)
        written.api.store.__init__()  # type: ignore[misc]  # all is gone
        await written.happen(2)
        await asyncio.sleep(20)
        assert written.counts() == [2]


@pytest.mark.parametrize("trouble", [lost, refused(500), refused(429, retry_after=5.0), refused(503)])
def test_a_failure_is_tried_again(trouble: Trouble) -> None:
    async def test() -> None:
        async with at_work() as written:
            written.api.once.extend([trouble] * 3)
            await written.happen()
            await asyncio.sleep(20)
            assert written.counts() == [1]
            assert written.counted() == {"created": 1}

    run(test())


@in_virtual_time
async def test_an_event_that_was_written_without_an_answer_is_not_written_twice() -> None:
    async with at_work() as written:
        written.api.after = lost
        await written.happen(2)
        await asyncio.sleep(0.01)
        written.api.after = at_once
        await written.happen()
        await asyncio.sleep(20)
        assert written.counts() == [3]


@pytest.mark.parametrize("trouble", [refused(403, "Forbidden"), refused(422, "Invalid"), refused(404, "NotFound")])
def test_what_is_refused_is_given_up_at_once(trouble: Trouble, log: LogCapture) -> None:
    async def test() -> None:
        async with at_work() as written:
            written.api.before = trouble
            for _ in range(10):
                await written.happen()
                await asyncio.sleep(1)
            assert written.counted() == {"failed": 10}
            assert len(written.events.series) == 0

    run(test())
    assert len(log.named("an Event cannot be written")) == 1


@in_virtual_time
async def test_what_fails_again_and_again_is_given_up() -> None:
    async with at_work() as written:
        written.api.before = lost
        await written.happen()
        await asyncio.sleep(120)
        assert written.api.count("create") == MAX_TRIES
        assert written.counted() == {"failed": 1}
        written.api.before = at_once
        await written.happen()
        await asyncio.sleep(10)
        assert written.counts() == [1]


@in_virtual_time
async def test_while_the_api_server_says_nothing_nothing_blocks_and_nothing_grows() -> None:
    async with at_work() as written:

        async def never() -> None:
            await asyncio.Event().wait()

        written.api.before = never
        for number in range(20_000):
            await written.happen(name=f"w{number % 5_000}", writer=f"u{number}")
            await asyncio.sleep(0.01)
        assert len(written.events.series) <= MOST_SERIES
        assert written.api.count("create") < 200
        written.api.before = at_once
        await asyncio.sleep(120)
        told = sum(written.counts())
        assert told > 0
        assert written.events.series.untold() == 0


@in_virtual_time
async def test_one_that_fails_does_not_keep_the_others_waiting() -> None:
    async with at_work() as written:
        written.api.once.append(refused(403, "Forbidden"))
        await written.happen(name="a")
        await written.happen(name="b")
        await asyncio.sleep(0.1)
        assert [found["regarding"]["name"] for found in written.api.objects(EVENTS)] == ["b"]


@in_virtual_time
async def test_at_the_end_what_is_left_is_written() -> None:
    async with at_work() as written:
        await written.happen(2)
        await asyncio.sleep(1)
        await written.happen(5)
        await asyncio.sleep(1)
    await written.happen(name="b")
    await written.events.flush()
    assert sorted(written.counts()) == [1, 7]


def test_the_end_does_not_wait_for_an_api_server_that_is_away(log: LogCapture) -> None:
    async def test() -> float:
        written = Written()

        async def never() -> None:
            await asyncio.Event().wait()

        written.api.before = never
        await written.happen(3)
        await written.events.flush()
        return asyncio.get_running_loop().time()

    assert run(test()) <= 2.0
    (said,) = log.named("no Event tells of some violations at the end")
    assert said["count"] == 3


@pytest.mark.parametrize("trouble", [lost, refused(500)])
def test_an_update_that_fails_is_tried_again(trouble: Trouble) -> None:
    async def test() -> None:
        async with at_work() as written:
            await written.happen()
            await asyncio.sleep(1)
            written.api.once.extend([trouble] * 2)
            await written.happen(4)
            await asyncio.sleep(20)
            assert written.counts() == [5]
            assert written.counted() == {"created": 1, "updated": 1}

    run(test())


@pytest.mark.parametrize("turns", range(5))
def test_an_end_at_the_moment_of_a_violation_is_an_end(turns: int) -> None:
    async def scenario() -> None:
        written = Written()
        task = asyncio.create_task(written.events.run())
        # After the first one the Event is not written again at once: it waits with a limit, which the last one ends.
        for _ in range(3):
            await written.happen()
            await asyncio.sleep(0.5)
        await written.happen()
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task], timeout=60)
        assert task.cancelled()

    run(scenario())
