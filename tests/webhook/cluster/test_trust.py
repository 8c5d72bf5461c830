from __future__ import annotations

import asyncio
import base64
import math
from pathlib import Path

from tests.webhook.running import samples, write_pair
from webhook.certificate_files import CertificateFiles
from webhook.certificates import leaf_of, self_signed
from webhook.cluster.client import ClusterClient
from webhook.cluster.trust import IssuedTrust, OwnTrust
from webhook.observe.metrics import Metrics

from .fake_api import FakeApi
from .fake_store import Target
from .pairs import NAME, accepts

SECRET = ("statusguard", "statusguard-tls")
PATH = "/api/v1/namespaces/statusguard/secrets/statusguard-tls"


def ends(metrics: Metrics) -> dict[str, float]:
    """Return when each certificate ends."""
    name = "statusguard_certificate_expiry_timestamp_seconds"
    return {labels["certificate"]: value for labels, value in samples(metrics, name)}


async def test_what_we_make_ourselves_is_trusted_once_it_is_in_the_secret(api: FakeApi, client: ClusterClient) -> None:
    metrics = Metrics()
    changes: list[bytes | None] = []
    trust = OwnTrust(client, SECRET, [NAME], metrics, lambda: changes.append(trust.bundle))
    following = asyncio.create_task(trust.certificate.follow())
    await api.until(lambda: trust.bundle)
    following.cancel()
    await asyncio.wait([following])
    bundle = trust.bundle or b""
    assert changes == [bundle]
    assert accepts(bundle, trust.certificate.context)
    assert base64.b64decode(api.store.get(Target.parse(PATH))["data"]["ca.crt"]) == bundle
    assert set(ends(metrics)) == {"serving", "authority"}
    assert not any(map(math.isnan, ends(metrics).values()))
    await trust.follow()


async def test_of_an_issuer_the_files_are_served_and_the_secret_is_trusted(
    api: FakeApi, client: ClusterClient, tmp_path: Path
) -> None:
    made = self_signed([NAME])
    files = CertificateFiles(*write_pair(tmp_path, made))
    metrics = Metrics()
    changes: list[bytes | None] = []
    trust = IssuedTrust(client, SECRET, files, metrics, lambda: changes.append(trust.bundle))
    assert trust.certificate is files
    assert math.isnan(ends(metrics)["authority"])
    following = asyncio.create_task(trust.follow())
    data = {"ca.crt": base64.b64encode(made.authority).decode()}
    api.apply(PATH, {"kind": "Secret", "metadata": {"name": SECRET[1]}, "data": data})
    await api.until(lambda: trust.bundle)
    following.cancel()
    await asyncio.wait([following])
    bundle = trust.bundle or b""
    assert changes == [bundle]
    assert accepts(bundle, files.context)
    assert ends(metrics)["serving"] == leaf_of(made.pair).not_valid_after_utc.timestamp()
    await trust.rotate()
