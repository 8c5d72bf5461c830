"""Whom clients shall trust when cert-manager issues."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from cryptography import x509

from tests.webhook.running import LogCapture
from webhook.cluster import issuer_secret
from webhook.cluster.certificate_material import bundle_of
from webhook.cluster.client import ClusterClient
from webhook.cluster.issuer_secret import IssuerSecret

from .fake_api import FakeApi
from .pairs import new_pair

SECRET = "/api/v1/namespaces/statusguard/secrets/statusguard-tls"
UNUSABLE = "the issuer's Secret names no authority"


def put(api: FakeApi, *authorities: x509.Certificate, **data: str) -> None:
    written = base64.b64encode(bundle_of(set(authorities))).decode()
    body = {"kind": "Secret", "metadata": {"name": "statusguard-tls"}, "data": {"ca.crt": written, **data}}
    api.apply(SECRET, body)


@asynccontextmanager
async def following(api: FakeApi, on_change: Callable[[], None] | None = None) -> AsyncIterator[IssuerSecret]:
    async with ClusterClient(api.configuration()) as client:
        secret = IssuerSecret(client, "statusguard", "statusguard-tls", on_change or api.notify)
        task = asyncio.ensure_future(secret.run())
        try:
            yield secret
        finally:
            task.cancel()
            await asyncio.wait((task,))


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    async with FakeApi() as made:
        yield made


async def test_nothing_is_known_before_cert_manager_wrote(api: FakeApi, log: LogCapture) -> None:
    async with following(api) as secret:
        await api.until(lambda: api.watching)
        assert (secret.bundle, secret.authority_expires) == (None, None)
        assert log.named(UNUSABLE)
        one = new_pair().authority
        put(api, one)
        await api.until(lambda: secret.bundle)
        assert secret.bundle == bundle_of({one})
        assert secret.authority_expires == one.not_valid_after_utc


async def test_a_former_authority_is_trusted_a_little_longer(api: FakeApi) -> None:
    one, other = new_pair().authority, new_pair().authority
    put(api, one)
    async with following(api) as secret:
        await api.until(lambda: secret.bundle)
        put(api, other)
        await api.until(lambda: secret.bundle != bundle_of({one}))
        assert secret.bundle == bundle_of({one, other})


async def test_a_former_authority_is_trusted_no_longer_than_it_takes(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuer_secret, "RETIREMENT", 0.0)
    one, other = new_pair().authority, new_pair().authority
    put(api, one)
    async with following(api) as secret:
        await api.until(lambda: secret.bundle)
        put(api, other)
        await api.until(lambda: secret.bundle != bundle_of({one}))
        assert secret.bundle == bundle_of({other})


async def test_an_authority_that_comes_back_stays(api: FakeApi) -> None:
    one, other = new_pair(days=10).authority, new_pair(days=20).authority
    put(api, one, other)
    async with following(api) as secret:
        await api.until(lambda: secret.bundle)
        assert secret.authority_expires == one.not_valid_after_utc
        put(api, other)
        await api.until(lambda: secret.authority_expires == other.not_valid_after_utc)
        put(api, one, other)
        await api.until(lambda: secret.authority_expires == one.not_valid_after_utc)
        assert secret.bundle == bundle_of({one, other})


async def test_a_change_that_concerns_no_authority_is_not_told(api: FakeApi) -> None:
    one, other = new_pair(days=10).authority, new_pair(days=20).authority
    put(api, one)
    told = 0

    def tell() -> None:
        nonlocal told
        told += 1
        api.notify()

    async with following(api, tell) as secret:
        await api.until(lambda: api.watching)
        put(api, one, **{"tls.crt": ""})
        put(api, other)
        await api.until(lambda: secret.authority_expires == other.not_valid_after_utc)
    assert told == 2


async def test_a_spoilt_or_deleted_secret_changes_nothing(api: FakeApi, log: LogCapture) -> None:
    one = new_pair().authority
    put(api, one)
    async with following(api) as secret:
        await api.until(lambda: secret.bundle)
        put(api, one, **{"ca.crt": "eA=="})
        api.delete(SECRET)
        put(api, one, new_pair().authority)
        await api.until(lambda: secret.bundle != bundle_of({one}))
    assert [event["problem"] for event in log.named(UNUSABLE)] == [
        "no usable authority in PEM form",
        "ca.crt is missing",
    ]
