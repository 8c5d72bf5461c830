"""The server: reviews over TLS on one port, metrics and health on another."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack
from dataclasses import dataclass, field

import structlog

from webhook.admission import Admission, Answer, Reviewer
from webhook.certificates import Certificate
from webhook.limits import Limits
from webhook.listener import Listener, listening_socket
from webhook.observe.metrics import FailureReason, Metrics
from webhook.ops import Ops, Problem
from webhook.refusals import Refusals
from webhook.ui.site import Site

__all__ = ["Answer", "Reviewer", "Server", "ServerConfig", "serve"]

OPS_PATIENCE = 1.0
"""Seconds that a scrape under way is given at the end."""
OPS_LIMITS = Limits(connections=64)
"""The kubelet and a pair of Prometheus servers need five connections."""

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Where to listen, and how to stop; times are in seconds.

    `drain_delay`: after the signal to stop, how long connections are still accepted while we say that we are not ready;
    as long as it takes until no Service sends anybody here any more. `drain_patience`: how long the requests under way
    may then take. Both together, and some seconds to close, must fit into the pod's grace period, by default 30.
    """

    host: str = "0.0.0.0"  # noqa: S104 - a pod is reached by whatever address it got
    port: int = 8443
    ops_port: int = 8080
    limits: Limits = field(default_factory=Limits)
    drain_delay: float = 5.0
    drain_patience: float = 15.0


class Server:
    """A server that is up. Made by `serve`, ended by `drain`."""

    def __init__(
        self,
        config: ServerConfig,
        reviewer: Reviewer,
        *,
        certificate: Certificate,
        metrics: Metrics,
        unready: Problem,
        site: Site | None,
        sockets: tuple[socket.socket, socket.socket],
    ) -> None:
        """Start to serve on `sockets`: the admission port and the ops port."""
        self._config = config
        self._unready = unready
        refusals = Refusals(metrics)
        self._admission = Listener(
            sockets[0],
            Admission(reviewer, config.limits, refusals),
            limits=config.limits,
            on_refusal=refusals.record,
            certificate=certificate,
        )
        self._ops = Listener(
            sockets[1],
            Ops(metrics, self._why_unready, site),
            limits=OPS_LIMITS,
            on_refusal=_unnoticed,
        )
        self._following = asyncio.get_running_loop().create_task(certificate.follow(), name="certificate")
        self._following.add_done_callback(_report)

    @property
    def port(self) -> int:
        """Where reviews are answered."""
        return self._admission.port

    @property
    def ops_port(self) -> int:
        """Where metrics and health are answered."""
        return self._ops.port

    async def drain(self) -> None:
        """Stop without losing a request: say that we are not ready, wait until nobody new comes, finish, close."""
        self._admission.closing = True
        log.info("draining", seconds=self._config.drain_delay)
        await asyncio.sleep(self._config.drain_delay)
        await self._admission.close(self._config.drain_patience)
        await self._ops.close(OPS_PATIENCE)
        self._following.cancel()
        await asyncio.wait((self._following,))

    def _why_unready(self) -> str | None:
        if self._admission.closing:
            return "draining"
        return self._unready()


async def serve(
    config: ServerConfig,
    reviewer: Reviewer,
    *,
    certificate: Certificate,
    metrics: Metrics,
    unready: Problem,
    site: Site | None = None,
) -> Server:
    """Start to serve, and return once both ports are open.

    `unready` says what the server waits for before it can judge, None when it can. `site` is what `/ui` shows, if
    that is on. Raises CannotRunError if a port cannot be had.
    """
    with ExitStack() as opened:
        sockets = (
            opened.enter_context(listening_socket(config.host, config.port)),
            opened.enter_context(listening_socket(config.host, config.ops_port)),
        )
        opened.pop_all()
    return Server(
        config, reviewer, certificate=certificate, metrics=metrics, unready=unready, site=site, sockets=sockets
    )


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("the certificate is followed no more", exc_info=error)


def _unnoticed(_reason: FailureReason, _detail: str, _peer: str | None) -> None:
    """Leave misuse of the ops port out of the metrics about reviews."""
