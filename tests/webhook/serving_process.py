"""`statusguard serve` as a process of its own, and what a test says to it."""

from __future__ import annotations

import json
import re
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from tests.command import PATIENCE, started
from webhook.certificates import self_signed

from .running import Reply, eventually, receive, review, write_pair

LOCAL = {
    "STATUSGUARD_HOST": "127.0.0.1",
    "STATUSGUARD_PORT": "0",
    "STATUSGUARD_OPS_PORT": "0",
    "STATUSGUARD_DRAIN_DELAY": "0",
}
"""Settings of every server under test: free ports of loopback, and an end without delay."""

_GREETING = re.compile(
    r"Statusguard judges by (?P<rules>\d+) rules at https://(?P<host>.+):(?P<port>\d+)/validate "
    r"\(metrics and health on port (?P<ops_port>\d+)\); try: "
    r"curl -k -H 'Content-Type: application/json' -d '[^']+' https://(?P=host):(?P=port)/validate\n"
)


@dataclass(frozen=True)
class ServeProcess:
    """A running `statusguard serve`. `lines` is what it has said on standard error after its `greeting`."""

    process: subprocess.Popen[bytes]
    trust: ssl.SSLContext
    greeting: str
    rules: int
    port: int
    ops_port: int
    lines: list[str] = field(default_factory=list)

    def replies(self, bodies: Iterable[bytes]) -> Iterator[Reply]:
        """Send reviews one after the other over one connection."""
        plain = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        with self.trust.wrap_socket(plain, server_hostname="localhost") as connection:
            for body in bodies:
                connection.sendall(review(body))
                yield receive(connection)

    def response(self, body: bytes) -> dict[str, Any]:
        """Send one review and return the response in its answer."""
        (reply,) = self.replies([body])
        assert reply.status == 200, reply.body
        response: dict[str, Any] = json.loads(reply.body)["response"]
        return response

    def metrics(self) -> list[str]:
        """Return the samples of all metrics."""
        with urlopen(f"http://127.0.0.1:{self.ops_port}/metrics", timeout=PATIENCE) as page:
            text: bytes = page.read()
        return text.decode().splitlines()

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return what was logged under a name, so far."""
        events = map(json.loads, tuple(self.lines))
        return [event for event in events if event["event"] == name]

    def wait_for(self, name: str, count: int = 1) -> list[dict[str, Any]]:
        """Return what was logged under a name, once it was logged so often."""
        eventually(lambda: len(self.events(name)) >= count)
        return self.events(name)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def serve_process(
    *words: str | Path, certificates: Path | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[ServeProcess]:
    """Start `serve` and wait until it says where it listens; it must never log a traceback.

    With a folder for `certificates` it serves one that clients check; without, one of its own, which they trust blindly.
    """
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    settings = {**LOCAL, **(environment or {})}
    if certificates is None:
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    else:
        made = self_signed()
        trust.load_verify_locations(cadata=made.authority.decode())
        pair = write_pair(certificates, made)
        settings |= {"STATUSGUARD_TLS_CERT": str(pair[0]), "STATUSGUARD_TLS_KEY": str(pair[1])}
    lines: list[str] = []
    with ExitStack() as stack:
        process = stack.enter_context(started("serve", *words, environment=settings))
        stack.callback(process.kill)
        assert process.stderr is not None
        first = process.stderr.readline().decode()
        greeted = _greeted(first)
        rest = process.stderr
        reading = threading.Thread(target=lambda: lines.extend(map(bytes.decode, rest)))
        reading.start()
        stack.callback(reading.join)
        stack.callback(process.kill)
        yield ServeProcess(process, trust, first, *greeted, lines)
    assert "Traceback" not in "".join(lines)


def _greeted(first: str) -> tuple[int, int, int]:
    """Return how many rules a server has, and its ports, by its first line: an event, or a sentence."""
    if first.startswith("{"):
        event = json.loads(first)
        assert event["event"] == "serving", first
        return event["rules"], urlsplit(event["url"]).port or 0, event["ops_port"]
    greeting = _GREETING.fullmatch(first)
    assert greeting is not None, first
    return int(greeting["rules"]), int(greeting["port"]), int(greeting["ops_port"])
