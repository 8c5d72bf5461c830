"""`serve` with rules from the cluster, put together, on a fake API server."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from rules.ruleset import RuleSet
from tests.webhook.running import LogCapture, samples, write_pair
from tests.widgets import review
from webhook.certificate_files import CertificateFiles
from webhook.certificates import self_signed
from webhook.cluster import serve_cluster as module
from webhook.cluster.entries import Policy
from webhook.cluster.leader import Leader
from webhook.cluster.serve_cluster import ClusterSettings, policy, serve_cluster
from webhook.cluster.webhook_config import PATH
from webhook.display import Display
from webhook.errors import CannotRunError, InputError
from webhook.greeting import Greeting
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.reviewer import RuleReviewer
from webhook.server import ServerConfig

from .fake_api import FakeApi
from .fake_store import RefusedError, Target
from .manifests import manifest, path_of, write

LEASE = "/apis/coordination.k8s.io/v1/namespaces/guards/leases/statusguard"
SECRET = "/api/v1/namespaces/guards/secrets/guard-tls"
ROLE = "/apis/rbac.authorization.k8s.io/v1/clusterroles/guard"

Object = dict[str, Any]
Serving = Callable[..., AbstractAsyncContextManager["Served"]]


def settings(url: str | None = None, files: CertificateFiles | None = None) -> ClusterSettings:
    return ClusterSettings("guards", "guard", 8443, "guard-tls", "guard", url, Policy(), files)


class Served:
    """A replica in the test's own event loop."""

    def __init__(self, api: FakeApi, log: LogCapture) -> None:
        self.api = api
        self.log = log
        self.stop = asyncio.Event()
        self.metrics = Metrics()

    @property
    def ports(self) -> tuple[int, int]:
        greeting = self.log.named("serving")[-1]
        return greeting["port"], greeting["ops_port"]

    async def run(self, settings: ClusterSettings) -> None:
        reviewer = RuleReviewer(RuleSet(()), Wording(Display()), self.metrics)
        config = ServerConfig(host="127.0.0.1", port=0, ops_port=0, drain_delay=0.0)
        greeting = Greeting(for_people=False)
        await serve_cluster(settings, config, reviewer, self.metrics, self.stop, greeting=greeting)

    async def get(self, path: str) -> tuple[int, str]:
        """Ask the ops port."""
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"http://127.0.0.1:{self.ports[1]}{path}") as answer,
        ):
            return answer.status, await answer.text()

    async def until_ready(self, code: int = 200, text: str = "ok") -> None:
        """Wait until that is what we say of our readiness."""
        async with asyncio.timeout(20):
            while await self.get("/readyz") != (code, f"{text}\n"):  # noqa: ASYNC110  no event tells of it
                await asyncio.sleep(0.02)

    async def judged(self, webhook: Object, body: bytes) -> Object:
        """Bring a review as the API server does by a webhook of a configuration, and return the response."""
        client = webhook["clientConfig"]
        trust = ssl.create_default_context(cadata=base64.b64decode(client["caBundle"]).decode())
        url = f"https://localhost:{self.ports[0]}{client['service']['path']}"
        headers = {"Content-Type": "application/json"}
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, data=body, headers=headers, ssl=trust, server_hostname="guard.guards.svc") as answer,
        ):
            found: Object = (await answer.json())["response"]
            return found


@pytest.fixture
def serving(api: FakeApi, log: LogCapture, monkeypatch: pytest.MonkeyPatch) -> Serving:
    async def access() -> object:
        return api.configuration()

    monkeypatch.setattr(module, "access", access)

    @asynccontextmanager
    async def serve(settings: ClusterSettings, *, bugs_expected: bool = False) -> AsyncIterator[Served]:
        served = Served(api, log)
        before = len(log.named("serving"))
        task = asyncio.create_task(served.run(settings))
        try:
            await api.until(lambda: len(log.named("serving")) > before or task.done())
            yield served
        finally:
            served.stop.set()
            await task
        assert bugs_expected or "Traceback" not in log.stream.getvalue()

    return serve


def webhook(api: FakeApi, configuration: str) -> Object:
    """Return the first webhook of a configuration."""
    found, *_ = api.store.get(Target.parse(f"{PATH}/{configuration}"))["webhooks"]
    assert isinstance(found, dict)
    return found


def is_ready(api: FakeApi, rule: Object) -> bool:
    conditions = api.store.get(Target.parse(path_of(rule))).get("status", {}).get("conditions", ())
    return any((each["type"], each["status"]) == ("Ready", "True") for each in conditions)


