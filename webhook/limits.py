"""How much a peer may ask of the server, and where each number comes from."""

from __future__ import annotations

import resource
from dataclasses import dataclass

MIB = 1024 * 1024
DESCRIPTORS_PER_CONNECTION = 2
"""A connection in its handshake holds its socket twice, see `webhook.handshake`."""
OTHER_DESCRIPTORS = 64
"""Standard streams, the event loop, listening sockets, rule files and the client of the cluster."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one listening port; times are in seconds, sizes in bytes.

    `connections`: an API server runs at most 200 mutating requests at once (its default of
    `--max-mutating-requests-inflight`), each holds one connection while we judge it, and it keeps 25 idle ones.
    1,024 are five API servers at full load with some to spare; an idle one costs us 50 KiB, measured with uvloop.
    `body`: two objects of 3 MiB, twice etcd's default request limit, and what an AdmissionReview puts around them.
    `bodies`: all bodies that are being received at one time: eight of the largest, or 2,000 ordinary ones of 30 KB.
    `handshake`: the API server gives a whole call `timeoutSeconds`, 2 in the configuration that we write.
    `header`: from the first byte of a request to the end of its headers.
    `receive`: from the end of the headers to the end of the body.
    `send`: how long a peer may leave an answer unread that does not fit into the buffers.
    `idle`: between two requests. Go's HTTP client gives up idle connections after 90 s, and the side that sends
    requests must be the one that closes first, or a request can meet a closing connection.
    `farewell`: how long a closing connection waits for the peer's part of it: the rest of a body that was refused, so
    that the peer gets to read why, and then the end of its TLS session.
    """

    connections: int = 1024
    body: int = 8 * MIB
    bodies: int = 64 * MIB
    handshake: float = 5.0
    header: float = 10.0
    receive: float = 10.0
    send: float = 10.0
    idle: float = 120.0
    farewell: float = 2.0

    def affordable_connections(self) -> int:
        """Return `connections`, or fewer if the process may not open as many file descriptors."""
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft == resource.RLIM_INFINITY:
            return self.connections
        return max(1, min(self.connections, (soft - OTHER_DESCRIPTORS) // DESCRIPTORS_PER_CONNECTION))
