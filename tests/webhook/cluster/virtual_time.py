"""An event loop without waiting: when nothing is left to do now, its clock leaps to when something is."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """For code that waits for timers only: what comes from threads or sockets would be late."""

    def __init__(self) -> None:
        self._virtual = 0.0
        super().__init__(_Leaping(self))

    def time(self) -> float:
        return self._virtual

    def leap(self, seconds: float) -> None:
        self._virtual += seconds


class _Leaping(selectors.SelectSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "everybody waits for something that never happens"
        self._loop.leap(max(timeout, 0.0))
        return super().select(0)


def run(test: Coroutine[Any, Any, Result]) -> Result:
    """Run a test in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(test)
