"""What the leader writes, through a fake API server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from rules.ruleset import RuleSet
from tests.webhook.running import LogCapture
from webhook.cluster import control, rule_source
from webhook.cluster.client import ClusterClient
from webhook.cluster.configurations import Endpoint
from webhook.cluster.control import Controller
from webhook.cluster.entries import Policy
from webhook.cluster.rule_source import RuleSource
from webhook.cluster.webhook_config import PATH
from webhook.display import Display
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.reviewer import RuleReviewer

from .fake_api import FakeApi
from .fake_store import Target
from .faults import status
from .manifests import CLUSTER_RULES, broken, manifest, path_of, resources, write

Object = dict[str, Any]
Leading = Callable[[], AbstractAsyncContextManager["Led"]]


class Led:
    """A leader at work. `bundle` is what the API server is to trust, None while that is not known."""

    def __init__(self, api: FakeApi, client: ClusterClient) -> None:
        self.api = api
        self.bundle: bytes | None = b"authorities"
        self._rounds = 0
        metrics = Metrics()
        reviewer = RuleReviewer(RuleSet(()), Wording(Display()), metrics)
        self.source = RuleSource(client, reviewer, metrics, Policy(), None)
        self._controller = Controller(client, self.source, self._endpoint, metrics)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.source.run())
            tasks.create_task(self._controller.lead())

    async def _endpoint(self) -> Endpoint | None:
        self._rounds += 1
        return Endpoint(self.bundle) if self.bundle else None

    def conditions(self, rule: Object) -> dict[str, Object]:
        found = self.api.store.get(Target.parse(path_of(rule)))
        return {each["type"]: each for each in found.get("status", {}).get("conditions", ())}

    async def until(self, rule: Object, kind: str, status: str, generation: int = 1) -> Object:
        """Wait until a condition has a status, and return it."""

        def holds() -> bool:
            each = self.conditions(rule).get(kind, {})
            return (each.get("status"), each.get("observedGeneration")) == (status, generation)

        await self.api.until(holds)
        return self.conditions(rule)[kind]

    async def at_rest(self) -> None:
        """Wait until everything that happened was taken up and written."""
        version = -1
        while version != self.api.store.version:
            version = self.api.store.version
            await self.api.until(self._is_in_sync)
            for _ in range(2):  # a round has ended when the next one begins
                await self._next_round()

    def _is_in_sync(self) -> bool:
        known = {path_of(dict(each.manifest)): each.manifest for each in self.source.rules.by_identity.values()}
        return all(found == self.api.store.get(Target.parse(path)) for path, found in known.items())

    async def _next_round(self) -> None:
        before = self._rounds
        self.source.changed.set()
        await self.api.until(lambda: self._rounds > before)


@pytest.fixture
def leading(api: FakeApi, client: ClusterClient, log: LogCapture, monkeypatch: pytest.MonkeyPatch) -> Leading:
    monkeypatch.setattr(rule_source, "SETTLE_SECONDS", 0.01)

    @asynccontextmanager
    async def lead() -> AsyncIterator[Led]:
        led = Led(api, client)
        task = asyncio.create_task(led.run())
        try:
            yield led
            assert not task.done()
        finally:
            task.cancel()
            await asyncio.wait([task])
        assert "Traceback" not in log.stream.getvalue()

    return lead


def configured(api: FakeApi) -> list[str]:
    return [target.name for target, _ in api.store.objects(Target.parse(PATH))]


async def test_a_rule_is_ready_once_its_configuration_was_written(api: FakeApi, leading: Leading) -> None:
    rule = manifest("a")
    write(api, rule)
    async with leading() as led:
        await led.until(rule, "Ready", "True")
        history = [each.target.name for each in api.store.history]
        assert history.index("statusguard-example.test") < len(history) - 1 - history[::-1].index("a")
        assert api.store.get(Target.parse(path_of(rule)))["status"]["observedGeneration"] == 1


async def test_what_it_writes_follows_the_rules(api: FakeApi, leading: Leading) -> None:
    rule, gadgets = manifest("a"), manifest("b", resources("gadgets/status", group="gadgets.test"))
    write(api, rule)
    async with leading() as led:
        await led.until(rule, "Ready", "True")
        write(api, gadgets)
        await led.until(gadgets, "Ready", "True")
        api.delete(path_of(rule))
        await api.until(lambda: configured(api) == ["statusguard-gadgets.test", "statusguard-rules"])


async def test_a_broken_rule_says_why_and_that_the_last_good_version_is_served(api: FakeApi, leading: Leading) -> None:
    rule = manifest("a")
    write(api, rule)
    async with leading() as led:
        await led.until(rule, "Ready", "True")
        write(api, broken("a"))
        compiled = await led.until(rule, "Compiled", "False", 2)
        assert compiled["message"].startswith("spec.invariants[0]")
        assert led.conditions(rule)["Served"]["reason"] == "LastGood"
        assert led.conditions(rule)["Ready"]["status"] == "True"
        write(api, rule)
        await led.until(rule, "Compiled", "True", 3)
        assert led.conditions(rule)["Served"]["reason"] == "Current"


async def test_a_namespaced_rule_has_a_status_too(api: FakeApi, leading: Leading) -> None:
    rule = manifest("a", namespace="team")
    write(api, rule)
    async with leading() as led:
        await led.until(rule, "Ready", "True")
        assert "only reported" in led.conditions(rule)["Served"]["message"]


async def test_a_rule_whose_entry_is_refused_says_so_and_the_others_are_ready(api: FakeApi, leading: Leading) -> None:
    refused, other = manifest("a", resources("gadgets/status"), prefilter="Off"), manifest("b")
    write(api, refused, other)
    api.fault("apply", status(422, "Invalid", "no such thing"))
    async with leading() as led:
        ready = await led.until(refused, "Ready", "False")
        assert ready["reason"] == "Refused"
        assert "no such thing" in ready["message"]
        await led.until(other, "Ready", "True")


async def test_what_the_api_server_decides_by_itself_is_said(api: FakeApi, leading: Leading) -> None:
    whole, off = manifest("a"), manifest("b", prefilter="Off")
    write(api, whole, off)
    async with leading() as led:
        await led.until(whole, "Ready", "True")
        await led.until(off, "Ready", "True")
    said = {name: api.store.get(Target.parse(f"{CLUSTER_RULES}/{name}"))["status"]["prefilter"] for name in ("a", "b")}
    assert said["a"]["mode"] == "Full"
    assert said["b"] == {"mode": "Off", "reason": "the rule says so"}


async def test_a_prefilter_that_is_refused_is_said(api: FakeApi, leading: Leading) -> None:
    write(api, manifest("a"))
    api.fault("apply", *[status(422, "Invalid", "no such macro")] * 2)
    async with leading() as led:
        await led.until(manifest("a"), "Ready", "True")
    said = api.store.get(Target.parse(f"{CLUSTER_RULES}/a"))["status"]["prefilter"]
    assert said == {"mode": "Off", "reason": "the API server refuses it"}


async def test_nothing_is_written_while_there_is_no_certificate_to_trust(api: FakeApi, leading: Leading) -> None:
    write(api, manifest("a"))
    async with leading() as led:
        led.bundle = None
        await api.until(lambda: led.source.unready() is None and not led.source.changed.is_set())
        assert configured(api) == []
        led.bundle = b"authorities"
        led.source.changed.set()
        await led.until(manifest("a"), "Ready", "True")


async def test_what_says_so_already_is_not_written_again(api: FakeApi, leading: Leading) -> None:
    rule = manifest("a")
    write(api, rule)
    async with leading() as led:
        await led.until(rule, "Ready", "True")
        await led.at_rest()
        before = api.count("apply")
        await led.at_rest()
        assert api.count("apply") == before


async def test_a_time_does_not_move_although_what_was_written_has_not_come_back(
    api: FakeApi, leading: Leading, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = manifest("a")
    write(api, rule)
    ticks = iter(range(100))
    monkeypatch.setattr(control, "now", lambda: f"2026-01-01T00:00:{next(ticks):02}Z")
    async with leading() as led:
        first = await led.until(rule, "Ready", "True")
        await led.at_rest()
        led.source.rules.by_identity = {
            identity: replace(known, manifest={**known.manifest, "status": {}})
            for identity, known in led.source.rules.by_identity.items()
        }
        before = api.count("apply")
        led.source.changed.set()
        await api.until(lambda: api.count("apply") > before)
        assert led.conditions(rule)["Ready"] == first


async def test_it_looks_again_after_a_while(api: FakeApi, leading: Leading, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "PERIOD", 0.05)
    write(api, manifest("a"))
    async with leading() as led:
        await led.until(manifest("a"), "Ready", "True")
        api.delete(f"{PATH}/statusguard-example.test")
        await api.until(lambda: "statusguard-example.test" in configured(api))


@pytest.mark.parametrize("verb", ["apply", "list"])
async def test_an_error_of_the_api_is_survived_and_logged_once(
    api: FakeApi, leading: Leading, log: LogCapture, verb: Any
) -> None:
    async with leading() as led:
        await api.until(lambda: configured(api) == ["statusguard-rules"] and api.watching == 3)
        api.fault(verb, *[status(500, "InternalError", "etcd")] * 3)
        write(api, manifest("a"))
        await led.until(manifest("a"), "Ready", "True")
    assert len(log.named("the cluster cannot be brought up to date now")) == 1


async def test_a_status_that_cannot_be_written_does_not_keep_others_from_theirs(
    api: FakeApi, leading: Leading, log: LogCapture
) -> None:
    write(api, manifest("a"), manifest("b"))
    async with leading() as led:
        await api.until(lambda: api.watching == 3)
        refused = status(422, "Invalid", "not this status")
        await led.until(manifest("b"), "Ready", "True")
        api.fault("apply", refused)
        write(api, manifest("a", validationActions=["Audit"]), manifest("b", validationActions=["Audit"]))
        await led.until(manifest("b"), "Ready", "True", 2)
        await api.until(lambda: log.named("the status of a rule cannot be written"))


async def test_a_rule_that_was_deleted_meanwhile_is_no_error(api: FakeApi, leading: Leading, log: LogCapture) -> None:
    write(api, manifest("a"))
    async with leading() as led:
        await led.until(manifest("a"), "Ready", "True")
        api.fault("watch", *[status(503, "ServiceUnavailable")] * 2)
        api.cut()
        api.delete(f"{CLUSTER_RULES}/a")
        led.source.changed.set()
        await api.until(lambda: configured(api) == ["statusguard-rules"])
    assert log.named("the status of a rule cannot be written") == []


async def test_two_leaders_at_once_do_no_harm(api: FakeApi, leading: Leading) -> None:
    write(api, manifest("a"), manifest("b", resources("gadgets/status")))
    async with leading() as one, leading() as other:
        await one.until(manifest("a"), "Ready", "True")
        await other.until(manifest("b"), "Ready", "True")
        await one.at_rest()
        await other.at_rest()
        before = api.store.version
        await one.at_rest()
        await other.at_rest()
        assert api.store.version == before
    assert configured(api) == ["statusguard-example.test", "statusguard-rules"]


@pytest.mark.parametrize("turns", range(5))
async def test_an_end_at_the_moment_of_a_change_is_an_end(api: FakeApi, client: ClusterClient, turns: int) -> None:
    led = Led(api, client)
    led.bundle = None
    task = asyncio.create_task(led._controller.lead())
    await api.until(lambda: led._rounds == 1)
    await asyncio.sleep(0)
    led.source.changed.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task], timeout=5)
    assert task.cancelled()
