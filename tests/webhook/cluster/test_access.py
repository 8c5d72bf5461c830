# ruff: noqa: ASYNC240  a test may wait for its file
from __future__ import annotations

from pathlib import Path

import pytest
from kubernetes_asyncio.config import incluster_config

from webhook.cluster import access as access_module
from webhook.cluster.access import access
from webhook.cluster.client import ClusterClient
from webhook.errors import CannotRunError

from .fake_api import FakeApi

KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "SERVER"}}]
users: [{name: u, user: {tokenFile: TOKEN}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
"""


@pytest.fixture
def token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text("one")
    return file


def kubeconfig(folder: Path, server: str, token: Path) -> Path:
    file = folder / "config"
    file.write_text(KUBECONFIG.replace("SERVER", server).replace("TOKEN", str(token)))
    return file


async def test_a_file_that_is_named_comes_before_the_environment(tmp_path: Path, token: Path) -> None:
    named = kubeconfig(tmp_path, "http://named", token)
    environment = {"KUBECONFIG": "/nowhere", "KUBERNETES_SERVICE_HOST": "pod"}
    assert (await access(named, environment)).host == "http://named"


async def test_the_environment_names_a_file(tmp_path: Path, token: Path) -> None:
    file = kubeconfig(tmp_path, "http://from-environment", token)
    environment = {"KUBECONFIG": f"/nowhere:{file}", "KUBERNETES_SERVICE_HOST": "pod"}
    assert (await access(None, environment)).host == "http://from-environment"


async def test_else_it_is_the_service_account(token: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = tmp_path / "ca.crt"
    authority.write_text("a certificate")
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(token))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(authority))
    found = await access(None, {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"})
    assert (found.host, found.ssl_ca_cert) == ("https://[fd00::1]:443", str(authority))
    assert await found.get_api_key_with_prefix("BearerToken") == "Bearer one"


async def test_a_pod_without_what_it_needs() -> None:
    with pytest.raises(CannotRunError, match=r"no access to a cluster by the service account: .*port is not set"):
        await access(None, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"})


@pytest.mark.parametrize("content", ["", "{", "[]", "clusters: 1", "clusters: []\ncurrent-context: x"])
async def test_a_file_that_is_none(tmp_path: Path, content: str) -> None:
    file = tmp_path / "config"
    file.write_text(content)
    with pytest.raises(CannotRunError, match=f"no access to a cluster by {file}: .") as raised:
        await access(file, {})
    assert "\n" not in str(raised.value)


async def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CannotRunError, match="/config: no such file"):
        await access(tmp_path / "config", {})


@pytest.mark.parametrize(("renewal", "then"), [(0.0, "Bearer two"), (3_600.0, "Bearer one")])
async def test_a_token_that_changes_is_taken_up_in_time(
    tmp_path: Path, token: Path, api: FakeApi, monkeypatch: pytest.MonkeyPatch, renewal: float, then: str
) -> None:
    monkeypatch.setattr(access_module, "RENEWAL", renewal)
    configuration = await access(kubeconfig(tmp_path, api.url, token), {})
    async with ClusterClient(configuration) as client:
        await client.list("/api/v1/secrets")
        token.write_text("two")
        await client.list("/api/v1/secrets")
    assert [request.headers["Authorization"] for request in api.requests] == ["Bearer one", then]
