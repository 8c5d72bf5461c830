"""A fake API server over plain HTTP, in the test's own event loop, that can be told to misbehave.

    async with FakeApi() as api:
        async with ClusterClient(api.configuration()) as client:
            api.fault("watch", status(429, retry_after=1))   # the next watch is refused, the one after it is served
            api.cut()                                        # ends every connection at once, in the middle of whatever it is
            await api.until(lambda: api.count("watch") == 2)

It lists (in pages), watches, creates, replaces, merges, applies and deletes whatever is written to it. Unlike a real one it
has no schemas, and server-side apply knows no conflicts.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Self

from aiohttp import web
from kubernetes_asyncio.client import Configuration

from .fake_store import FakeStore, Happening, Object, RefusedError, Target
from .faults import Handler, cut, failure, status, stream

Query = Mapping[str, str]
Verb = Literal["get", "list", "watch", "create", "replace", "merge", "apply", "delete"]

PATIENCE = 20.0
"""Seconds after which a test gives up on something that must happen."""

_PATCHES: dict[str, Verb] = {"application/merge-patch+json": "merge", "application/apply-patch+yaml": "apply"}
_METHODS: dict[str, Verb] = {"POST": "create", "PUT": "replace", "DELETE": "delete"}


@dataclass(frozen=True)
class Request:
    """A request that arrived."""

    verb: Verb
    path: str
    query: dict[str, str]
    headers: Mapping[str, str]
    body: Any


class FakeApi:
    """One fake API server. `missing` holds collections whose CRD is not there; while `down` nobody gets an answer.

    `serves` holds the plurals of each API that discovery tells of.
    """

    def __init__(self) -> None:
        self.store = FakeStore()
        self.requests: list[Request] = []
        self.missing: set[str] = set()
        self.serves: dict[str, list[str]] = {}
        self.down = False
        self.watching = 0
        self.url = ""
        self._faults: defaultdict[Verb, deque[Handler]] = defaultdict(deque)
        self._changed = asyncio.Event()
        self._transports: set[asyncio.Transport] = set()
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0, access_log=None)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.down = True
        self.cut()
        await self._runner.cleanup()

    def configuration(self) -> Configuration:
        """Return what a client needs to get here."""
        configuration = Configuration()
        configuration.host = self.url
        return configuration

    def count(self, verb: Verb) -> int:
        """Return how many requests of this kind arrived."""
        return sum(request.verb == verb for request in self.requests)

    def fault(self, verb: Verb, *handlers: Handler) -> None:
        """Let the next requests of this kind be answered by these, one each."""
        self._faults[verb].extend(handlers)

    def cut(self) -> None:
        """End all connections, without a word."""
        for transport in self._transports:
            transport.abort()
        self._transports.clear()
        self.notify()

    def apply(self, path: str, body: Object) -> Object:
        """Write as somebody else who applies does."""
        applied = self.store.apply(Target.parse(path), body, "somebody-else")
        self.notify()
        return applied

    def delete(self, path: str) -> None:
        """Delete as somebody else does."""
        self.store.delete(Target.parse(path))
        self.notify()

    def bookmark(self) -> None:
        """Let every watch hear of the present version."""
        self.store.bookmark()
        self.notify()

    def notify(self) -> None:
        """Wake up whoever waits in `until`; for what happens elsewhere."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something holds; asked whenever anything happened here, and now and then for what happens elsewhere."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.02):
                        await self._changed.wait()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        self._transports.add(request.transport)
        if request.path.startswith("/apis/") and request.path.count("/") == 3:
            return await self._discovery(request)
        text = await request.text()
        verb, target = _verb(request), Target.parse(request.path)
        body = json.loads(text) if text else None
        self.requests.append(Request(verb, request.path, dict(request.query), request.headers, body))
        self.notify()
        if self.down:
            return await cut(request)
        if self._faults[verb]:
            return await self._faults[verb].popleft()(request)
        if target.collection in self.missing:
            return web.Response(status=404, text="404 page not found\n")
        if verb == "watch":
            return await self._watch(request, target)
        try:
            answer = self._answer(verb, target, body, request.query)
        except RefusedError as error:
            return await status(error.code, error.reason, error.message)(request)
        self.notify()
        return web.json_response(answer, status=201 if verb == "create" else 200)

    async def _discovery(self, request: web.Request) -> web.StreamResponse:
        if self.down:
            return await cut(request)
        plurals = self.serves.get(request.path.removeprefix("/apis/"))
        if plurals is None:
            return web.Response(status=404, text="404 page not found\n")
        return web.json_response({"kind": "APIResourceList", "resources": [{"name": name} for name in plurals]})

    def _answer(self, verb: Verb, target: Target, body: Any, query: Query) -> Object:
        dry_run = query.get("dryRun") == "All"
        match verb:
            case "list":
                return self._list(target, query)
            case "create":
                return self.store.create(target, body, dry_run=dry_run)
            case "replace":
                return self.store.replace(target, body, dry_run=dry_run)
            case "merge":
                return self.store.merge(target, body, dry_run=dry_run)
            case "apply":
                return self.store.apply(target, body, query["fieldManager"], dry_run=dry_run)
            case "delete":
                return self.store.delete(target)
            case _:
                return self.store.get(target)

    def _list(self, target: Target, query: Query) -> Object:
        selected = [found for at, found in self.store.objects(target) if _selects(query, at, found)]
        start = int(query.get("continue", 0))
        end = start + int(query.get("limit", len(selected)))
        metadata = {"resourceVersion": str(self.store.version)}
        if end < len(selected):
            metadata["continue"] = str(end)
        kind = selected[0]["kind"] if selected else "Object"
        items = [
            {key: value for key, value in found.items() if key not in ("apiVersion", "kind")} for found in selected
        ]
        # A built-in kind's items go without these, and Go writes a list of nothing as null.
        return {
            "apiVersion": target.api_version,
            "kind": f"{kind}List",
            "metadata": metadata,
            "items": items[start:end] or None,
        }

    async def _watch(self, request: web.Request, target: Target) -> web.StreamResponse:
        since = int(request.query["resourceVersion"])
        if since < self.store.compacted:
            return await stream(_event("ERROR", failure(410, "Expired", f"too old resource version: {since}")))(request)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        self.watching += 1
        self.notify()
        try:
            async with asyncio.timeout(int(request.query["timeoutSeconds"])):
                await self._tell(request, response, target, since)
        except TimeoutError:
            await response.write_eof()
        finally:
            self.watching -= 1
            self.notify()
        return response

    async def _tell(self, request: web.Request, response: web.StreamResponse, target: Target, since: int) -> None:
        told = 0
        while request.transport is not None and not request.transport.is_closing():
            news, told = self.store.history[told:], len(self.store.history)
            for each in news:
                if each.version > since and _concerns(each, target, request.query):
                    await response.write(_event(each.type, each.object))
            if told == len(self.store.history):
                await self._changed.wait()


def _verb(request: web.Request) -> Verb:
    if request.method == "PATCH":
        return _PATCHES[request.content_type]
    if request.method == "GET":
        if request.query.get("watch") == "true":
            return "watch"
        return "get" if Target.parse(request.path).name else "list"
    return _METHODS[request.method]


def _selects(query: Query, target: Target, found: Object) -> bool:
    labels = found["metadata"].get("labels", {})
    wanted = dict(each.split("=") for each in query.get("labelSelector", "").split(",") if each)
    return wanted.items() <= labels.items() and query.get("fieldSelector", "") in ("", f"metadata.name={target.name}")


def _concerns(happening: Happening, target: Target, query: Query) -> bool:
    if happening.type == "BOOKMARK":
        return query.get("allowWatchBookmarks") == "true"
    return target.covers(happening.target) and _selects(query, happening.target, happening.object)


def _event(kind: str, found: Object) -> bytes:
    return json.dumps({"type": kind, "object": found}).encode() + b"\n"
