"""Inputs that are not judged: counted each, logged now and then."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from webhook.observe.log import Throttle
from webhook.observe.metrics import FailureReason, Metrics

OnRefusal = Callable[[FailureReason, str, str | None], None]
"""Is told the reason, a detail for the log, and the peer's address where it is known."""

log = structlog.stdlib.get_logger(__name__)


class RefusedError(Exception):
    """A request that is answered with an HTTP error, without asking the reviewer.

    `message` is one line for the person at the other end, and holds nothing that came from there.
    """

    def __init__(self, status: int, reason: FailureReason, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason: FailureReason = reason
        self.message = message


class Refusals:
    """The one place where the server records what it refused."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._throttle = Throttle()

    def record(self, reason: FailureReason, detail: str, peer: str | None) -> None:
        """Count one refused input; log it unless the same reason was logged within the last minute.

        `peer` is the address it came from.
        """
        self._metrics.decode_failure(reason)
        held_back = self._throttle.admit(reason)
        if held_back is not None:
            log.warning("input refused", reason=reason, detail=detail, peer=peer, not_logged_before=held_back)
