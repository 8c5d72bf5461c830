"""How late the event loop is: what every review that comes now waits at least."""

from __future__ import annotations

import asyncio
from typing import Final

from webhook.observe.metrics import Metrics

INTERVAL: Final = 1.0
"""Seconds between two samples."""


async def measure_lag(metrics: Metrics) -> None:
    """Observe until cancelled how much later than asked for this task wakes up."""
    now = asyncio.get_running_loop().time
    while True:
        due = now() + INTERVAL
        await asyncio.sleep(INTERVAL)
        metrics.event_loop_lag(max(0.0, now() - due))