async def test_a_rule_of_the_cluster_judges_by_what_was_written_for_it(api: FakeApi, serving: Serving) -> None:
    uid = api.apply(ROLE, {"kind": "ClusterRole", "metadata": {"name": "guard"}})["metadata"]["uid"]
    write(api, manifest("a"))
    async with serving(settings()) as served:
        await served.until_ready()
        await api.until(lambda: is_ready(api, manifest("a")))
        widgets = webhook(api, "statusguard-example.test")
        assert widgets["clientConfig"]["service"]["port"] == 8443
        assert (await served.judged(widgets, review(2, 1)))["status"]["code"] == 409
        assert (await served.judged(widgets, review(1, 2)))["allowed"]
        own = await served.judged(webhook(api, "statusguard-rules"), review(None, 2, operation="CREATE"))
        assert own["status"]["code"] == 422  # a widget is no rule
        (owner,) = api.store.get(Target.parse(f"{PATH}/statusguard-rules"))["metadata"]["ownerReferences"]
        assert owner["uid"] == uid
        _, metrics = await served.get("/metrics")
        assert 'statusguard_rules{state="served"} 1.0' in metrics
        assert 'statusguard_certificate_expiry_timestamp_seconds{certificate="serving"} 1' in metrics
        assert "statusguard_leader 1.0" in metrics
        for resource in ("clusterstatusrules", "statusrules", "namespaces", "secrets"):
            assert f'statusguard_informer_synced{{resource="{resource}"}} 1.0' in metrics
            assert f'statusguard_informer_last_contact_timestamp_seconds{{resource="{resource}"}} 1' in metrics


async def test_it_is_not_ready_before_it_has_seen_all(api: FakeApi, serving: Serving) -> None:
    api.down = True
    async with serving(settings()) as served:
        assert await served.get("/readyz") == (503, "waiting for the certificate\n")
        assert await served.get("/healthz") == (200, "ok\n")
        api.missing.add("/api/v1/namespaces")
        api.down = False
        await served.until_ready(503, "waiting for the namespaces")
        api.missing.clear()
        await served.until_ready()


async def test_a_server_whose_canary_lives_is_not_ready(
    api: FakeApi, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(settings()) as served:
        await served.until_ready()
        monkeypatch.setattr("webhook.canary.judge", lambda *_: [])
        assert await served.get("/readyz") == (503, "the canary, a bad write, was allowed\n")


async def test_the_lease_is_given_back_at_the_end(api: FakeApi, serving: Serving) -> None:
    async with serving(settings()) as served:
        await served.until_ready()
        await api.until(lambda: holder(api))
    assert not holder(api)
    assert list(samples(served.metrics, "statusguard_leader")) == [({}, 0)]


def holder(api: FakeApi) -> str:
    try:
        return str(api.store.get(Target.parse(LEASE))["spec"].get("holderIdentity", ""))
    except RefusedError:
        return ""


async def test_of_cert_manager_the_files_are_served_and_the_secret_is_trusted(
    api: FakeApi, serving: Serving, tmp_path: Path
) -> None:
    made = self_signed(["guard.guards.svc"])
    data = {"ca.crt": base64.b64encode(made.authority).decode()}
    api.apply(SECRET, {"kind": "Secret", "metadata": {"name": "guard-tls"}, "data": data})
    write(api, manifest("a"))
    async with serving(settings(files=CertificateFiles(*write_pair(tmp_path, made)))) as served:
        await served.until_ready()
        await api.until(lambda: is_ready(api, manifest("a")))
        widgets = webhook(api, "statusguard-example.test")
        assert base64.b64decode(widgets["clientConfig"]["caBundle"]) == made.authority
        assert not (await served.judged(widgets, review(2, 1)))["allowed"]
    assert api.store.get(Target.parse(SECRET))["data"] == data


async def test_what_ends_by_a_bug_is_said_and_the_rest_goes_on(
    api: FakeApi, serving: Serving, log: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Leader, "run", run)
    async with serving(settings(), bugs_expected=True) as served:
        await served.until_ready()
        (said,) = log.named("a bug: part of the work has ended, what was served is served on")
        assert said["part"] == "leader"


async def test_what_does_not_end_is_not_waited_for(
    api: FakeApi, serving: Serving, log: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stubborn(self: Leader, lead: object) -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(3_600)
        await asyncio.sleep(3_600)

    monkeypatch.setattr(Leader, "run", stubborn)
    monkeypatch.setattr(module, "WIND_UP", 0.1)
    async with asyncio.timeout(20), serving(settings()) as served:
        await served.until_ready()
    assert [
        event["part"] for event in log.named("a bug: part of the work does not end, the server stops without it")
    ] == ["leader"]
    assert log.named("draining")


async def test_without_a_cluster_it_cannot_run(log: LogCapture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "missing")
    with pytest.raises(CannotRunError, match="no access to a cluster by missing"):
        await Served(FakeApi(), log).run(settings())


@pytest.mark.parametrize(
    ("url", "host"),
    [(None, []), ("https://guard.example.test:8443", ["guard.example.test"]), ("https://[::1]:8443/x", ["::1"])],
)
def test_the_certificate_is_for_all_names_by_which_we_are_called(url: str | None, host: list[str]) -> None:
    assert list(settings(url).names) == ["guard.guards.svc", "guard.guards.svc.cluster.local", *host]


def test_what_the_settings_allow() -> None:
    found = policy(["pods", "nodes"], ["deployments.apps", "*.example.test", "*"])
    assert found.guarded == {("", "pods"), ("", "nodes")}
    assert found.namespaced_deny == {("apps", "deployments"), ("example.test", "*"), ("*", "*")}


@pytest.mark.parametrize("written", ["", ".apps"])
def test_a_setting_that_names_no_resource_is_refused(written: str) -> None:
    with pytest.raises(InputError, match=r"is no resource: write resource\.group"):
        policy([written], [])
