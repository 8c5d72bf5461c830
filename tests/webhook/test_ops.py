"""The ops port, over plain HTTP."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from .conftest import Serving
from .running import PATIENCE, LogCapture, Running, receive


@pytest.fixture
def server(serving: Serving) -> Running:
    return serving()


def test_metrics_are_in_prometheus_text_format(server: Running) -> None:
    reply = server.get("/metrics")
    assert reply.status == 200
    assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert b'\nstatusguard_decode_failures_total{reason="timeout"} 0.0\n' in reply.body


def test_many_scrapes_at_a_time_are_all_answered(server: Running) -> None:
    with ThreadPoolExecutor(8) as clients:
        assert {reply.status for reply in clients.map(server.get, ["/metrics"] * 32)} == {200}


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_server_that_is_well_says_ok(server: Running, path: str) -> None:
    reply = server.get(path)
    assert (reply.status, reply.body) == (200, b"ok\n")


@pytest.mark.parametrize("path", ["/healthz", "/metrics"])
def test_head_is_answered_without_a_body(server: Running, path: str) -> None:
    reply = server.get(path, "HEAD")
    assert (reply.status, reply.body) == (200, b"")


def test_other_paths_are_404(server: Running) -> None:
    assert server.get("/validate").status == 404


def test_other_methods_are_405(server: Running) -> None:
    reply = server.get("/metrics", "DELETE")
    assert (reply.status, reply.headers["Allow"]) == (405, "GET, HEAD")


def test_misuse_is_answered_and_not_counted_with_reviews(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.ops_port), PATIENCE) as connection:
        connection.sendall(b"\x16\x03\x01\x00\x05hello")
        assert receive(connection).status == 400
    assert server.metrics.failures() == {}


def test_a_bug_in_the_readiness_check_is_500(serving: Serving, log: LogCapture) -> None:
    def unready() -> str | None:
        raise KeyError("x")

    reply = serving(unready=unready, bugs_expected=True).get("/readyz")
    assert (reply.status, reply.body) == (500, b"internal error\n")
    assert len(log.named("request failed")) == 1
