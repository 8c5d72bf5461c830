"""Request bodies: how they are received, and how much of them at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import cast

from aiohttp import web

from webhook.connection import Connection
from webhook.limits import Limits
from webhook.refusals import RefusedError

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(eq=False, slots=True)
class _Arriving:
    """A body that is being received."""

    known: bool
    deadline: asyncio.Timeout
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0
    crowded_out: bool = False


class Bodies:
    """Receives bodies within the limits of one, of all together, and of time.

    When all together become too large, the largest one on a connection that was never answered with 200 is refused: who
    sends large bodies slowly on many connections gets into the way of nobody else.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._arriving: set[_Arriving] = set()
        self._size = 0

    async def receive(self, request: web.BaseRequest) -> bytes:
        """Return the whole body, as it was sent; raise RefusedError if that cannot be."""
        if (request.content_length or 0) > self._limits.body:
            raise self._too_large()
        await _invite(request)
        body = _Arriving(cast("Connection", request.protocol).known, asyncio.timeout(self._limits.receive))
        try:
            async with body.deadline:
                await self._collect(body, request)
        except TimeoutError:
            raise _too_much() if body.crowded_out else _too_slow() from None
        except web.RequestPayloadError:
            raise RefusedError(400, "malformed_http", "the body is not encoded as its headers say") from None
        except ConnectionError:
            raise RefusedError(400, "disconnected", "the peer left before its request was complete") from None
        return b"".join(body.chunks)

    async def _collect(self, body: _Arriving, request: web.BaseRequest) -> None:
        self._arriving.add(body)
        try:
            while chunk := await request.content.readany():
                if body.crowded_out:
                    raise _too_much()
                body.chunks.append(chunk)
                body.size += len(chunk)
                self._size += len(chunk)
                if body.size > self._limits.body:
                    raise self._too_large()
                if self._size > self._limits.bodies:
                    self._make_room(body)
        finally:
            self._release(body)

    def _make_room(self, body: _Arriving) -> None:
        largest = max((each for each in self._arriving if not each.known), key=lambda each: each.size, default=body)
        if largest is body:
            raise _too_much()
        self._release(largest)
        largest.crowded_out = True
        largest.deadline.reschedule(0)

    def _release(self, body: _Arriving) -> None:
        if body in self._arriving:
            self._arriving.remove(body)
            self._size -= body.size

    def _too_large(self) -> RefusedError:
        return RefusedError(413, "too_large", f"the body is larger than {self._limits.body} bytes")


def _too_much() -> RefusedError:
    return RefusedError(503, "overloaded", "too many large requests at a time")


def _too_slow() -> RefusedError:
    return RefusedError(408, "timeout", "the body came too slowly")


async def _invite(request: web.BaseRequest) -> None:
    """Ask for the body if the peer waits for that."""
    if request.headers.get("Expect", "").lower() != "100-continue":
        return
    await request.writer.write(CONTINUE)
    # aiohttp must not take these bytes for the beginning of the answer.
    request.writer.output_size = 0
