from __future__ import annotations

import asyncio
import time

import pytest

from tests.webhook.running import samples
from webhook.observe import event_loop
from webhook.observe.event_loop import measure_lag
from webhook.observe.metrics import Metrics


class Noted(Metrics):
    def __init__(self) -> None:
        super().__init__()
        self.lags: asyncio.Queue[float] = asyncio.Queue()

    def event_loop_lag(self, seconds: float) -> None:
        super().event_loop_lag(seconds)
        self.lags.put_nowait(seconds)


async def test_a_loop_that_is_busy_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop, "INTERVAL", 0.001)
    metrics = Noted()
    measuring = asyncio.create_task(measure_lag(metrics))
    assert await metrics.lags.get() >= 0
    time.sleep(0.05)  # noqa: ASYNC251  what must not happen happens
    lags = [await metrics.lags.get() for _ in range(metrics.lags.qsize() + 1)]
    measuring.cancel()
    assert max(lags) >= 0.04
    counts = {labels["le"]: value for labels, value in samples(metrics, "statusguard_event_loop_lag_seconds_bucket")}
    assert counts["0.025"] < counts["+Inf"]
