"""What the page shows of rules in a cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import aiohttp
import pytest

from rules.ruleset import RuleSet
from tests.webhook.cluster.fake_api import FakeApi
from tests.webhook.cluster.manifests import broken, manifest, resources, write
from tests.webhook.running import LogCapture
from webhook.certificates import SelfSigned
from webhook.cluster import serve_cluster as module
from webhook.cluster.client import ClusterClient
from webhook.cluster.entries import Policy, plan
from webhook.cluster.rule_source import RuleSource
from webhook.cluster.serve_cluster import ClusterSettings, serve_cluster
from webhook.display import Display
from webhook.greeting import Greeting
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.reviewer import RuleReviewer
from webhook.server import ServerConfig
from webhook.ui.frame import Place
from webhook.ui.inventory import Fact, ShownRule
from webhook.ui.of_cluster import of_cluster
from webhook.ui.pages import rule_page
from webhook.ui.site import Site

from .views import Read, view

Object = dict[str, Any]


def reviewer() -> RuleReviewer:
    return RuleReviewer(RuleSet(()), Wording(Display()), Metrics())


def source_of(*manifests: Object) -> RuleSource:
    """Return a source that has seen these rules; it follows nothing."""
    nobody = cast("ClusterClient", None)
    return taught(RuleSource(nobody, reviewer(), Metrics(), Policy(), None), *manifests)


def taught(source: RuleSource, *manifests: Object) -> RuleSource:
    source.rules.update(manifests)
    source.plan = plan(source.rules.served(), Policy())
    return source


def stored(rule: Object, generation: int = 1, **status: Any) -> Object:
    """Return a rule as the API server has it."""
    metadata = {**rule["metadata"], "uid": "u", "generation": generation}
    return {**rule, "metadata": metadata, **({"status": status} if status else {})}


def ready(status: str = "True", message: str = "the API server asks for it") -> list[Object]:
    return [{"type": "Compiled", "status": "True"}, {"type": "Ready", "status": status, "message": message}]


@pytest.fixture
def show(certificate: SelfSigned) -> Any:
    def shown(source: RuleSource, **options: Any) -> ShownRule:
        (found,) = of_cluster(source, None, certificate, None, leads=False, **options).rules
        return found

    return shown


async def test_a_rule_that_the_api_server_asks_for_is_served(show: Any) -> None:
    found = show(source_of(stored(manifest("a"), conditions=ready(), prefilter={"mode": "Full"})))
    assert (found.title, found.kind, found.state, found.problems, found.prefilter) == (
        "a",
        "ClusterStatusRule",
        "served",
        (),
        "Full",
    )
    assert found.served is not None


async def test_one_that_it_refuses_is_not_ready(show: Any) -> None:
    found = show(source_of(stored(manifest("a", namespace="n"), conditions=ready("False", "it refuses"))))
    assert (found.title, found.kind, found.state, found.problems) == ("n/a", "StatusRule", "not ready", ("it refuses",))


async def test_one_that_was_never_valid_is_broken(show: Any) -> None:
    found = show(source_of(stored(broken("a"))))
    assert (found.state, found.served) == ("broken", None)
    assert found.problems[0].startswith("spec.invariants[0]: invariants[0]: needs exactly one kind of: ")


async def test_of_one_that_broke_the_last_good_version_is_served(show: Any) -> None:
    source = taught(source_of(stored(manifest("a"))), stored(broken("a"), 2, conditions=ready()))
    found = show(source)
    assert (found.state, len(found.problems)) == ("last good", 1)
    assert found.served is not None


async def test_what_is_not_as_the_rule_says_is_remarked(show: Any) -> None:
    pods = manifest("a", resources("pods/status", group=""))
    assert show(source_of(stored(pods, conditions=ready()))).remarks == (
        "pods/status is only reported: the settings do not name it among the guarded resources",
    )


@pytest.mark.parametrize(
    "status",
    [
        *({}, {"conditions": 7}, {"conditions": [7, None]}, {"conditions": [{"type": []}]}),
        *({"conditions": [{"type": "Compiled"}]}, {"prefilter": []}, {"prefilter": {"mode": {}}}),
        {"prefilter": {"mode": "<script>"}},
    ],
)
async def test_nothing_is_believed_of_a_status(show: Any, status: Object) -> None:
    found = show(source_of(stored(manifest("a"), **status)))
    assert (found.state, found.prefilter) == ("not ready", "")
    assert found.problems == ("the leader has not written its status yet",)


@pytest.mark.parametrize("said", ["x", [], 7])
async def test_nor_that_it_is_an_object(show: Any, said: object) -> None:
    assert show(source_of({**stored(manifest("a")), "status": said})).state == "not ready"


async def test_an_action_that_replaces_that_of_every_rule_is_shown(certificate: SelfSigned) -> None:
    found = of_cluster(source_of(stored(manifest("a"))), "Audit", certificate, "waiting", leads=True)
    (only,) = found.rules
    assert only.action == "Audit"
    made = rule_page(Place("/ui/rules/a"), view(found.rules), "a")
    assert made is not None
    assert "A write that breaks an invariant passes and is reported." in Read(made).text
    assert list(found.facts) == [
        Fact("Rules from", "the cluster"),
        Fact("Action of every rule", "Audit, by a setting"),
        Fact("Ready", "waiting", bad=True),
        Fact("Leader", "this replica"),
    ]


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    async with FakeApi() as api:
        yield api


async def test_a_replica_has_the_page(api: FakeApi, log: LogCapture, monkeypatch: pytest.MonkeyPatch) -> None:
    async def access() -> object:
        return api.configuration()

    monkeypatch.setattr(module, "access", access)
    write(api, manifest("a"), broken("b"))
    stop = asyncio.Event()
    settings = ClusterSettings("guards", "guard", 8443, "guard-tls", "guard", None, Policy(), None)
    config = ServerConfig(host="127.0.0.1", port=0, ops_port=0, drain_delay=0.0)
    greeting = Greeting(for_people=False)
    task = asyncio.create_task(serve_cluster(settings, config, reviewer(), Metrics(), stop, Site(), greeting=greeting))
    await api.until(lambda: log.named("serving") or task.done())
    url = f"http://127.0.0.1:{log.named('serving')[0]['ops_port']}/ui"
    text = ""
    async with aiohttp.ClientSession() as session, asyncio.timeout(20):
        while not ("Leaderthis replica" in text and "served, not asked for" not in text and "Rules served1" in text):
            async with session.get(url) as answer:
                text = Read(await answer.text()).text
            await asyncio.sleep(0.02)
    stop.set()
    await task
    for told in ("Rules fromthe cluster", "Readyyes", "Rules broken1", "needs exactly one kind", "Authority ends"):
        assert told in text
    assert "Traceback" not in log.stream.getvalue()
