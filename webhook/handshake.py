"""The TLS handshake of an accepted connection, and what is said when it fails."""

from __future__ import annotations

import asyncio
import socket
import ssl

from webhook.answers import plain_bytes
from webhook.connection import Connection
from webhook.limits import Limits
from webhook.refusals import OnRefusal

PLAIN_HTTP = "HTTP_REQUEST"
"""OpenSSL's name for what it received instead of a handshake."""
DISTRUST = ("ALERT_BAD_CERTIFICATE", "ALERT_CERTIFICATE_EXPIRED", "ALERT_CERTIFICATE_UNKNOWN", "ALERT_UNKNOWN_CA")
"""Parts of OpenSSL's names for what a peer says that refuses our certificate."""
SPEAKS_TLS = "this port speaks HTTPS, the request was plain HTTP"


async def shake_hands(
    accepted: socket.socket,
    connection: Connection,
    context: ssl.SSLContext,
    limits: Limits,
    on_refusal: OnRefusal,
) -> None:
    """Make `accepted` the transport of `connection`, or tell `on_refusal` why that failed."""
    try:
        # The original is closed when the handshake fails; the copy is for a last word in plain text.
        with accepted.dup() as copy:
            try:
                await asyncio.get_running_loop().connect_accepted_socket(
                    lambda: connection,
                    accepted,
                    ssl=context,
                    ssl_handshake_timeout=limits.handshake,
                    ssl_shutdown_timeout=limits.farewell,
                )
            except ssl.SSLError as error:
                on_refusal("handshake", _problem(error), connection.peer)
                if error.reason == PLAIN_HTTP:
                    copy.send(plain_bytes(400, SPEAKS_TLS))
    except ConnectionAbortedError:
        on_refusal("handshake", "the TLS handshake took too long", connection.peer)
    except OSError:
        # The peer left before it asked anything, as probes of an open port do.
        return


def _problem(error: ssl.SSLError) -> str:
    reason = error.reason or "unknown"
    if reason == PLAIN_HTTP:
        return SPEAKS_TLS
    if any(alert in reason for alert in DISTRUST):
        return f"the peer does not trust our certificate, is its caBundle the right one? ({reason})"
    return f"TLS handshake failed: {reason}"
