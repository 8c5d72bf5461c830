from __future__ import annotations

import io
import time
from contextlib import redirect_stderr

import pytest

from webhook.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


def shown(stream: io.StringIO, clock: Clock, *, seconds: float, total: int | None = None) -> str:
    """Return what is shown of 28 steps."""
    with redirect_stderr(stream), Progress("reviews", total) as progress:
        for _ in range(28):
            clock.now += seconds / 28
            progress.step()
    return stream.getvalue()


def test_long_work_is_shown_from_time_to_time_and_wiped_off(clock: Clock) -> None:
    steps = [f"{done} of 28 reviews" for done in (16, 20, 24, 28)]
    assert shown(Terminal(), clock, seconds=28 / 16, total=28).split("\r") == ["", *steps, "\x1b[K"]


def test_without_a_total(clock: Clock) -> None:
    assert shown(Terminal(), clock, seconds=28 / 16).startswith("\r16 reviews\r20 reviews\r")


def test_short_work_is_not_shown(clock: Clock) -> None:
    assert shown(Terminal(), clock, seconds=0.9) == ""


def test_nobody_looks_at_a_file(clock: Clock) -> None:
    assert shown(io.StringIO(), clock, seconds=28 / 16) == ""
