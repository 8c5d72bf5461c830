"""One listening port: accepts, shakes hands, answers, and closes without losing a request."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import cast

import structlog
from aiohttp import web

from webhook.answers import plain
from webhook.certificates import Certificate
from webhook.connection import Connection
from webhook.connections import Connections
from webhook.errors import CannotRunError
from webhook.handshake import shake_hands
from webhook.limits import Limits
from webhook.refusals import OnRefusal

Handler = Callable[[web.BaseRequest], Awaitable[web.Response]]

LARGEST_PORT = 65535
BACKLOG = 1024
"""Connections that the kernel holds ready while we are busy; it cuts this to its own `somaxconn`."""
NO_RESOURCES_PAUSE = 0.2
"""Seconds until the next try to accept when the system has no descriptor or memory for another connection."""
FIRST_REQUEST_GRACE = 2.0
"""Seconds that a connection which asked nothing yet is given when the port closes: its request may be on the way."""
SHORTEST_WAIT = 0.01

log = structlog.stdlib.get_logger(__name__)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on `host` (an address or a name, `::` for all of both families) and `port` (0: any).

    Raises CannotRunError if that cannot be had.
    """
    what = f"cannot listen on {host}, port {port}"
    if port not in range(LARGEST_PORT + 1):
        raise CannotRunError(f"{what}: a port is a number from 0 to {LARGEST_PORT}")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError) as error:
        raise CannotRunError(f"{what}: no such address") from error
    both_families = host == "::" and socket.has_dualstack_ipv6()
    try:
        listening = socket.create_server(
            (address[0], port), family=family, backlog=BACKLOG, dualstack_ipv6=both_families
        )
    except OSError as error:
        raise CannotRunError(f"{what}: {os.strerror(error.errno or 0)}") from error
    listening.settimeout(0)
    return listening


class Listener:
    """Answers on one port with one handler; a bug in the handler is answered with 500, logged and counted."""

    def __init__(
        self,
        listening: socket.socket,
        handler: Handler,
        *,
        limits: Limits,
        on_refusal: OnRefusal,
        certificate: Certificate | None = None,
    ) -> None:
        """Start to accept. Takes `listening` over; without a certificate the port speaks plain HTTP."""
        self._socket = listening
        self._handler = handler
        self._limits = limits
        self._on_refusal = on_refusal
        self._certificate = certificate
        self._connections = Connections(limits.affordable_connections())
        self._server = web.Server(self._answer)
        self.closing = False
        """Whether every answer asks the peer to close its connection, so that it goes elsewhere."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(listening, self._accept)

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return cast("int", self._socket.getsockname()[1])

    async def close(self, patience: float) -> None:
        """Stop accepting, let the requests under way finish for about `patience` seconds at most, close all connections."""
        self.closing = True
        self._loop.remove_reader(self._socket)
        # Those that the kernel holds ready believe that they are connected.
        while self._accept():
            continue
        self._socket.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(min(FIRST_REQUEST_GRACE, patience)):
                await self._connections.until_no_strangers()
        self._server.pre_shutdown()
        # aiohttp waits this long for the handler, and then once more for its task; it takes 0 for without end.
        await self._server.shutdown(max(patience / 2, SHORTEST_WAIT))
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.farewell):
                await self._connections.until_empty()
        for connection in self._connections:
            connection.abort()
        await self._connections.until_empty()

    def _accept(self) -> bool:
        """Take one connection; return False if none is waiting."""
        try:
            accepted, address = self._socket.accept()
        except ConnectionAbortedError:
            return True
        except BlockingIOError:
            return False
        except OSError as error:
            self._on_refusal("overloaded", f"cannot accept: {error.strerror}", None)
            self._loop.remove_reader(self._socket)
            self._loop.call_later(NO_RESOURCES_PAUSE, self._accept_again)
            return False
        if not self._connections.make_room():
            accepted.close()
            self._on_refusal("overloaded", "all connections are in use", address[0])
            return True
        accepted.settimeout(0)
        connection = Connection(self._server, address[0], self._limits, self._on_refusal, self._connections.remove)
        self._connections.add(connection)
        connection.handshake = self._loop.create_task(self._establish(accepted, connection))
        connection.handshake.add_done_callback(partial(self._established, accepted, connection))
        return True

    def _accept_again(self) -> None:
        if not self.closing:
            self._loop.add_reader(self._socket, self._accept)

    async def _establish(self, accepted: socket.socket, connection: Connection) -> None:
        if self._certificate is None:
            with suppress(OSError):  # the peer left at once
                await self._loop.connect_accepted_socket(lambda: connection, accepted)
        else:
            context = self._certificate.context
            await shake_hands(accepted, connection, context, self._limits, self._on_refusal)

    def _established(self, accepted: socket.socket, connection: Connection, _: asyncio.Task[None]) -> None:
        connection.handshake = None
        if not connection.established:
            accepted.close()
            self._connections.remove(connection)

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        connection = cast("Connection", request.protocol)
        connection.begin_request()
        try:
            response = await self._handler(request)
        except Exception:
            log.exception("request failed")
            self._on_refusal("internal", "our bug, see the traceback", request.remote)
            response = plain(500, "internal error")
        finally:
            connection.end_request()
        if response.status == HTTPStatus.OK:
            self._connections.answered(connection)
        # What is left of a body that was not read would be taken for the headers of the next request.
        if self.closing or not request.content.is_eof():
            response.force_close()
        return response
