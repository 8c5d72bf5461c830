"""Leader election by a Lease: of all replicas one writes into the cluster.

This is client-go's algorithm. It keeps replicas from working against each other most of the time, not always: a leader that was
suspended may believe for a moment that it still leads. So the leader's writes are made to do no harm when two make them.
"""

from __future__ import annotations

import asyncio
import random
import socket
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Final, Protocol

import structlog

from webhook.cluster.complaint import Complaint
from webhook.cluster.errors import ApiError, ClusterError
from webhook.cluster.lease import Observed, observe, released, taken
from webhook.cluster.payloads import Object

Lead = Callable[[], Awaitable[None]]

LEASE_NAME: Final = "statusguard"

RENEW_DEADLINE: Final = 10.0
"""Seconds after its last renewal that a leader works on, as in client-go. What is left of the Lease's duration is for clocks
that run at different speeds, and for work that winds up."""

RETRY: Final = 2.0
"""Seconds between two attempts, as in client-go."""

JITTER: Final = 0.2
"""By which part at most a pause between two attempts is longer than it should be, so that replicas do not try in step."""

log = structlog.stdlib.get_logger(__name__)


def new_identity() -> str:
    """Return the name of this process as a candidate: a pod that starts again is another candidate."""
    return f"{socket.gethostname()}_{uuid.uuid4()}"


class Leases(Protocol):
    """What an election needs of a ClusterClient."""

    async def get(self, path: str) -> Object:
        """Return a Lease."""

    async def create(self, path: str, body: Object) -> Object:
        """Create a Lease."""

    async def replace(self, path: str, body: Object) -> Object:
        """Replace a Lease if it still has the resourceVersion of `body`."""


class Leader:
    """One candidate. All times are the event loop's, which no change of the wall clock moves."""

    def __init__(self, client: Leases, namespace: str, identity: str) -> None:
        """Stand for election under `identity`, which no other candidate may have."""
        self._client = client
        self._identity = identity
        self._path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
        self._new: Object = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": LEASE_NAME, "namespace": namespace},
        }
        self._observed: Observed | None = None
        self._lease: Object = {}
        self._renewed: float | None = None
        self._complaint = Complaint("cannot take or renew the Lease")

    @property
    def is_leader(self) -> bool:
        """Whether the Lease is ours and was renewed recently enough to work on."""
        return self._renewed is not None and asyncio.get_running_loop().time() < self._renewed + RENEW_DEADLINE

    async def run(self, lead: Lead) -> None:
        """Stand for election until cancelled, and run `lead` whenever elected.

        `lead` is cancelled when the Lease is lost, and the Lease is given back once `lead` has ended, however it ends. An
        exception of it is logged, and it is run again by whoever is elected next.
        """
        while True:
            while not await self._attempt():
                await _pause()
            await self._serve(lead)
            await _pause()

    async def _serve(self, lead: Lead) -> None:
        log.info("elected as leader", identity=self._identity)
        work = asyncio.ensure_future(lead())
        work.add_done_callback(_report)
        renewing = asyncio.ensure_future(self._renew())
        try:
            await asyncio.wait((work, renewing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            # The Lease is still renewed while the work winds up, and nobody else may have it before that.
            await _end(work)
            await _end(renewing)
            await self._step_down()

    async def _renew(self) -> None:
        """Renew the Lease until another has it, or until that was not possible for as long as the deadline says."""
        with suppress(TimeoutError):
            while self._renewed is not None:
                async with asyncio.timeout_at(self._renewed + RENEW_DEADLINE):
                    await _pause()
                    await self._attempt()

    async def _attempt(self) -> bool:
        """Try once to take or to renew the Lease; return whether it is ours now."""
        try:
            async with asyncio.timeout(RENEW_DEADLINE / 2):
                return await self._take()
        except (ClusterError, TimeoutError) as error:
            self._complaint.make(error)
        return False

    async def _take(self) -> bool:
        now = asyncio.get_running_loop().time
        try:
            lease = await self._client.get(f"{self._path}/{LEASE_NAME}")
        except ApiError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            write = partial(self._client.create, self._path, taken(self._new, self._identity))
        else:
            self._observed = observe(lease, now(), self._observed)
            if self._observed.holder not in ("", self._identity):
                self._renewed = None
                if now() < self._observed.ends:
                    return False
            write = partial(self._client.replace, f"{self._path}/{LEASE_NAME}", taken(lease, self._identity))
        # Others count from when they see the write, which is later.
        started = now()
        self._lease = await write()
        self._observed = observe(self._lease, now(), None)
        self._renewed = started
        return True

    async def _step_down(self) -> None:
        """Give the Lease back if it is still ours."""
        is_ours = self.is_leader
        self._renewed = None
        if not is_ours:
            log.warning("the Lease is lost", identity=self._identity)
            return
        try:
            async with asyncio.timeout(RETRY):
                await self._client.replace(f"{self._path}/{LEASE_NAME}", released(self._lease))
            log.info("the Lease is given back", identity=self._identity)
        except (ClusterError, TimeoutError):
            log.info("the Lease cannot be given back, it will expire", identity=self._identity)


async def _pause() -> None:
    await asyncio.sleep(RETRY * (1 + random.uniform(0, JITTER)))  # noqa: S311  no secret


def _report(work: asyncio.Future[None]) -> None:
    if not work.cancelled() and (error := work.exception()):
        log.error("the leader's work failed", exc_info=error)


async def _end(task: asyncio.Future[None]) -> None:
    task.cancel()
    await asyncio.wait((task,))
