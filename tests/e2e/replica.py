"""`statusguard serve` as a process of its own, with the rights of its ServiceAccount and nothing more."""

from __future__ import annotations

import json
import os
import ssl
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.command import SCRIPT

from .control_plane import STATUSGUARD, ControlPlane
from .process import Process, free_ports, running


@dataclass(frozen=True)
class Replica:
    """One running replica."""

    process: Process
    port: int
    ops_port: int

    def is_ready(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.ops_port}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False

    def count(self, metric: str, **labels: str) -> float:
        """Return the sum of a metric's series that have these labels."""
        with urlopen(f"http://127.0.0.1:{self.ops_port}/metrics", timeout=30) as page:
            text: bytes = page.read()
        return sum(
            sample.value
            for family in text_string_to_metric_families(text.decode())
            for sample in family.samples
            if sample.name == metric and labels.items() <= sample.labels.items()
        )

    def connection(self, authorities: str) -> HTTPSConnection:
        """Return a connection such as the API server makes, which trusts the authorities."""
        trust = ssl.create_default_context(cadata=authorities)
        connection = HTTPSConnection("localhost", self.port, context=trust, timeout=30)
        connection.connect()
        return connection

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return what was logged under a name, so far."""
        lines = self.process.log.read_text().splitlines()
        return [event for event in map(_event, lines) if event.get("event") == name]

    def memory(self) -> int:
        """Return the bytes of memory that are in use."""
        pages = int(Path(f"/proc/{self.process.popen.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def replica(
    plane: ControlPlane,
    log: Path,
    *settings: str,
    service_port: int | None = None,
    by_url: bool = False,
    program: Sequence[str | Path] = (),
) -> Iterator[Replica]:
    """Run a replica that the API server reaches through the Service, at `service_port` or its own port, or by URL.

    It must end well, unless the test ends it, and never log a traceback. `program` runs instead of the installed command.
    """
    port, ops_port = free_ports(2)
    words = [*(program or [sys.executable, SCRIPT]), "serve", "--host", "127.0.0.1", *settings]
    words += ["--port", str(port), "--ops-port", str(ops_port), "--service-port", str(service_port or port)]
    if by_url:
        words += ["--webhook-url", f"https://127.0.0.1:{port}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STATUSGUARD_")}
    environment["KUBECONFIG"] = str(plane.kubeconfig(STATUSGUARD))
    environment |= {"STATUSGUARD_DRAIN_DELAY": "0", "STATUSGUARD_LOG_FORMAT": "json"}
    with running(words, log, environment) as process:
        started = Replica(process, port, ops_port)
        process.until(started.is_ready)
        yield started
        if process.popen.poll() is None:
            assert process.end() == 0
    assert "Traceback" not in log.read_text()


def response(connection: HTTPSConnection, path: str, body: bytes) -> dict[str, Any]:
    """Send a review and return the response in the answer."""
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == 200, text
    found: dict[str, Any] = json.loads(text)["response"]
    return found


def _event(line: str) -> dict[str, Any]:
    try:
        event: dict[str, Any] = json.loads(line)
    except ValueError:
        return {}
    return event
