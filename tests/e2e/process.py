"""Programs that run beside the tests."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 90.0
"""Seconds after which a test gives up on something that must happen, on a machine that may be busy."""


@dataclass(frozen=True)
class Process:
    """A running program, which writes into `log`."""

    popen: subprocess.Popen[bytes]
    log: Path

    def send(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait, and return the exit code."""
        self.popen.send_signal(number)
        return self.popen.wait(PATIENCE)

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for something that the program must live to see."""

        def holds() -> object:
            assert self.popen.poll() is None, f"ended with {self.popen.returncode}: {self.log.read_text()[-2_000:]}"
            return condition()

        eventually(holds)


@contextmanager
def running(words: Sequence[str | Path], log: Path, environment: dict[str, str] | None = None) -> Iterator[Process]:
    """Run a program as long as the test needs it."""
    with log.open("ab") as file:
        popen = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment)
    try:
        yield Process(popen, log)
    finally:
        popen.send_signal(signal.SIGCONT)
        popen.kill()
        popen.wait()


def eventually(condition: Callable[[], object], patience: float = PATIENCE) -> float:
    """Wait for what no event tells of; return how many seconds that took."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < patience, "it did not happen"
        time.sleep(0.02)
    return time.monotonic() - start


def free_ports(count: int) -> list[int]:
    """Return ports of loopback on which nobody listens now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports: list[int] = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
