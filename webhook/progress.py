"""Progress of long work, on standard error, and only where a person is looking."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Final, Self

_QUIET_SECONDS: Final = 1.0
"""Work that is done by then needs no progress."""

_INTERVAL_SECONDS: Final = 0.2


class Progress:
    """Counts steps of something; `total` is None where nobody knows how many there will be."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what = what
        self._total = "" if total is None else f" of {total}"
        self._done = 0
        self._next = time.monotonic() + _QUIET_SECONDS
        self._shown = False
        self._is_watched = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def step(self) -> None:
        """Say that one more is done."""
        self._done += 1
        if self._is_watched and time.monotonic() >= self._next:
            self._next = time.monotonic() + _INTERVAL_SECONDS
            self._shown = True
            sys.stderr.write(f"\r{self._done}{self._total} {self._what}")
            sys.stderr.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
