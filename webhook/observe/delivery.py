"""Queues are emptied in the background, and at the end of the process to the last incident."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from webhook.observe.queue import IncidentQueue, Take

PATIENCE: Final = 2.0
"""Seconds that are left for what waits, once no request can come any more. With what the server takes to drain it must fit
into the pod's grace period (`webhook.server.ServerConfig`)."""


@asynccontextmanager
async def delivering(queue: IncidentQueue, take: Take, patience: float = PATIENCE) -> AsyncIterator[None]:
    """Have `take` deal with what is in a queue. At the end all that was accepted is taken, or counted as lost after a while."""
    task = asyncio.create_task(queue.run(take), name=f"queue {queue.name}")
    try:
        yield
    finally:
        queue.close()
        await asyncio.wait((task,), timeout=patience)
        task.cancel()
        await asyncio.wait((task,))
