from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from rules.api import Action
from rules.ruleset import RuleSet
from tests.webhook.running import LogCapture, samples
from tests.widgets import review
from webhook.cluster import rule_source
from webhook.cluster.client import ClusterClient
from webhook.cluster.cluster_rules import ClusterRules
from webhook.cluster.entries import Policy
from webhook.cluster.rule_source import RuleSource
from webhook.display import Display
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.reviewer import RuleReviewer

from .fake_api import FakeApi
from .followed import at_work
from .manifests import CLUSTER_RULES, broken, manifest, resources, write

Following = Callable[..., AbstractAsyncContextManager["Followed"]]


class Followed:
    """A source that follows a fake API server, and the reviewer that judges by it."""

    def __init__(self, api: FakeApi, client: ClusterClient, action: Action | None) -> None:
        self.metrics = Metrics()
        self.reviewer = RuleReviewer(RuleSet(()), Wording(Display()), self.metrics)
        self.source = RuleSource(client, self.reviewer, self.metrics, Policy(), action)
        self.api = api

    def served(self) -> dict[str, str]:
        """Return the action of each rule that is judged by."""
        return {each.title: each.source.spec.action for each in self.reviewer.rules.rules}

    async def until_served(self, **rules: str) -> None:
        await self.api.until(lambda: self.served() == rules)

    def is_refused(self) -> bool:
        """Tell whether a bad write is refused that comes by the entry of widgets."""
        (entry,) = [each.name for each in self.source.plan.entries if each.name.startswith("widgets-status.")]
        answer = self.reviewer.review(review(2, 1), entry)
        assert answer.status == 200
        return not json.loads(answer.body)["response"]["allowed"]

    def value(self, name: str, **labels: str) -> float:
        (found,) = [value for have, value in samples(self.metrics, name) if have == labels]
        return found


@pytest.fixture
def following(api: FakeApi, client: ClusterClient, log: LogCapture, monkeypatch: pytest.MonkeyPatch) -> Following:
    monkeypatch.setattr(rule_source, "SETTLE_SECONDS", 0.01)

    @asynccontextmanager
    async def follow(*, action: Action | None = None, bugs_expected: bool = False) -> AsyncIterator[Followed]:
        followed = Followed(api, client, action)
        async with at_work(followed.source.run(), log, bugs_expected=bugs_expected):
            yield followed

    return follow


async def test_the_rules_are_those_of_the_cluster(api: FakeApi, following: Following) -> None:
    write(api, manifest("a"), manifest("b", namespace="team", validationActions=["Warn"]))
    async with following() as followed:
        await followed.until_served(**{"a": "Deny", "team/b": "Warn"})
        write(api, manifest("a", validationActions=["Audit"]))
        await followed.until_served(**{"a": "Audit", "team/b": "Warn"})
        api.delete(f"{CLUSTER_RULES}/a")
        await followed.until_served(**{"team/b": "Warn"})


async def test_each_entry_judges_by_its_rules(api: FakeApi, following: Following) -> None:
    write(api, manifest("a"), manifest("b", resources("gadgets/status")))
    async with following() as followed:
        await followed.until_served(a="Deny", b="Deny")
        assert followed.is_refused()
        assert len(followed.source.plan.entries) == 2


async def test_a_broken_rule_keeps_its_last_good_version_and_is_counted(api: FakeApi, following: Following) -> None:
    write(api, manifest("a"), manifest("b"))
    async with following() as followed:
        await followed.until_served(a="Deny", b="Deny")
        assert followed.value("statusguard_last_reload_successful") == 1
        write(api, broken("a"))
        await api.until(lambda: followed.value("statusguard_rules", state="broken") == 1)
        assert followed.served() == {"a": "Deny", "b": "Deny"}
        assert followed.value("statusguard_rules", state="served") == 2
        assert followed.value("statusguard_last_reload_successful") == 0


async def test_the_last_good_rules_are_served_through_an_outage(api: FakeApi, following: Following) -> None:
    write(api, manifest("a"))
    async with following() as followed:
        await api.until(lambda: api.watching == 3)
        api.down = True
        api.cut()
        write(api, manifest("a", validationActions=["Warn"]))
        before = len(api.requests)
        await api.until(lambda: len(api.requests) > before + 3)
        assert followed.is_refused()
        assert followed.source.unready() is None
        api.down = False
        await followed.until_served(a="Warn")


