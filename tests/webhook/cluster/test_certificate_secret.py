"""The certificate Secret, made, followed and rotated through a fake API server."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from tests.webhook.running import LogCapture
from webhook.cluster import certificate_rotation, certificate_rotator
from webhook.cluster.certificate_material import Issued, Material, authorities_in, material_of, secret_data
from webhook.cluster.certificate_rotator import rotate
from webhook.cluster.certificate_secret import CertificateSecret
from webhook.cluster.client import ClusterClient
from webhook.cluster.configurations import LABELS
from webhook.cluster.webhook_config import PATH
from webhook.errors import CannotRunError

from .fake_api import FakeApi
from .fake_store import Target
from .faults import cut, status
from .pairs import NAME, accepts, new_pair

SECRET = "/api/v1/namespaces/statusguard/secrets/statusguard-tls"
TARGET = Target.parse(SECRET)


class WatchedSecret(CertificateSecret):
    """Wakes up the test when the Secret was looked at."""

    after_look: Callable[[], None]

    def _look(self) -> None:
        super()._look()
        self.after_look()


class Replica:
    """One replica's view of the Secret; `changes` of the bundle are counted."""

    def __init__(self, api: FakeApi, client: ClusterClient) -> None:
        self.changes = 0
        self.secret = WatchedSecret(client, "statusguard", "statusguard-tls", [NAME], self._changed)
        self.secret.after_look = api.notify

    def _changed(self) -> None:
        self.changes += 1

    @property
    def serves(self) -> Issued | None:
        return self.secret.material.serving if self.secret.material else None


