"""Honest writes, one after the other from several writers, none of which may fail."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPException

from .api import Answer
from .widgets import Widgets

WRITERS = 4


class Load:
    """What became of the writes: how many passed, and everything else that was answered."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[Answer | str] = []

    def wait_for(self, count: int) -> None:
        """Wait until so many more writes passed."""
        until = self.passed + count
        end = time.monotonic() + 60
        while self.passed < until:
            assert time.monotonic() < end, self.failed[:3]
            time.sleep(0.02)


@contextmanager
def load(widgets: Widgets) -> Iterator[Load]:
    """Write from several threads as long as the test needs it."""
    found, stop = Load(), threading.Event()
    names = [f"loaded-{number}" for number in range(WRITERS)]
    for name in names:
        widgets.new(name, {"observedGeneration": 1, "replicas": 1, "ready": 0})

    def write(name: str) -> None:
        replicas = 0
        while not stop.is_set():
            replicas += 1
            status = {"observedGeneration": 1, "replicas": replicas, "ready": replicas}
            try:
                answer: Answer | str = widgets.merge(name, status)
            except (OSError, HTTPException) as error:
                answer = repr(error)
            if isinstance(answer, Answer) and answer.code == 200:
                found.passed += 1
            else:
                found.failed.append(answer)

    with ThreadPoolExecutor(WRITERS) as threads:
        for name in names:
            threads.submit(write, name)
        try:
            yield found
        finally:
            stop.set()