async def test_it_is_ready_once_it_judges_by_all_there_is(api: FakeApi, following: Following) -> None:
    write(api, manifest("a"))
    api.missing |= {"/apis/statusguard.dev/v1alpha1/statusrules", "/api/v1/namespaces"}
    async with following() as followed:
        await api.until(lambda: api.count("watch"))
        assert followed.source.unready() == "waiting for the rules"
        assert followed.served() == {}  # half of the rules would be taken for all of them
        api.missing.remove("/apis/statusguard.dev/v1alpha1/statusrules")
        await followed.until_served(a="Deny")
        assert followed.source.unready() == "waiting for the namespaces"
        api.missing.clear()
        await api.until(lambda: followed.source.unready() is None)


async def test_it_is_not_ready_before_it_judges(
    api: FakeApi, following: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(api, manifest("a"))
    said: list[str | None] = []
    async with following() as followed:
        monkeypatch.setattr(followed.reviewer, "exchange", lambda *_: said.append(followed.source.unready()))
        await api.until(lambda: followed.source.unready() is None)
    assert said == ["waiting for the rules"]


async def test_without_rules_it_is_ready_too(api: FakeApi, following: Following) -> None:
    async with following() as followed:
        await api.until(lambda: followed.source.unready() is None)
        assert followed.source.changed.is_set()


async def test_the_leader_hears_of_what_it_has_to_write(api: FakeApi, following: Following) -> None:
    async with following() as followed:
        changed = followed.source.changed
        await api.until(lambda: followed.source.unready() is None)
        changed.clear()
        write(api, manifest("a"))
        await api.until(changed.is_set)
        changed.clear()
        # A status that was written, and labels of a namespace, are no news.
        api.apply(f"{CLUSTER_RULES}/a/status", {"status": {"observedGeneration": 1}})
        api.apply("/api/v1/namespaces/team", {"kind": "Namespace", "metadata": {"name": "team"}})
        await api.until(lambda: followed.reviewer.namespace_labels and followed.reviewer.namespace_labels("team") == {})
        write(api, manifest("b"))
        await followed.until_served(a="Deny", b="Deny")
        assert changed.is_set()


async def test_the_leader_hears_when_the_namespaces_are_there_at_last(api: FakeApi, following: Following) -> None:
    api.missing.add("/api/v1/namespaces")
    async with following() as followed:
        await api.until(lambda: followed.source.unready() == "waiting for the namespaces")
        followed.source.changed.clear()
        api.missing.clear()
        await api.until(followed.source.changed.is_set)
        assert followed.source.unready() is None


async def test_rules_that_come_together_are_taken_up_together(
    api: FakeApi, following: Following, log: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with following():
        await api.until(lambda: api.watching == 3 and log.named("rules loaded"))
        monkeypatch.setattr(rule_source, "SETTLE_SECONDS", 0.2)
        write(api, *(manifest(f"r{number}") for number in range(20)))
        await api.until(lambda: len(log.named("rules loaded")) == 2)
        assert log.named("rules loaded")[1]["served"] == 20


async def test_an_action_replaces_that_of_every_rule(api: FakeApi, following: Following) -> None:
    write(api, manifest("a"), manifest("b", validationActions=["Warn"]))
    async with following(action="Audit") as followed:
        await followed.until_served(a="Audit", b="Audit")
        assert not followed.is_refused()


async def test_the_labels_of_namespaces_are_known(api: FakeApi, following: Following) -> None:
    namespace = {"kind": "Namespace", "metadata": {"name": "team", "labels": {"tier": "gold"}}}
    api.apply("/api/v1/namespaces/team", namespace)
    async with following() as followed:
        await api.until(lambda: followed.source.unready() is None)
        labels = followed.reviewer.namespace_labels
        assert labels is not None
        assert labels("team") == {"tier": "gold"}
        assert labels("nowhere") is None


async def test_a_bug_is_logged_and_the_next_change_is_taken_up(
    api: FakeApi, following: Following, log: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(api, manifest("a"))
    async with following(bugs_expected=True) as followed:
        await followed.until_served(a="Deny")
        monkeypatch.setattr(ClusterRules, "update", lambda *_: 1 / 0)
        write(api, manifest("b"))
        await api.until(lambda: log.named("a bug while taking up rules, the last good ones are served"))
        assert followed.is_refused()
        monkeypatch.undo()
        write(api, manifest("c"))
        await followed.until_served(a="Deny", b="Deny", c="Deny")
