"""Violations on their way from the reviewer to a fake API server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from rules.ruleset import RuleSet
from tests.webhook.observe.incidents import incident
from tests.webhook.running import LogCapture, samples
from webhook.cluster.client import ClusterClient
from webhook.cluster.incident_sinks import Telling, telling
from webhook.display import Display
from webhook.message import Wording
from webhook.observe import reports
from webhook.observe.events import Events
from webhook.observe.metrics import Metrics
from webhook.reviewer import RuleReviewer

from .fake_api import FakeApi
from .fake_store import Object, Target
from .faults import silence, status

EVENTS = "/apis/events.k8s.io/v1/events"
REPORTS = "/apis/wgpolicyk8s.io/v1alpha2/policyreports"


class Told:
    """A reviewer's sinks at work."""

    def __init__(self, api: FakeApi) -> None:
        self.api = api
        self.metrics = Metrics()
        self.reviewer = RuleReviewer(RuleSet(()), Wording(Display()), self.metrics)

    def happen(self, count: int = 1, **fields: str) -> None:
        for _ in range(count):
            for sink in self.reviewer.sinks:
                sink(incident(**fields))

    def found(self, collection: str) -> list[Object]:
        return [found for _, found in self.api.store.objects(Target.parse(collection))]

    def queues(self) -> set[str]:
        return {labels["queue"] for labels, _ in samples(self.metrics, "statusguard_queue_capacity")}

    def dropped(self) -> float:
        return sum(value for _, value in samples(self.metrics, "statusguard_queue_dropped_total"))


@asynccontextmanager
async def told(
    api: FakeApi, client: ClusterClient, *, events: bool = True, with_reports: bool = True
) -> AsyncIterator[Told]:
    api.serves = {"wgpolicyk8s.io/v1alpha2": ["policyreports", "clusterpolicyreports"]}
    made = Told(api)
    # What happened in these tests is of any time.
    settings = Telling(events=events, reports=with_reports, retention=timedelta(days=36_500))
    async with telling(settings, client, made.reviewer, made.metrics):
        yield made


async def test_a_violation_becomes_an_event_and_an_entry_of_a_report(
    api: FakeApi, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "BATCH_SECONDS", 0.05)
    async with told(api, client) as made:
        made.happen(3)
        await api.until(lambda: made.found(EVENTS) and made.found(REPORTS))
        (event,), (report,) = made.found(EVENTS), made.found(REPORTS)
        assert event["regarding"]["name"] == "w"
        assert report["results"][0]["properties"]["count"] == "3"
        assert made.queues() == {"events", "reports"}


@pytest.mark.parametrize(("events", "with_reports"), [(False, True), (True, False), (False, False)])
async def test_each_can_be_off(api: FakeApi, client: ClusterClient, *, events: bool, with_reports: bool) -> None:
    async with told(api, client, events=events, with_reports=with_reports) as made:
        made.happen()
    assert len(made.found(EVENTS)) == events
    assert len(made.found(REPORTS)) == with_reports


async def test_at_the_end_what_is_left_is_written(api: FakeApi, client: ClusterClient) -> None:
    async with told(api, client) as made:
        made.happen(500)
    assert made.found(EVENTS)[0]["series"]["count"] == 500
    assert made.found(REPORTS)[0]["results"][0]["properties"]["count"] == "500"


async def test_while_the_api_server_is_away_nothing_blocks_and_all_is_told_later(
    api: FakeApi, client: ClusterClient, monkeypatch: pytest.MonkeyPatch, log: LogCapture
) -> None:
    monkeypatch.setattr(reports, "BATCH_SECONDS", 0.05)
    async with told(api, client) as made:
        api.down = True
        for _ in range(100):
            made.happen(100)
            await asyncio.sleep(0.001)
        assert made.dropped() == 0
        api.down = False

        def all_is_told() -> bool:
            events, found = made.found(EVENTS), made.found(REPORTS)
            return bool(
                events
                and events[0].get("series", {}).get("count") == 10_000
                and found
                and found[0]["results"][0]["properties"]["count"] == "10000"
            )

        await api.until(all_is_told)
    assert "Traceback" not in log.stream.getvalue()


async def test_a_connection_without_an_answer_is_not_waited_for_at_the_end(api: FakeApi, client: ClusterClient) -> None:
    api.fault("create", silence, silence)
    start = asyncio.get_running_loop().time()
    async with told(api, client) as made:
        made.happen()
        await api.until(lambda: api.count("create"))
    assert asyncio.get_running_loop().time() - start < 10


async def test_without_the_right_to_write_it_is_said_once(
    api: FakeApi, client: ClusterClient, log: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "BATCH_SECONDS", 0.02)
    async with told(api, client) as made:
        for _ in range(5):
            api.fault("create", status(403, "Forbidden", "no"), status(403, "Forbidden", "no"))
            before = api.count("create")
            made.happen()
            await api.until(lambda before=before: api.count("create") == before + 2)  # type: ignore[misc]
    assert len(log.named("an Event cannot be written")) == 1
    assert len(log.named("a policy report cannot be written")) == 1


async def test_a_bug_in_one_way_leaves_the_other(
    api: FakeApi, client: ClusterClient, log: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Events, "run", run)
    monkeypatch.setattr(reports, "BATCH_SECONDS", 0.02)
    async with told(api, client) as made:
        made.happen()
        await api.until(lambda: made.found(REPORTS))
    (said,) = log.named("a bug: violations are not told any more in one way, all else goes on")
    assert said["way"] == "events"
