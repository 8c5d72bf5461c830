"""Requests to the API server: objects in and out as plain JSON, by REST path."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from importlib.metadata import version
from types import TracebackType
from typing import Final, Self

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from kubernetes_asyncio.client import ApiClient, Configuration
from kubernetes_asyncio.config import ConfigException

from webhook.cluster.errors import UnreachableError, UnreadableError
from webhook.cluster.payloads import Listing, Object, Page, WatchEvent, decode, refusal, reported
from webhook.errors import CannotRunError

FIELD_MANAGER: Final = "statusguard"

PAGE: Final = 500
"""Objects per answer to a list, as in client-go: neither side holds more than that in encoded form."""

CONNECT_SECONDS: Final = 5.0
REQUEST_SECONDS: Final = 30.0
WATCH_GRACE: Final = 10.0
"""Seconds by which the API server may miss the end that a watch was given; a watch that goes on is stuck."""

_JSON: Final = "application/json"
_APPLY: Final = "application/apply-patch+yaml"
_MERGE: Final = "application/merge-patch+json"


class ClusterClient:
    """A client of one API server, with its own pool of connections. Use it as a context manager, or close it.

    Paths are REST paths (`/apis/statusguard.dev/v1alpha1/clusterstatusrules/x`), parameters those of the API in its own
    spelling (`fieldSelector`). Every method raises ApiError, UnreachableError or UnreadableError, and has a time limit.
    """

    def __init__(self, configuration: Configuration, *, request_seconds: float = REQUEST_SECONDS) -> None:
        """Raise CannotRunError if the certificates in the configuration cannot be read. Needs a running event loop.

        `request_seconds`: how long any request but a watch may take, answer and all.
        """
        try:
            self._api = ApiClient(configuration)
        except OSError as error:
            raise CannotRunError(f"the certificates for {configuration.host} cannot be used: {error}") from error
        self._api.user_agent = f"{FIELD_MANAGER}/{version('statusguard')}"
        self._request_seconds = request_seconds
        self._host = str(configuration.host)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._api.close()

    async def get(self, path: str) -> Object:
        """Return an object."""
        return await self._object("GET", path, {})

    async def list(self, path: str, **params: str) -> Listing:
        """Return all objects of a collection, from one moment of the API server's life, asked for page by page.

        Each has `apiVersion` and `kind`, which the API server leaves out of lists of built-in kinds.
        """
        items: list[Object] = []
        following = ""
        while True:
            query = {**params, "limit": str(PAGE), **({"continue": following} if following else {})}
            page = decode(await self._body("GET", path, query), Page)
            items += page.objects()
            following = page.metadata.following
            if not following:
                return Listing(tuple(items), page.metadata.resource_version)

    @asynccontextmanager
    async def watch(
        self, path: str, resource_version: str, timeout_seconds: int, **params: str
    ) -> AsyncIterator[AsyncIterator[WatchEvent]]:
        """Open a watch on a collection: entered once the API server agreed, it gives the events since `resource_version`.

        They end after `timeout_seconds`. An event in which the API server reports an error is raised as ApiError, status 410 if
        `resource_version` is too old; a half event at the end is dropped.
        """
        query = {
            **params,
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(timeout_seconds),
        }
        response = await self._send("GET", path, query, seconds=timeout_seconds + WATCH_GRACE)
        try:
            async with aclosing(_events(response)) as events:
                yield events
        finally:
            response.close()

    async def apply(self, path: str, body: Object, *, force: bool = True, dry_run: bool = False) -> Object:
        """Apply on the server's side: what `body` holds becomes ours and is set, what we held before and is not in it goes.

        The object is created if there is none. Without `force` what others hold is a conflict, status 409.
        """
        query = {"fieldManager": FIELD_MANAGER, "force": "true" if force else "false"}
        if dry_run:
            query["dryRun"] = "All"
        return await self._object("PATCH", path, query, body, _APPLY)

    async def merge(self, path: str, body: Object, *, manager: str = FIELD_MANAGER, dry_run: bool = False) -> Object:
        """Apply a JSON merge patch; one that holds `metadata.resourceVersion` fails with status 409 if that is no longer so."""
        query = {"fieldManager": manager, **({"dryRun": "All"} if dry_run else {})}
        return await self._object("PATCH", path, query, body, _MERGE)

    async def replace(self, path: str, body: Object) -> Object:
        """Replace an object; status 409 if its `metadata.resourceVersion` is no longer that of `body`."""
        return await self._object("PUT", path, {"fieldManager": FIELD_MANAGER}, body)

    async def create(self, path: str, body: Object) -> Object:
        """Create an object in a collection; status 409 if there is one of this name."""
        return await self._object("POST", path, {"fieldManager": FIELD_MANAGER}, body)

    async def delete(self, path: str) -> Object:
        """Delete an object; return it if it lingers, else the API server's word for success."""
        return await self._object("DELETE", path, {})

    async def _object(
        self, method: str, path: str, query: dict[str, str], body: Object | None = None, content_type: str = _JSON
    ) -> Object:
        return decode(await self._body(method, path, query, body, content_type), Object)

    async def _body(
        self, method: str, path: str, query: dict[str, str], body: Object | None = None, content_type: str = _JSON
    ) -> bytes:
        response = await self._send(method, path, query, body, content_type, seconds=self._request_seconds)
        with _told():
            return await response.read()

    async def _send(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        body: Object | None = None,
        content_type: str = _JSON,
        *,
        seconds: float,
    ) -> aiohttp.ClientResponse:
        """Return a response whose body is still to be read; `seconds` are for all of it."""
        headers = {"Accept": _JSON, "Content-Type": content_type, **self._api.default_headers}
        with _told():
            await self._api.update_params_for_auth(headers, [], ["BearerToken"])
            response: aiohttp.ClientResponse = await self._api.rest_client.request(
                method,
                self._host + path,
                query_params=query,
                headers=headers,
                body=body,
                _preload_content=False,
                _request_timeout=aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_SECONDS),
            )
            if response.ok:
                return response
            answer = await response.read()
        raise refusal(response.status, answer, response.headers.get("Retry-After"))


async def _events(response: aiohttp.ClientResponse) -> AsyncGenerator[WatchEvent, None]:
    while True:
        with _told():
            try:
                line = await response.content.readline()
            except LineTooLong as error:
                # The library's buffer takes twice what etcd lets an object be.
                raise UnreadableError(f"a watch event of more than {error.args[-1]} bytes") from error
        if not line.endswith(b"\n"):
            return
        event = decode(line, WatchEvent)
        if event.type == "ERROR":
            raise reported(event)
        yield event


@contextmanager
def _told() -> Iterator[None]:
    """Raise UnreachableError for whatever a connection can end with."""
    try:
        yield
    except (aiohttp.ClientError, HttpProcessingError, OSError, ConfigException) as error:
        raise UnreachableError(f"{type(error).__name__}: {error}".removesuffix(": ")) from error
