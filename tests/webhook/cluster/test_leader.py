"""Elections in virtual time, over a store that answers at once, late, wrongly, or never."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.webhook.running import LogCapture
from webhook.cluster.errors import ApiError, UnreachableError
from webhook.cluster.leader import LEASE_NAME, Leader, new_identity

from .fake_store import FakeStore, Object, RefusedError, Target
from .virtual_time import run

LEASES = "/apis/coordination.k8s.io/v1/namespaces/statusguard/leases"
LEASE = Target.parse(f"{LEASES}/{LEASE_NAME}")


class Network:
    """One candidate's way to the API server. `trouble` is awaited before each request, `reply` after it."""

    def __init__(self, store: FakeStore) -> None:
        self._store = store
        self.trouble: Callable[[], Awaitable[None]] = at_once
        self.reply: Callable[[], Awaitable[None]] = at_once

    async def get(self, path: str) -> Object:
        return await self._send(lambda: self._store.get(Target.parse(path)))

    async def create(self, path: str, body: Object) -> Object:
        return await self._send(lambda: self._store.create(Target.parse(path), body))

    async def replace(self, path: str, body: Object) -> Object:
        return await self._send(lambda: self._store.replace(Target.parse(path), body))

    async def _send(self, do: Callable[[], Object]) -> Object:
        await self.trouble()
        try:
            answer = do()
        except RefusedError as error:
            raise ApiError(error.code, error.reason, error.message) from error
        await self.reply()
        return answer


async def at_once() -> None:
    """Answer without delay."""


async def never() -> None:
    await asyncio.Event().wait()


async def lost() -> None:
    raise UnreachableError("connection reset")


async def refused() -> None:
    raise ApiError(500, "InternalError", "etcdserver: no leader")


class Candidate:
    """A replica that notes from when to when it worked as leader."""

    def __init__(self, store: FakeStore, name: str) -> None:
        self.network = Network(store)
        self.leader = Leader(self.network, "statusguard", name)
        self.terms: list[list[float]] = []
        self.works = asyncio.Event()
        self._task = asyncio.ensure_future(self.leader.run(self.work))

    async def work(self) -> None:
        self.terms.append([now()])
        self.works.set()
        try:
            await never()
        finally:
            self.works.clear()
            self.terms[-1].append(now())

    def kill(self) -> None:
        """Let the process be gone for others, as kill -9 would: nothing of it reaches the API server any more."""
        self.network.trouble = never

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.wait((self._task,))


def now() -> float:
    return asyncio.get_running_loop().time()


@asynccontextmanager
async def candidates(names: str = "a") -> AsyncIterator[tuple[FakeStore, list[Candidate]]]:
    store = FakeStore()
    made = [Candidate(store, name) for name in names]
    try:
        yield store, made
    finally:
        for each in made:
            await each.stop()


def spec(store: FakeStore) -> dict[str, Any]:
    found: dict[str, Any] = store.get(LEASE)["spec"]
    return found


def test_the_first_candidate_makes_the_lease_and_leads() -> None:
    async def test() -> None:
        async with candidates() as (store, (one,)):
            before = one.leader.is_leader
            await one.works.wait()
            assert (before, one.leader.is_leader) == (False, True)
            assert now() == 0
            assert spec(store)["holderIdentity"] == "a"

    run(test())


def test_of_several_candidates_one_leads_and_goes_on_leading() -> None:
    async def test() -> None:
        async with candidates("abc") as (store, all_of_them):
            await asyncio.sleep(600)
            assert [each.leader.is_leader for each in all_of_them] == [True, False, False]
            assert [len(each.terms) for each in all_of_them] == [1, 0, 0]
            assert spec(store)["leaseTransitions"] == 0

    run(test())


def test_a_leader_that_is_killed_is_succeeded_within_its_lease() -> None:
    async def test() -> None:
        async with candidates("ab") as (store, (one, other)):
            await asyncio.sleep(100)
            one.kill()
            killed = now()
            await other.works.wait()
            # It cannot be known before the lease ends; the candidate saw the last renewal late and looks every two seconds.
            assert 12 < now() - killed < 15 + 2.4 + 2.4
            assert spec(store)["leaseTransitions"] == 1

    run(test())


@pytest.mark.parametrize("trouble", [never, lost, refused])
def test_a_leader_that_cannot_renew_stops_before_another_begins(trouble: Callable[[], Awaitable[None]]) -> None:
    async def test() -> None:
        async with candidates("ab") as (_, (one, other)):
            await asyncio.sleep(100)
            one.network.trouble = trouble
            await other.works.wait()
            ((_, ended),) = one.terms
            assert ended <= 100 + 10
            assert other.terms[0][0] - ended > 2

    run(test())


def test_no_leader_works_on_without_a_lease_while_the_api_server_is_away() -> None:
    async def test() -> None:
        async with candidates("ab") as (_, both):
            await asyncio.sleep(100)
            for each in both:
                each.network.trouble = lost
            await asyncio.sleep(60)
            assert not any(each.leader.is_leader or each.works.is_set() for each in both)
            for each in both:
                each.network.trouble = at_once
            await asyncio.sleep(5)
            assert [each.works.is_set() for each in both].count(True) == 1

    run(test())


