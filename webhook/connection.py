"""One HTTP connection: aiohttp's, with bounds on what aiohttp leaves unbounded, and without its tracebacks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from aiohttp import web
from aiohttp.http_exceptions import LineTooLong

from webhook.answers import plain, plain_bytes
from webhook.limits import Limits
from webhook.refusals import OnRefusal

LONGEST_HEADER = 8 * 1024
"""Bytes of a request line or of one header; those of an API server are below 200."""
MOST_HEADERS = 64
READ_BUFFER = 64 * 1024
"""Bytes of a body that may wait for the handler; at twice as many the peer is held back."""


class Connection(web.RequestHandler):
    """One connection from `peer`, in the book of connections from before its handshake until it is gone."""

    __slots__ = (
        "_header_deadline",
        "_limits",
        "_on_close",
        "_on_refusal",
        "_send_deadline",
        "_wire",
        "busy",
        "handshake",
        "known",
        "peer",
    )

    def __init__(
        self,
        server: web.Server,
        peer: str,
        limits: Limits,
        on_refusal: OnRefusal,
        on_close: Callable[[Connection], None],
    ) -> None:
        """`on_refusal` is told of input that never becomes a request, `on_close` that the connection is gone."""
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=limits.idle,
            access_log=None,  # type: ignore[arg-type] # None is how aiohttp's own runners switch it off
            lingering_time=limits.farewell,
            read_bufsize=READ_BUFFER,
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
            max_headers=MOST_HEADERS,
            # An API server compresses nothing, and what is not decompressed cannot be a bomb.
            auto_decompress=False,
        )
        self.peer = peer
        self._limits = limits
        self._on_refusal = on_refusal
        self._on_close = on_close
        self._header_deadline: asyncio.TimerHandle | None = None
        self._send_deadline: asyncio.TimerHandle | None = None
        self._wire: asyncio.Transport | None = None
        self.busy = False
        self.known = False
        self.handshake: asyncio.Task[None] | None = None

    @property
    def established(self) -> bool:
        """Whether the handshake is done and the connection is not gone."""
        return self._wire is not None

    def abort(self) -> None:
        """Close at once, whatever is under way."""
        if self.handshake is not None:
            self.handshake.cancel()
        if self._wire is not None:
            self._wire.abort()

    def begin_request(self) -> None:
        """Note that the headers of a request are complete and a handler is at work."""
        self.busy = True
        self._stop_header_clock()

    def end_request(self) -> None:
        """Note that the handler is done."""
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport: aiohttp forgets it when it begins to close, and the peer can take its time then."""
        self._wire = cast("asyncio.Transport", transport)
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Leave the book."""
        self._stop_header_clock()
        self._stop_send_clock()
        self._wire = None
        super().connection_lost(exc)
        self._on_close(self)

    def data_received(self, data: bytes) -> None:
        """Give the headers of a request, from their first byte on, a limited time."""
        if not self.busy and self._header_deadline is None:
            self._header_deadline = self._loop.call_later(self._limits.header, self._headers_too_slow)
        super().data_received(data)

    def pause_writing(self) -> None:
        """Give the peer a limited time to read what it asked for."""
        super().pause_writing()
        self._send_deadline = self._loop.call_later(self._limits.send, self.abort)

    def resume_writing(self) -> None:
        """Note that the peer reads."""
        self._stop_send_clock()
        super().resume_writing()

    def handle_error(
        self,
        request: web.BaseRequest,  # noqa: ARG002 - the signature is aiohttp's
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002
    ) -> web.StreamResponse:
        """Answer what is not HTTP in one line, without the traceback that aiohttp logs.

        Called for nothing else: the listener's handler lets no exception through.
        """
        problem = "the request line or a header is too long" if isinstance(exc, LineTooLong) else "malformed HTTP"
        self._on_refusal("malformed_http", problem, self.peer)
        response = plain(status, problem)
        response.force_close()
        return response

    def _headers_too_slow(self) -> None:
        self._header_deadline = None
        if self.transport is None:
            return
        problem = "the headers came too slowly"
        self._on_refusal("timeout", problem, self.peer)
        self.transport.write(plain_bytes(408, problem))
        self.force_close()

    def _stop_header_clock(self) -> None:
        if self._header_deadline is not None:
            self._header_deadline.cancel()
            self._header_deadline = None

    def _stop_send_clock(self) -> None:
        if self._send_deadline is not None:
            self._send_deadline.cancel()
            self._send_deadline = None