@asynccontextmanager
async def replicas(api: FakeApi, count: int = 1, *, leading: int = 0) -> AsyncIterator[list[Replica]]:
    """Run replicas; the first `leading` ones rotate."""
    async with ClusterClient(api.configuration()) as client:
        made = [Replica(api, client) for _ in range(count)]
        tasks = [asyncio.ensure_future(each.secret.follow()) for each in made]
        tasks += [asyncio.ensure_future(rotate(each.secret, client)) for each in made[:leading]]
        try:
            yield made
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    async with FakeApi() as made:
        yield made


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the leader look often and a successor wait for trust only."""
    monkeypatch.setattr(certificate_rotator, "INTERVAL", 0.01)
    monkeypatch.setattr(certificate_rotation, "PROPAGATION", 0.0)


def put(api: FakeApi, material: Material) -> None:
    api.apply(SECRET, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": TARGET.name}, **data(material)})


def data(material: Material) -> dict[str, Any]:
    return {"data": secret_data(material)}


def stored(api: FakeApi) -> Material:
    return material_of(api.store.get(TARGET))


def configure(api: FakeApi, bundle: bytes, name: str = "statusguard-apps", labels: dict[str, str] = LABELS) -> None:
    """Write a configuration, by default as the leader does."""
    client_config = {"caBundle": base64.b64encode(bundle).decode(), "url": "https://x/"}
    body = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name, "labels": labels},
        "webhooks": [{"name": "a.statusguard.dev", "clientConfig": client_config}],
    }
    api.apply(f"{PATH}/{name}", body)


async def test_the_first_replica_makes_the_secret_and_all_serve_it(api: FakeApi) -> None:
    async with replicas(api, 3) as made:
        await api.until(lambda: all(each.changes for each in made))
        found = api.store.get(TARGET)
        assert found["type"] == "kubernetes.io/tls"
        assert found["metadata"]["labels"] == LABELS
        for each in made:
            assert each.secret.material == stored(api)
            assert each.secret.bundle == stored(api).bundle
            assert accepts(stored(api).bundle, each.secret.context)
        assert api.store.version == 2, "written once"


async def test_a_secret_that_is_there_is_served_and_left_alone(api: FakeApi) -> None:
    held = Material(new_pair())
    put(api, held)
    async with replicas(api) as (one,):
        assert one.secret.bundle is None
        await api.until(lambda: one.changes)
        assert one.secret.material == held
        assert one.secret.expires == held.serving.expires
        assert one.secret.authority_expires == held.serving.authority.not_valid_after_utc
    assert stored(api) == held


async def test_a_certificate_is_served_before_the_secret_was_seen(api: FakeApi) -> None:
    api.down = True
    async with replicas(api) as (one,):
        await api.until(lambda: api.count("get") >= 2)
        assert one.secret.expires > datetime.now(UTC)
        assert one.secret.bundle is None
        api.down = False
        await api.until(lambda: one.changes)
        assert accepts(stored(api).bundle, one.secret.context)


async def test_an_empty_secret_that_somebody_made_is_filled(api: FakeApi) -> None:
    api.apply(SECRET, {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": {"name": TARGET.name}})
    async with replicas(api, 2) as made:
        await api.until(lambda: all(each.changes for each in made))
        assert {each.serves for each in made} == {stored(api).serving}
        assert api.store.get(TARGET)["type"] == "Opaque"


@pytest.mark.parametrize("trouble", [status(403, "Forbidden", "no"), status(500, "InternalError", "no"), cut])
async def test_trouble_at_the_start_is_logged_and_gone_through(api: FakeApi, log: LogCapture, trouble: Any) -> None:
    api.fault("get", trouble)
    api.fault("create", trouble)
    async with replicas(api) as (one,):
        await api.until(lambda: one.changes)
    assert len(log.named("there is no certificate Secret yet")) == 1


async def test_a_new_certificate_is_taken_up_in_a_context_of_its_own(api: FakeApi) -> None:
    put(api, Material(new_pair()))
    async with replicas(api) as (one,):
        await api.until(lambda: api.watching)
        before = one.secret.context
        other = Material(new_pair())
        put(api, other)
        await api.until(lambda: one.changes == 2)
        assert one.secret.context is not before
        assert accepts(other.bundle, one.secret.context)


async def test_a_bundle_that_grows_changes_nothing_that_is_served(api: FakeApi) -> None:
    held = Material(new_pair())
    put(api, held)
    async with replicas(api) as (one,):
        await api.until(lambda: one.changes)
        before = one.secret.context
        put(api, Material(held.serving, new_pair()))
        await api.until(lambda: one.changes == 2)
        assert one.secret.context is before


@pytest.mark.parametrize("broken", ["tls.key", "ca.crt"])
async def test_a_spoilt_secret_is_reported_and_what_was_served_is_served_on(
    api: FakeApi, log: LogCapture, broken: str
) -> None:
    held = Material(new_pair())
    put(api, held)
    async with replicas(api) as (one,):
        await api.until(lambda: one.changes)
        api.store.merge(TARGET, {"data": {broken: "eA=="}})
        api.notify()
        await api.until(lambda: not one.secret.intact)
        assert one.secret.material == held
        assert accepts(held.bundle, one.secret.context)
    (event,) = log.named("the certificate Secret cannot be used, what was served is served on")
    assert event["problem"].isprintable()


async def test_the_leader_brings_a_deleted_secret_back_with_a_successor(api: FakeApi, hurried: None) -> None:
    held = Material(new_pair())
    put(api, held)
    configure(api, held.bundle)
    async with replicas(api, 2, leading=1) as made:
        await api.until(lambda: all(each.changes for each in made))
        api.delete(SECRET)
        await api.until(lambda: all(each.changes == 2 for each in made))
        back = stored(api)
        assert back.serving == held.serving
        assert back.staged
        assert all(each.serves == held.serving for each in made)


async def test_the_leader_mends_a_spoilt_secret(api: FakeApi, hurried: None) -> None:
    held = Material(new_pair())
    put(api, held)
    configure(api, held.bundle)
    async with replicas(api, leading=1) as (one,):
        await api.until(lambda: one.changes)
        api.store.merge(TARGET, {"data": {"tls.crt": ""}})
        api.notify()
        await api.until(lambda: one.changes == 2)
        assert stored(api).serving == held.serving
        assert one.secret.intact


async def test_a_successor_is_served_by_all_once_every_configuration_trusts_it(api: FakeApi, hurried: None) -> None:
    staged = Material(new_pair(), new_pair())
    assert staged.staged
    put(api, staged)
    configure(api, Material(staged.serving).bundle)
    configure(api, staged.bundle, "statusguard-core")
    async with replicas(api, 2, leading=1) as made:
        await api.until(lambda: api.count("list") > 12)
        assert {each.serves for each in made} == {staged.serving}
        configure(api, staged.bundle)
        await api.until(lambda: all(each.serves == staged.staged for each in made))
        assert all(each.changes == 1 for each in made), "the bundle is the same before and after the turn"
        assert authorities_in(stored(api).bundle) == {staged.serving.authority, staged.staged.authority}


async def test_of_our_configurations_one_without_a_bundle_is_waited_for_and_those_of_others_are_not(
    api: FakeApi, hurried: None
) -> None:
    staged = Material(new_pair(), new_pair())
    put(api, staged)
    configure(api, b"", "statusguard-apps")
    configure(api, new_pair().authority.public_bytes(Encoding.PEM), "theirs", {})
    async with replicas(api, leading=1) as (one,):
        await api.until(lambda: api.count("list") > 12)
        assert one.secret.material == staged
        api.delete(f"{PATH}/statusguard-apps")
        await api.until(lambda: one.secret.material != staged)


async def test_two_leaders_for_a_moment_agree_on_one_successor(api: FakeApi, hurried: None) -> None:
    held = Material(new_pair(name="former.name"))
    put(api, held)
    configure(api, held.bundle)
    async with replicas(api, 2, leading=2) as made:
        await api.until(lambda: all(each.changes == 2 for each in made))
        await api.until(lambda: api.count("list") > 20)
        assert all(each.secret.material == stored(api) for each in made)
        assert all(each.changes == 2 for each in made), "one successor was staged"


async def test_the_rotation_goes_through_an_outage(api: FakeApi, hurried: None, log: LogCapture) -> None:
    staged = Material(new_pair(), new_pair())
    put(api, staged)
    configure(api, Material(staged.serving).bundle)
    async with replicas(api, leading=1) as (one,):
        await api.until(lambda: one.changes and api.count("list") > 3)
        api.down = True
        api.cut()
        await api.until(lambda: log.named("the certificate cannot be rotated now"))
        assert one.secret.material == staged
        configure(api, staged.bundle)
        api.down = False
        await api.until(lambda: one.secret.material != staged)


def test_a_name_that_no_certificate_can_carry_is_refused_at_the_start() -> None:
    client: Any = None
    with pytest.raises(CannotRunError, match="neither a DNS name nor an IP address"):
        CertificateSecret(client, "statusguard", "statusguard-tls", ["a b"], lambda: None)
