"""Ways in which a fake API server misbehaves: handlers for `FakeApi.fault`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def status(code: int, reason: str = "", message: str = "", retry_after: int | None = None) -> Handler:
    """Answer with a refusal as Kubernetes writes it."""

    async def handle(request: web.Request) -> web.StreamResponse:
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        return web.json_response(failure(code, reason, message), status=code, headers=headers)

    return handle


def answer(code: int, text: str) -> Handler:
    """Answer with any text."""

    async def handle(request: web.Request) -> web.StreamResponse:
        return web.Response(status=code, text=text)

    return handle


def stream(*parts: bytes, broken: bool = False) -> Handler:
    """Send these bytes as a watch's answer, then end it: as a server does, or `broken` in the middle of what was to come."""

    async def handle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for part in parts:
            await response.write(part)
        if broken:
            return await cut(request)
        await response.write_eof()
        return response

    return handle


async def cut(request: web.Request) -> web.StreamResponse:
    """End the connection without an answer."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def silence(request: web.Request) -> web.StreamResponse:
    """Say nothing until the other end gives up."""
    await asyncio.Event().wait()
    return web.Response()


def failure(code: int, reason: str, message: str) -> dict[str, Any]:
    """Return a Status as Kubernetes writes it."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
    }
