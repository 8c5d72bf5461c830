"""What the API server talks to: `POST /validate` and `POST /validate/{entry}`."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from aiohttp import web

from webhook.answers import SERVER, plain
from webhook.bodies import Bodies
from webhook.limits import Limits
from webhook.refusals import Refusals, RefusedError

PATH = "/validate"
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the reviewer says to one body: an HTTP status and what goes with it."""

    status: int
    body: bytes
    content_type: str = JSON


class Reviewer(Protocol):
    """Judges AdmissionReviews. Called on the event loop: it must answer in microseconds and do no I/O."""

    def review(self, body: bytes, entry: str | None, /) -> Answer:
        """Answer one AdmissionReview by the rules of `entry`, by all rules if it is None.

        Never raises for bad input: a body that is no AdmissionReview is answered with 400 and one line, and the reviewer
        counts it.
        """


class Admission:
    """The handler of the admission port: everything about a request that is HTTP."""

    def __init__(self, reviewer: Reviewer, limits: Limits, refusals: Refusals) -> None:
        self._reviewer = reviewer
        self._bodies = Bodies(limits)
        self._refusals = refusals

    async def __call__(self, request: web.BaseRequest) -> web.Response:
        """Answer one request."""
        try:
            entry = _entry(request.path)
            _check_headers(request)
            body = await self._bodies.receive(request)
        except RefusedError as refused:
            self._refusals.record(refused.reason, refused.message, request.remote)
            response = plain(refused.status, refused.message)
            if refused.status == HTTPStatus.METHOD_NOT_ALLOWED:
                response.headers["Allow"] = "POST"
            return response
        answer = self._reviewer.review(body, entry)
        headers = {"Content-Type": answer.content_type, "Server": SERVER}
        return web.Response(status=answer.status, body=answer.body, headers=headers)


def _entry(path: str) -> str | None:
    if path == PATH:
        return None
    entry = path.removeprefix(f"{PATH}/")
    if entry in (path, "") or "/" in entry:
        raise RefusedError(404, "path", f"reviews are answered at {PATH} and {PATH}/ENTRY only")
    return entry


def _check_headers(request: web.BaseRequest) -> None:
    if request.method != "POST":
        raise RefusedError(405, "method", "reviews are sent by POST")
    if request.headers.get("Content-Type") != JSON and not _is_json(request):
        raise RefusedError(415, "content_type", f"reviews are sent as {JSON}")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise RefusedError(415, "content_encoding", "reviews are sent uncompressed")


def _is_json(request: web.BaseRequest) -> bool:
    return request.content_type == JSON and (request.charset or "utf-8").lower() == "utf-8"
