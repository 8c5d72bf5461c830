"""What one connection can do to the server, over TLS."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webhook.server import Answer

from .conftest import Serving
from .running import CONTINUE, PATIENCE, Running, at_end, drip, receive, review


@pytest.fixture
def server(serving: Serving) -> Running:
    return serving()


class Large:
    """Answers more than all buffers together hold."""

    def review(self, body: bytes, _entry: str | None) -> Answer:
        return Answer(200, body if body == b"still here?" else bytes(32 * 1024 * 1024))


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"hello\r\n\r\n",
        b"POST /validate HTTP/9.9\r\nHost: a\r\n\r\n",
        b"POST /validate HTTP/1.1\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: a\r\n\x1b[31m: b\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST http://[ HTTP/1.1\r\nHost: a\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: a\r\nA: " + b"a" * 9000 + b"\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: a\r\n" + b"A: b\r\n" * 100 + b"\r\n",
    ],
)
def test_malformed_http_is_400_and_the_connection_closed(server: Running, garbage: bytes) -> None:
    with server.connect() as connection:
        connection.sendall(garbage)
        reply = receive(connection)
        assert (reply.status, reply.body.count(b"\n"), reply.closes) == (400, 1, True)
        assert at_end(connection)
    server.metrics.wait_for_failures(malformed_http=1)


def test_malformed_http_after_a_good_request_is_answered_too(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(review())
        assert receive(connection).status == 200
        connection.sendall(b"garbage\r\n\r\n")
        assert receive(connection).status == 400
        assert at_end(connection)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
@given(data=st.binary(max_size=200), cut=st.integers(0, 300), flips=st.lists(st.integers(0, 200), max_size=3))
def test_no_bytes_harm_the_server(server: Running, data: bytes, cut: int, flips: list[int]) -> None:
    request = bytearray(review(data))
    for flip in flips:
        request[flip % len(request)] ^= 1 << flip % 8
    with server.connect() as connection:
        connection.sendall(bytes(request[:cut]))
    server.check()


def test_headers_that_come_too_slowly_are_408_and_the_connection_closed(serving: Serving) -> None:
    server = serving(limits={"header": 0.3})
    with server.connect_quietly() as connection:
        connection.sendall(b"POST /validate HTTP/1.1\r\nA: ")
        assert drip(connection, b"x") > 3
        reply = receive(connection)
        assert (reply.status, reply.body) == (408, b"the headers came too slowly\n")
        assert at_end(connection)
    server.metrics.wait_for_failures(timeout=1)


def test_the_clock_for_headers_runs_for_each_request(serving: Serving) -> None:
    server = serving(limits={"header": 0.2})
    with server.connect_quietly() as connection:
        for _ in range(2):
            connection.sendall(review())
            assert receive(connection).status == 200
            # Longer than the clock allows, but nothing of a request is under way.
            connection.settimeout(0.3)
            with pytest.raises(TimeoutError):
                connection.recv(1)
        connection.settimeout(PATIENCE)
        connection.sendall(b"POST")
        assert receive(connection).status == 408


def test_an_idle_connection_is_closed_in_silence(serving: Serving) -> None:
    server = serving(limits={"idle": 0.2})
    with server.connect() as unused, server.connect() as used:
        used.sendall(review())
        assert receive(used).status == 200
        assert at_end(used)
        assert at_end(unused)
    assert server.metrics.failures() == {}


def test_who_leaves_in_the_middle_of_a_body_is_counted(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(review(b"half", Content_Length="8"))
    server.metrics.wait_for_failures(disconnected=1)


def test_who_breaks_off_in_the_middle_of_a_body_is_counted(server: Running) -> None:
    with server.connect_quietly() as connection:
        connection.sendall(review(b"", Content_Length="8", Expect="100-continue"))
        assert connection.recv(100) == CONTINUE
        break_off(connection)
    server.metrics.wait_for_failures(disconnected=1)


def test_who_leaves_in_the_middle_of_an_answer_leaves_no_trace(serving: Serving) -> None:
    server = serving(Large())
    with server.connect() as connection:
        connection.sendall(review())
        assert connection.recv(12) == b"HTTP/1.1 200"
        break_off(connection)
    server.check()
    assert server.metrics.failures() == {}


def test_who_asks_on_and_on_without_reading_the_answers_is_cut_off(serving: Serving) -> None:
    server = serving(limits={"send": 0.3})
    with server.connect() as connection, pytest.raises((ConnectionError, ssl.SSLError)):
        connection.sendall(review(b"x" * 50_000) * 1000)


async def test_who_reads_after_all_is_answered_to_the_end(serving: Serving) -> None:
    server = serving(limits={"send": 5.0})
    body = b"x" * 50_000
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", server.port, ssl=server.trust(), server_hostname="localhost"
    )
    for _ in range(400):
        writer.write(review(body))
    # Long enough for all buffers to fill, which nothing tells of.
    await asyncio.sleep(0.3)
    for _ in range(400):
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        assert await reader.readexactly(len(body)) == body
    writer.close()
    await writer.wait_closed()


def test_pipelined_requests_are_answered_in_order(server: Running) -> None:
    bodies = [b"%d" % number for number in range(100)]
    with server.connect() as connection:
        connection.sendall(b"".join(map(review, bodies)))
        assert [receive_next(connection) for _ in bodies] == [(200, body) for body in bodies]


def test_a_connection_is_kept(server: Running) -> None:
    with server.connect() as connection:
        for number in range(50):
            connection.sendall(review(b"%d" % number))
            assert receive(connection).body == b"%d" % number


@pytest.mark.parametrize("size", [1, 7, 60])
def test_a_request_may_come_in_small_pieces(server: Running, size: int) -> None:
    request = review(b'{"a": 1}')
    with server.connect() as connection:
        for start in range(0, len(request), size):
            connection.sendall(request[start : start + size])
        assert receive(connection).body == b'{"a": 1}'


def test_http_1_0_is_answered_and_closed(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(review().replace(b"HTTP/1.1", b"HTTP/1.0"))
        assert receive(connection).body == b"{}"
        assert at_end(connection)


@pytest.mark.parametrize("protocol", ["websocket", "h2c"])
def test_no_other_protocol_is_spoken(server: Running, protocol: str) -> None:
    assert server.send(review(Connection="Upgrade", Upgrade=protocol)).body == b"{}"


def test_this_is_no_proxy(server: Running) -> None:
    assert server.send(b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n").status == 404
    server.metrics.wait_for_failures(path=1)


def receive_next(connection: socket.socket) -> tuple[int, bytes]:
    """Return status and body of the next answer, and not a byte beyond it."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        assert byte, head
        head += byte
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    body = b""
    while len(body) < length:
        body += connection.recv(length - len(body))
    return int(head.split()[1]), body


def break_off(connection: socket.socket) -> None:
    """Reset the connection instead of closing it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
