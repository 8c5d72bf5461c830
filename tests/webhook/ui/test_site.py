"""The pages over HTTP: paths, methods and headers."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
from aiohttp import ClientSession
from yarl import URL

from tests.webhook.observe.incidents import incident
from tests.webhook.running import Echo
from webhook.certificates import SelfSigned
from webhook.observe.metrics import Metrics
from webhook.server import ServerConfig, serve
from webhook.ui.inventory import Inventory
from webhook.ui.site import Site, is_ours

from .views import shown, widgets

CONFIG = ServerConfig(host="127.0.0.1", port=0, ops_port=0, drain_delay=0.0, drain_patience=1.0)


class Got(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str


class Asking:
    """A server with a site, or without one, and a client of its ops port."""

    def __init__(self, port: int, session: ClientSession) -> None:
        self._port = port
        self._session = session

    async def get(self, path: str, method: str = "GET", **headers: str) -> Got:
        url = URL(f"http://127.0.0.1:{self._port}{path}", encoded=True)
        async with self._session.request(method, url, headers=headers) as answer:
            return Got(answer.status, dict(answer.headers), await answer.text())


@pytest.fixture
def site() -> Site:
    inventory = Inventory(shown(widgets("r"), widgets("another")))
    return Site(lambda: inventory)


@pytest.fixture
async def asking(site: Site, certificate: SelfSigned) -> AsyncIterator[Asking]:
    server = await serve(CONFIG, Echo(), certificate=certificate, metrics=Metrics(), unready=lambda: None, site=site)
    async with ClientSession() as session:
        yield Asking(server.ops_port, session)
    await server.drain()


async def test_a_violation_is_on_the_page_at_once(asking: Asking, site: Site) -> None:
    assert "None is remembered." in (await asking.get("/ui")).body
    site(incident(writer="somebody"))
    found = await asking.get("/ui")
    assert found.status == 200
    assert "somebody" in found.body
    assert "somebody" not in (await asking.get("/ui/rules/another")).body
    assert "somebody" in (await asking.get("/ui/rules/r")).body


@pytest.mark.parametrize(
    "path", ["/ui", "/ui/", "/ui/rules", "/ui/rules/", "/ui/rules?page=1", "/ui/rules/r", "/ui?x=y"]
)
async def test_every_page_has_the_headers_that_make_a_browser_careful(asking: Asking, path: str) -> None:
    found = await asking.get(path)
    assert found.status == 200
    (style,) = re.findall(r"<style>(.*?)</style>", found.body, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert found.headers["Content-Security-Policy"] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert found.headers["Content-Type"] == "text/html; charset=utf-8"
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert found.headers["Referrer-Policy"] == "no-referrer"
    assert found.headers["Cache-Control"] == "no-store"
    assert found.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert found.headers["Server"] == "statusguard"


@pytest.mark.parametrize(
    "path",
    [
        *("/ui/x", "/ui/rules/x", "/ui//rules", "/uix", "/ui/rules?page=0", "/ui/rules?page=2", "/ui/rules?page=x"),
        *(
            "/ui/rules?page=\u0661",
            "/ui/rules?page=9999999",
            "/ui/rules/%00",
            "/ui/rules/%ff%fe",
            "/ui/rules/..%2f..%2fr",
        ),
        "/ui/rules/%3Cscript%3E",
    ],
)
async def test_what_is_no_page_is_404_in_one_line_of_text(asking: Asking, path: str) -> None:
    found = await asking.get(str(URL(path)) if not path.isascii() else path)
    assert (found.status, found.body.count("\n")) == (404, 1)
    assert found.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "script" not in found.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_other_methods_are_405(asking: Asking, method: str) -> None:
    found = await asking.get("/ui", method)
    assert (found.status, found.headers["Allow"]) == (405, "GET, HEAD")


async def test_head_has_the_headers_and_no_body(asking: Asking) -> None:
    found = await asking.get("/ui", "HEAD")
    assert (found.status, found.body) == (200, "")
    assert "Content-Security-Policy" in found.headers


async def test_many_pages_at_a_time_are_all_answered(asking: Asking) -> None:
    found = await asyncio.gather(*(asking.get("/ui") for _ in range(16)))
    assert {each.status for each in found} == {200}


async def test_under_a_name_that_a_stranger_could_own_there_is_no_page(asking: Asking) -> None:
    assert (await asking.get("/ui", Host="rebound.example.test")).status == 421
    assert (await asking.get("/ui", Host="localhost:8080")).status == 200


@pytest.mark.parametrize(
    "authority",
    [
        *("localhost", "localhost:8080", "LOCALHOST", "127.0.0.1:1", "10.0.0.1", "[::1]", "[::1]:8080", ""),
        *("statusguard", "a.localhost", "statusguard.statusguard.svc", "statusguard.statusguard.svc.cluster.local:80"),
    ],
)
def test_these_names_are_ours(authority: str) -> None:
    assert is_ours(authority)


@pytest.mark.parametrize(
    "authority",
    [
        "example.com",
        "localhost.example.com",
        "127.0.0.1.example.com",
        "svc.example",
        "[::1",
        "a:b:c",
        "1.2.3",
        "x.svc.y:80",
    ],
)
def test_these_names_are_not_ours(authority: str) -> None:
    assert not is_ours(authority)


async def test_without_a_site_there_is_no_page(certificate: SelfSigned) -> None:
    server = await serve(CONFIG, Echo(), certificate=certificate, metrics=Metrics(), unready=lambda: None)
    async with ClientSession() as session:
        found = await Asking(server.ops_port, session).get("/ui")
    await server.drain()
    assert (found.status, found.body) == (404, "here are /metrics, /healthz and /readyz\n")
