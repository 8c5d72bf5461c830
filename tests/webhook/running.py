"""A server under test, on its own event loop in its own thread, and the clients that tests talk to it with."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPResponse
from io import StringIO
from pathlib import Path
from typing import Any

import uvloop
from prometheus_client.parser import text_string_to_metric_families

from webhook.certificates import Certificate, SelfSigned
from webhook.observe.metrics import FailureReason, Metrics
from webhook.server import Answer, Reviewer, Server, ServerConfig, serve

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
PATIENCE = 10.0
"""Seconds after which a test gives up on something that must happen."""


class Echo:
    """Answers each body with itself; `entries` are those it was asked with."""

    def __init__(self) -> None:
        self.entries: list[str | None] = []

    def review(self, body: bytes, entry: str | None) -> Answer:
        self.entries.append(entry)
        return Answer(200, body)


class WatchedMetrics(Metrics):
    """Lets a test wait for a failure to be counted."""

    def __init__(self) -> None:
        self._counted = threading.Condition()
        super().__init__()

    def decode_failure(self, reason: FailureReason) -> None:
        with self._counted:
            super().decode_failure(reason)
            self._counted.notify_all()

    def failures(self) -> dict[str, float]:
        """Return the reasons that were counted, and how often."""
        return {
            labels["reason"]: value for labels, value in samples(self, "statusguard_decode_failures_total") if value
        }

    def wait_for_failures(self, **counts: float) -> None:
        """Wait until exactly these failures were counted."""
        with self._counted:
            assert self._counted.wait_for(lambda: self.failures() == counts, PATIENCE), self.failures()


def samples(metrics: Metrics, name: str) -> Iterator[tuple[dict[str, str], float]]:
    """Yield the labels and value of each series called `name`."""
    for family in text_string_to_metric_families(metrics.exposition().decode()):
        for sample in family.samples:
            if sample.name == name:
                yield sample.labels, sample.value


@dataclass(frozen=True)
class LogCapture:
    """The log lines of the process, as JSON."""

    stream: StringIO

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def named(self, event: str) -> list[dict[str, Any]]:
        return [each for each in self.events() if each["event"] == event]


@dataclass(frozen=True)
class Reply:
    """An HTTP answer that arrived whole."""

    status: int
    headers: dict[str, str]
    body: bytes
    closes: bool


@dataclass
class Running:
    """A server that listens on 127.0.0.1."""

    port: int
    ops_port: int
    authority: bytes
    metrics: WatchedMetrics
    log: LogCapture
    server: Server
    loop: asyncio.AbstractEventLoop
    _stop: asyncio.Event
    _done: Future[None]
    bugs_expected: bool = field(default=False, kw_only=True)

    def stop(self) -> None:
        """Ask the server to drain, as SIGTERM does."""
        self.loop.call_soon_threadsafe(self._stop.set)

    def wait(self, timeout: float = PATIENCE) -> None:
        """Wait until it is gone; raise what it ended with."""
        self._done.result(timeout)

    @property
    def stopped(self) -> bool:
        return self._done.done()

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cadata=self.authority.decode())

    def connect(self, context: ssl.SSLContext | None = None) -> ssl.SSLSocket:
        """Return a connection after its handshake."""
        return (context or self.trust()).wrap_socket(self.connect_plainly(), server_hostname="localhost")

    def connect_quietly(self) -> ssl.SSLSocket:
        """Return a connection of TLS 1.2, on which nothing but answers arrives once the handshake is done."""
        context = self.trust()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        return self.connect(context)

    def connect_plainly(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def send(self, data: bytes) -> Reply:
        """Send bytes on a connection of their own and return the first answer."""
        with self.connect() as connection:
            connection.sendall(data)
            return receive(connection)

    def get(self, path: str, method: str = "GET", timeout: float = PATIENCE) -> Reply:
        """Ask the ops port."""
        with socket.create_connection(("127.0.0.1", self.ops_port), timeout) as connection:
            connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            return receive(connection, method)

    def check(self) -> None:
        """Check what must hold after any input: the server lives and its log has no traceback."""
        if not self.stopped:
            assert self.send(review(b"still here?")).body == b"still here?"
            assert self.get("/healthz").body == b"ok\n"
        if not self.bugs_expected:
            assert "Traceback" not in self.log.stream.getvalue()


def review(body: bytes = b"{}", path: str = "/validate", method: str = "POST", **headers: str) -> bytes:
    """Return a request as it goes over the wire; `Content_Type=""` leaves a header out."""
    fields = {"Host": "localhost", "Content_Type": "application/json", "Content_Length": str(len(body)), **headers}
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items() if value]
    return f"{method} {path} HTTP/1.1\r\n{''.join(lines)}\r\n".encode() + body


def receive(connection: socket.socket, method: str = "POST") -> Reply:
    """Return the next answer on a connection."""
    response = HTTPResponse(connection, method=method)
    try:
        response.begin()
        body = response.read()
        return Reply(response.status, dict(response.getheaders()), body, response.will_close)
    finally:
        response.close()


def drip(connection: socket.socket, byte: bytes, interval: float = 0.05) -> int:
    """Send a byte at a time over a quiet connection until the other end says something; return how many were sent."""
    sent = 0
    while not select.select([connection], [], [], interval)[0]:
        sent += connection.send(byte)
    return sent


def at_end(connection: socket.socket) -> bool:
    """Tell whether the peer closes the connection without sending any more; wait for that."""
    try:
        return connection.recv(1) == b""
    except (ConnectionResetError, ssl.SSLEOFError):
        return True


def eventually(condition: Callable[[], object]) -> None:
    """Wait for what no event tells of."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def write_pair(folder: Path, certificate: SelfSigned) -> tuple[Path, Path]:
    """Write a certificate and its key as a Secret names them."""
    paths = (folder / "tls.crt", folder / "tls.key")
    paths[0].write_bytes(certificate.pair.certificate)
    paths[1].write_bytes(certificate.pair.key)
    return paths


@contextmanager
def running(
    reviewer: Reviewer,
    certificate: Certificate,
    authority: bytes,
    log: LogCapture,
    *,
    config: ServerConfig,
    unready: Callable[[], str | None] = lambda: None,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop,
    bugs_expected: bool = False,
) -> Iterator[Running]:
    """Run a server until the test is done with it."""
    started: Future[tuple[Server, asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    metrics = WatchedMetrics()

    async def main() -> None:
        stop = asyncio.Event()
        server = await serve(config, reviewer, certificate=certificate, metrics=metrics, unready=unready)
        started.set_result((server, asyncio.get_running_loop(), stop))
        await stop.wait()
        await server.drain()

    def run() -> None:
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            try:
                runner.run(main())
            except BaseException as error:
                if started.done():
                    raise
                started.set_exception(error)

    with ThreadPoolExecutor(1, "server") as thread:
        done = thread.submit(run)
        server, loop, stop = started.result(PATIENCE)
        up = Running(
            server.port, server.ops_port, authority, metrics, log, server, loop, stop, done, bugs_expected=bugs_expected
        )
        try:
            yield up
            up.check()
        finally:
            if not up.stopped:
                up.stop()
            up.wait()
