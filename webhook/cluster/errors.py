"""What can become of a request to the API server. `str()` is one line for a log or a person."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from webhook.display import short

SHOWN: Final = 300
"""Characters of foreign text in `str()`; the API server's messages can be megabytes."""

RETRYABLE: Final = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)


class ClusterError(Exception):
    """A request failed. `retryable`: the same request may succeed later without anything being mended."""

    retryable = True


class UnreachableError(ClusterError):
    """No whole answer came: no connection, no trust in the other end, no credentials, too slow, or cut off.

    A write may have been done all the same.
    """

    def __init__(self, cause: str) -> None:
        super().__init__(short(cause, SHOWN))


class UnreadableError(ClusterError):
    """An answer came that no API server sends: a proxy's page, or a bug."""

    def __init__(self, problem: str) -> None:
        super().__init__(short(problem, SHOWN))


class ApiError(ClusterError):
    """The API server said no.

    `reason` is its word for it (`Conflict`, `Expired`), `message` its text in full, `retry_after` the seconds that it asks us
    to wait, None if it does not.
    """

    def __init__(self, status: int, reason: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(f"{status} {short(reason, SHOWN)}: {short(message, SHOWN)}")
        self.status = status
        self.reason = reason
        self.message = message
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:  # type: ignore[override]  # it depends on the status here
        """Tell whether the same request may succeed later without anything being mended."""
        return self.status in RETRYABLE
