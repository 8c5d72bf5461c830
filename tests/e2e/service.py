"""What kube-proxy does for a Service, on loopback: each new connection goes to one of the replicas that are ready."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count

from .replica import Replica

LOOK = 0.1
"""Seconds between two looks at who is ready."""

CHUNK = 65_536


class Service:
    """One port for several replicas."""

    def __init__(self) -> None:
        self.port = 0
        self._replicas: list[Replica] = []
        self._ready: list[Replica] = []
        self._turns = count()

    def add(self, replica: Replica) -> None:
        """Send connections to a replica whenever it is ready."""
        self._replicas = [*self._replicas, replica]
        self._ready = [*self._ready, replica]

    async def serve(self, started: threading.Event, stop: asyncio.Event) -> None:
        server = await asyncio.start_server(self._forward, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        async with server:
            while not stop.is_set():
                self._ready = await asyncio.to_thread(lambda: [each for each in self._replicas if each.is_ready()])
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK):
                        await stop.wait()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            chosen = self._ready[next(self._turns) % len(self._ready)]
            to_read, to_write = await asyncio.open_connection("127.0.0.1", chosen.port)
        except (OSError, ZeroDivisionError):
            writer.transport.abort()
            return
        await asyncio.gather(_pipe(reader, to_write), _pipe(to_read, writer))


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    writer.close()


@contextmanager
def service() -> Iterator[Service]:
    """Serve in a thread as long as the test needs it."""
    made, started = Service(), threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(made.serve(started, stop))

    thread = threading.Thread(target=run, name="service")
    thread.start()
    assert started.wait(10)
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
