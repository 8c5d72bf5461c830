"""The server as a whole: it stops without losing a request, and says how it is."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from webhook.certificate_files import CertificateFiles
from webhook.certificates import SelfSigned, self_signed
from webhook.errors import CannotRunError
from webhook.observe.metrics import Metrics
from webhook.server import Answer, ServerConfig, serve

from .conftest import Serving
from .running import CONTINUE, PATIENCE, Echo, LogCapture, at_end, eventually, receive, review, write_pair


def test_a_server_that_drains_says_so_and_sends_peers_elsewhere(serving: Serving) -> None:
    server = serving(drain_delay=0.5)
    with server.connect() as connection:
        connection.sendall(review())
        assert not receive(connection).closes
        assert server.get("/readyz").body == b"ok\n"
        server.stop()
        eventually(lambda: server.get("/readyz").body == b"draining\n")
        assert server.get("/healthz").status == 200
        connection.sendall(review())
        assert receive(connection).closes
        assert server.send(review()).closes
    server.wait()
    with pytest.raises(ConnectionRefusedError):
        server.connect_plainly()
    with pytest.raises(ConnectionRefusedError):
        server.get("/readyz")


def test_draining_under_load_fails_no_request(serving: Serving) -> None:
    server = serving(drain_delay=0.5)
    started = threading.Barrier(9)

    def load() -> int:
        """Ask on kept connections until nobody listens; raise if a request gets no answer."""
        answered = 0
        started.wait()
        while True:
            try:
                connection = server.connect()
            except (ConnectionError, TimeoutError):
                return answered
            with connection:
                closes = False
                while not closes:
                    connection.sendall(review())
                    reply = receive(connection)
                    assert reply.status == 200
                    answered += 1
                    closes = reply.closes

    with ThreadPoolExecutor(8) as clients:
        loads = [clients.submit(load) for _ in range(8)]
        started.wait()
        server.stop()
        server.wait()
        assert all(each.result() > 1 for each in loads)
    assert server.metrics.failures() == {}


def test_draining_waits_for_the_requests_under_way(serving: Serving) -> None:
    server = serving()
    with server.connect() as half, server.connect() as fresh, server.connect() as idle:
        idle.sendall(review())
        assert receive(idle).status == 200
        half.sendall(review(b"", Content_Length="4", Expect="100-continue"))
        assert half.recv(100) == CONTINUE
        server.stop()
        fresh.sendall(review(b"fresh"))
        assert receive(fresh).body == b"fresh"
        half.sendall(b"half")
        assert receive(half).body == b"half"
        assert at_end(idle)
    server.wait()


@pytest.mark.parametrize("patience", [0.0, 0.4])
def test_draining_waits_no_longer_than_it_may(serving: Serving, patience: float) -> None:
    server = serving(drain_patience=patience)
    with server.connect() as silent, server.connect() as slow, server.connect_plainly() as shaking:
        slow.sendall(review(b"", Content_Length="4"))
        shaking.sendall(b"\x16\x03")
        start = time.monotonic()
        server.stop()
        server.wait()
        assert time.monotonic() - start < 3.0
        assert at_end(silent)
        assert at_end(slow)
        assert at_end(shaking)


def test_a_stuck_event_loop_is_seen_as_unhealthy(serving: Serving) -> None:
    class Stuck:
        def __init__(self) -> None:
            self.reached = threading.Event()
            self.released = threading.Event()

        def review(self, body: bytes, _entry: str | None) -> Answer:
            self.reached.set()
            assert self.released.wait(PATIENCE)
            return Answer(200, body)

    reviewer = Stuck()
    server = serving(reviewer)
    with server.connect() as connection:
        connection.sendall(review())
        assert reviewer.reached.wait(PATIENCE)
        with pytest.raises(TimeoutError):
            server.get("/healthz", timeout=0.2)
        reviewer.released.set()
        assert receive(connection).status == 200
    assert server.get("/healthz").status == 200


def test_readiness_says_what_is_waited_for(serving: Serving) -> None:
    missing = ["no rules yet"]
    server = serving(unready=lambda: missing[0] if missing else None)
    reply = server.get("/readyz")
    assert (reply.status, reply.body) == (503, b"no rules yet\n")
    missing.clear()
    assert server.get("/readyz").status == 200


async def test_a_port_in_use_leaves_nothing_open(certificate: SelfSigned, serving: Serving) -> None:
    taken = serving().ops_port
    config = ServerConfig(host="127.0.0.1", port=0, ops_port=taken)
    with pytest.raises(CannotRunError, match=f"port {taken}: Address already in use"):
        await serve(config, Echo(), certificate=certificate, metrics=Metrics(), unready=lambda: None)


def test_the_standard_event_loop_does_as_well(serving: Serving) -> None:
    server = serving(loop_factory=asyncio.SelectorEventLoop)
    with server.connect() as connection:
        for _ in range(3):
            connection.sendall(review())
            assert receive(connection).status == 200
    with server.connect_plainly() as plain:
        plain.sendall(review())
        assert receive(plain).status == 400
    server.metrics.wait_for_failures(handshake=1)


def test_a_new_certificate_is_used_without_dropping_a_connection(
    serving: Serving, log: LogCapture, tmp_path: Path
) -> None:
    first, second = self_signed(), self_signed()
    paths = write_pair(tmp_path, first)
    server = serving(certificate=CertificateFiles(*paths, interval=0.01), authority=first.authority)
    with server.connect() as old:
        old.sendall(review())
        assert receive(old).status == 200
        write_pair(tmp_path, second)
        server.authority = second.authority
        eventually(lambda: log.named("certificate taken up"))
        assert server.send(review()).status == 200
        old.sendall(review())
        assert receive(old).status == 200
    assert server.metrics.failures() == {}