def test_some_failures_in_a_row_cost_no_leadership() -> None:
    async def test() -> None:
        async with candidates("ab") as (store, (one, _)):
            for _ in range(20):
                await asyncio.sleep(20)
                one.network.trouble = refused
                await asyncio.sleep(5)
                one.network.trouble = at_once
            assert len(one.terms) == 1
            assert spec(store)["leaseTransitions"] == 0

    run(test())


def test_one_request_without_an_answer_costs_no_leadership() -> None:
    async def test() -> None:
        async with candidates("ab") as (store, (one, _)):

            async def never_once() -> None:
                one.network.trouble = at_once
                await never()

            await asyncio.sleep(100)
            one.network.trouble = never_once
            await asyncio.sleep(60)
            assert len(one.terms) == 1
            assert spec(store)["leaseTransitions"] == 0

    run(test())


def test_a_leader_is_no_leader_while_its_renewal_is_overdue() -> None:
    async def test() -> None:
        async with candidates() as (_, (one,)):
            await one.works.wait()
            asyncio.get_running_loop().leap(10.0)  # type: ignore[attr-defined]  # as if the process had been stopped
            assert not one.leader.is_leader

    run(test())


def test_a_renewal_that_was_done_but_not_answered_is_ours() -> None:
    async def test() -> None:
        async with candidates("ab") as (store, (one, _)):
            await asyncio.sleep(100)
            one.network.reply = lost
            await asyncio.sleep(5)
            one.network.reply = at_once
            await asyncio.sleep(60)
            assert len(one.terms) == 1
            assert spec(store)["leaseTransitions"] == 0

    run(test())


def test_a_lease_that_was_taken_from_us_is_believed_at_once() -> None:
    async def test() -> None:
        async with candidates() as (store, (one,)):
            await one.works.wait()
            store.merge(LEASE, {"spec": {"holderIdentity": "somebody"}})
            await asyncio.sleep(2.5)
            assert not one.works.is_set()
            assert spec(store)["holderIdentity"] == "somebody"
            await asyncio.sleep(30)
            assert one.works.is_set()

    run(test())


def test_a_lease_that_was_deleted_is_made_again() -> None:
    async def test() -> None:
        async with candidates() as (store, (one,)):
            await one.works.wait()
            store.delete(LEASE)
            await asyncio.sleep(5)
            assert spec(store)["holderIdentity"] == "a"
            assert len(one.terms) == 1

    run(test())


def test_a_leader_that_stops_hands_over_without_a_wait(log: LogCapture) -> None:
    async def test() -> None:
        async with candidates("ab") as (store, (one, other)):
            await asyncio.sleep(100)
            await one.stop()
            assert "holderIdentity" not in spec(store)
            await other.works.wait()
            assert now() - 100 < 2.5

    run(test())
    assert log.named("the Lease is given back")


def test_the_lease_is_kept_until_the_work_has_wound_up() -> None:
    async def test() -> None:
        store = FakeStore()
        holders = []

        async def work() -> None:
            try:
                await never()
            finally:
                await asyncio.sleep(30)
                holders.append(spec(store)["holderIdentity"])

        leading = asyncio.ensure_future(Leader(Network(store), "statusguard", "a").run(work))
        other = Candidate(store, "b")
        await asyncio.sleep(10)
        leading.cancel()
        await asyncio.wait((leading,))
        assert holders == ["a"]
        await other.works.wait()
        await other.stop()

    run(test())


def test_stopping_does_not_wait_for_an_api_server_that_is_away() -> None:
    async def test() -> None:
        async with candidates() as (_, (one,)):
            await one.works.wait()
            one.kill()
            await one.stop()
            assert now() <= 2

    run(test())


def test_work_that_fails_is_reported_and_given_to_whoever_is_elected_next(log: LogCapture) -> None:
    async def test() -> int:
        store, begun = FakeStore(), 0

        async def work() -> None:
            nonlocal begun
            begun += 1
            raise ValueError("a bug")

        task = asyncio.ensure_future(Leader(Network(store), "statusguard", "a").run(work))
        await asyncio.sleep(5)
        task.cancel()
        await asyncio.wait((task,))
        return begun

    assert run(test()) == 3
    assert len(log.named("the leader's work failed")) == 3


def test_an_outage_is_logged_once_a_minute_at_most(log: LogCapture) -> None:
    async def test() -> None:
        async with candidates() as (_, (one,)):
            one.network.trouble = lost
            await asyncio.sleep(20)

    run(test())
    assert [each["error"] for each in log.named("cannot take or renew the Lease")] == ["connection reset"]


def test_two_that_start_at_once_log_no_conflict(log: LogCapture) -> None:
    async def test() -> None:
        async with candidates("ab") as (_, both):
            for each in both:
                each.network.trouble = later
            await asyncio.sleep(20)
            assert [each.works.is_set() for each in both].count(True) == 1

    async def later() -> None:
        await asyncio.sleep(0.01)

    run(test())
    assert log.named("cannot take or renew the Lease") == []


def test_a_process_that_starts_again_is_another_candidate() -> None:
    assert new_identity() != new_identity()
