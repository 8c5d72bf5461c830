"""What is logged while something cannot be done at the moment and is tried again."""

from __future__ import annotations

from http import HTTPStatus

import structlog

from webhook.cluster.errors import ApiError
from webhook.observe.log import Throttle

log = structlog.stdlib.get_logger(__name__)


class Complaint:
    """Logs the errors of one repeated attempt, at most one a minute.

    Conflicts are not logged: they are how replicas find out that another one was faster.
    """

    def __init__(self, event: str) -> None:
        self._event = event
        self._throttle = Throttle()

    def make(self, error: Exception) -> None:
        """Log why the attempt failed. A TimeoutError is one of ours: no answer came in time."""
        if isinstance(error, ApiError) and error.status == HTTPStatus.CONFLICT:
            return
        if (held_back := self._throttle.admit(self._event)) is not None:
            log.warning(self._event, error=str(error) or "no answer in time", held_back=held_back)
