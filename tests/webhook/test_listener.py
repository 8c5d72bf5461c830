"""Connections before and beside HTTP: handshakes, bounds, the ports themselves."""

from __future__ import annotations

import errno
import socket
import ssl
from contextlib import ExitStack
from typing import Any

import pytest

from webhook.errors import CannotRunError
from webhook.listener import listening_socket

from .conftest import Serving
from .running import CONTINUE, LogCapture, Running, at_end, receive, review


@pytest.fixture
def server(serving: Serving) -> Running:
    return serving()


def test_plain_http_to_the_tls_port_is_told_so(server: Running) -> None:
    with server.connect_plainly() as connection:
        connection.sendall(review())
        reply = receive(connection)
    assert (reply.status, reply.body) == (400, b"this port speaks HTTPS, the request was plain HTTP\n")
    server.metrics.wait_for_failures(handshake=1)


@pytest.mark.parametrize("garbage", [b"\x00" * 100, b"\x16\x03\x01\x00\x05hello", b"SSH-2.0-x\r\n", bytes(range(256))])
def test_garbage_instead_of_a_handshake_is_counted(server: Running, garbage: bytes) -> None:
    with server.connect_plainly() as connection:
        connection.sendall(garbage)
        while data := receive_some(connection):
            assert data[:1] == b"\x15"  # a TLS alert
    server.metrics.wait_for_failures(handshake=1)


def test_a_handshake_that_takes_too_long_is_cut_off(serving: Serving) -> None:
    server = serving(limits={"handshake": 0.2})
    with server.connect_plainly() as connection:
        connection.sendall(b"\x16\x03")
        assert at_end(connection)
    server.metrics.wait_for_failures(handshake=1)


def test_who_only_looks_whether_the_port_is_open_is_not_counted(server: Running) -> None:
    with server.connect_plainly():
        pass
    server.check()
    assert server.metrics.failures() == {}


def test_a_peer_that_does_not_trust_us_gets_a_hint_in_the_log(server: Running, log: LogCapture) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        server.connect(ssl.create_default_context())
    server.metrics.wait_for_failures(handshake=1)
    server.check()
    (event,) = log.named("input refused")
    assert "caBundle" in event["detail"]
    assert event["peer"] == "127.0.0.1"


@pytest.mark.parametrize("offer", [["h2", "http/1.1"], ["http/1.1"], ["h2"], []])
def test_only_http_1_1_is_negotiated(server: Running, offer: list[str]) -> None:
    context = server.trust()
    if offer:
        context.set_alpn_protocols(offer)
    with server.connect(context) as connection:
        assert connection.selected_alpn_protocol() == ("http/1.1" if "http/1.1" in offer else None)
        connection.sendall(review())
        assert receive(connection).status == 200


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_tls_sessions_are_resumed(server: Running, version: ssl.TLSVersion) -> None:
    context = server.trust()
    context.minimum_version = context.maximum_version = version
    with server.connect(context) as first:
        first.sendall(review())
        assert receive(first).status == 200
        session = first.session
    plain = server.connect_plainly()
    with context.wrap_socket(plain, server_hostname="localhost", session=session) as again:
        assert again.session_reused
        again.sendall(review())
        assert receive(again).status == 200


def test_200_idle_connections_are_in_nobodys_way(server: Running) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(server.connect()) for _ in range(200)]
        assert server.send(review()).status == 200
        for connection in idle:
            connection.sendall(review())
            assert receive(connection).status == 200
    assert server.metrics.failures() == {}


def test_strangers_make_room_for_each_other_and_never_take_a_known_connection(serving: Serving) -> None:
    server = serving(limits={"connections": 4})
    with ExitStack() as stack:
        known = [stack.enter_context(server.connect()) for _ in range(2)]
        for connection in known:
            connection.sendall(review())
            assert receive(connection).status == 200
        silent = [stack.enter_context(server.connect_plainly()) for _ in range(10)]
        assert all(at_end(each) for each in silent[:-2])
        for connection in known:
            connection.sendall(review())
            assert receive(connection).status == 200
    server.check()
    assert server.metrics.failures() == {}


def test_when_all_connections_are_needed_another_is_refused(serving: Serving) -> None:
    server = serving(limits={"connections": 2})
    with server.connect_quietly() as first, server.connect_quietly() as second:
        for connection in (first, second):
            connection.sendall(review())
            assert receive(connection).status == 200
            connection.sendall(review(b"", Content_Length="2", Expect="100-continue"))
            assert connection.recv(100) == CONTINUE
        with server.connect_plainly() as third:
            assert at_end(third)
        server.metrics.wait_for_failures(overloaded=1)
        for connection in (first, second):
            connection.sendall(b"{}")
            assert receive(connection).status == 200


def test_a_process_out_of_descriptors_goes_on_when_it_has_some_again(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept = socket.socket.accept
    failures = [OSError(errno.EMFILE, "Too many open files"), ConnectionAbortedError()]

    def failing(listening: socket.socket) -> tuple[socket.socket, Any]:
        if failures and listening.getsockname()[1] == server.port:
            raise failures.pop()
        return accept(listening)

    monkeypatch.setattr(socket.socket, "accept", failing)
    assert server.send(review()).status == 200
    server.metrics.wait_for_failures(overloaded=1)
    assert not failures


def test_a_port_in_use_is_named(server: Running) -> None:
    with pytest.raises(
        CannotRunError, match=rf"^cannot listen on 127\.0\.0\.1, port {server.port}: Address already in use$"
    ):
        listening_socket("127.0.0.1", server.port)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(CannotRunError, match="a port is a number from 0 to 65535"):
        listening_socket("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "a" * 300, ""])
def test_an_address_that_is_not_ours_is_refused(host: str) -> None:
    with pytest.raises(CannotRunError, match="cannot listen on"):
        listening_socket(host, 0)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_both_address_families_are_listened_on_if_asked() -> None:
    with listening_socket("::", 0) as listening:
        assert listening.family == socket.AF_INET6
        assert not listening.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)


def receive_some(connection: socket.socket) -> bytes:
    try:
        return connection.recv(1000)
    except ConnectionResetError:
        return b""
