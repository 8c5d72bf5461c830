"""One listening port: accepts, shakes hands, answers, and closes without losing a request."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import cast

import structlog
from aiohttp import web

from webhook.answers import plain, plain_bytes
from webhook.certificates import Certificate
from webhook.connection import Connection
from webhook.connections import Connections
from webhook.errors import CannotRunError
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
PLAIN_HTTP = "HTTP_REQUEST"
"""OpenSSL's name for what it received instead of a handshake."""
DISTRUST = ("ALERT_BAD_CERTIFICATE", "ALERT_CERTIFICATE_EXPIRED", "ALERT_CERTIFICATE_UNKNOWN", "ALERT_UNKNOWN_CA")
"""Parts of OpenSSL's names for what a peer says that refuses our certificate."""
SHORTEST_WAIT = 0.01
SPEAKS_TLS = "this port speaks HTTPS, the request was plain HTTP"

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
        self._accepting = asyncio.get_running_loop().create_task(self._accept(), name=f"accept on port {self.port}")

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return cast("int", self._socket.getsockname()[1])

    @property
    def accepting(self) -> bool:
        """Whether new connections are accepted."""
        return not self._accepting.done()

    async def close(self, patience: float) -> None:
        """Stop accepting, let the requests under way finish for about `patience` seconds at most, close all connections."""
        self.closing = True
        self._accepting.cancel()
        await asyncio.wait((self._accepting,))
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

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, address = await loop.sock_accept(self._socket)
            except ConnectionAbortedError:
                continue
            except OSError as error:
                self._on_refusal("overloaded", f"cannot accept: {error.strerror}", None)
                await asyncio.sleep(NO_RESOURCES_PAUSE)
                continue
            if not self._connections.make_room():
                accepted.close()
                self._on_refusal("overloaded", "all connections are in use", address[0])
                continue
            connection = Connection(self._server, address[0], self._limits, self._on_refusal, self._connections.remove)
            self._connections.add(connection)
            connection.handshake = loop.create_task(self._establish(accepted, connection, address[0]))
            connection.handshake.add_done_callback(partial(self._established, accepted, connection))

    async def _establish(self, accepted: socket.socket, connection: Connection, peer: str) -> None:
        loop = asyncio.get_running_loop()
        if self._certificate is None:
            await loop.connect_accepted_socket(lambda: connection, accepted)
            return
        try:
            # The original is closed when the handshake fails; the copy is for a last word in plain text.
            with accepted.dup() as copy:
                try:
                    await loop.connect_accepted_socket(
                        lambda: connection,
                        accepted,
                        ssl=self._certificate.context,
                        ssl_handshake_timeout=self._limits.handshake,
                        ssl_shutdown_timeout=self._limits.farewell,
                    )
                except ssl.SSLError as error:
                    self._on_refusal("handshake", _handshake_problem(error), peer)
                    if error.reason == PLAIN_HTTP:
                        copy.send(plain_bytes(400, SPEAKS_TLS))
        except ConnectionAbortedError:
            self._on_refusal("handshake", "the TLS handshake took too long", peer)
        except OSError:
            # The peer left before it asked anything, as probes of an open port do.
            return

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


def _handshake_problem(error: ssl.SSLError) -> str:
    reason = error.reason or "unknown"
    if reason == PLAIN_HTTP:
        return SPEAKS_TLS
    if any(alert in reason for alert in DISTRUST):
        return f"the peer does not trust our certificate, is its caBundle the right one? ({reason})"
    return f"TLS handshake failed: {reason}"
