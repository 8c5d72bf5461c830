"""The API server as what writes Events and reports sees it: a store in memory, and trouble on the way there."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs, urlsplit

from tests.webhook.cluster.fake_store import FakeStore, Object, RefusedError, Target
from webhook.cluster.errors import ApiError, UnreachableError

Trouble = Callable[[], Awaitable[None]]


async def at_once() -> None:
    """Let a request pass."""


async def lost() -> None:
    raise UnreachableError("connection reset")


def refused(status: int, reason: str = "", retry_after: float | None = None) -> Trouble:
    async def refuse() -> None:
        raise ApiError(status, reason, "no", retry_after)

    return refuse


class StoredApi:
    """A client of a FakeStore. `before` is awaited before each request unless `once` has something for it, `after` after each.

    `requests` are method and path of each request; `serves` are the plurals of each API that can be discovered.
    """

    def __init__(self, store: FakeStore | None = None) -> None:
        self.store = store or FakeStore()
        self.before: Trouble = at_once
        self.after: Trouble = at_once
        self.once: deque[Trouble] = deque()
        self.requests: list[tuple[str, str]] = []
        self.serves: dict[str, list[str]] = {}

    async def get(self, path: str) -> Object:
        split = urlsplit(path)
        if (api := split.path.removeprefix("/apis/")).count("/") == 1:
            return await self._send("discover", path, lambda: self._resources(api))
        target = Target.parse(split.path)
        if not target.name:
            return await self._send("list", path, lambda: self._page(target, parse_qs(split.query)))
        return await self._send("get", path, lambda: self.store.get(target))

    async def create(self, path: str, body: Object) -> Object:
        return await self._send("create", path, lambda: self.store.create(Target.parse(path), body))

    async def merge(self, path: str, body: Object) -> Object:
        return await self._send("merge", path, lambda: self.store.merge(Target.parse(path), body))

    async def replace(self, path: str, body: Object) -> Object:
        return await self._send("replace", path, lambda: self.store.replace(Target.parse(path), body))

    def objects(self, collection: str) -> list[Object]:
        return [found for _, found in self.store.objects(Target.parse(collection))]

    def count(self, method: str) -> int:
        return sum(each == method for each, _ in self.requests)

    def _resources(self, api: str) -> Object:
        if api not in self.serves:
            raise RefusedError(404, "NotFound", "404 page not found")
        return {"kind": "APIResourceList", "resources": [{"name": plural} for plural in self.serves[api]]}

    def _page(self, target: Target, query: dict[str, list[str]]) -> Object:
        (name,) = query["fieldSelector"]
        found = [each for each in self.store.objects(target) if f"metadata.name={each[0].name}" == name]
        start, limit = int(query.get("continue", ["0"])[0]), int(query["limit"][0])
        following = {"continue": str(start + limit)} if start + limit < len(found) else {}
        return {"metadata": following, "items": [each for _, each in found[start : start + limit]] or None}

    async def _send(self, method: str, path: str, do: Callable[[], Object]) -> Object:
        self.requests.append((method, path))
        await (self.once.popleft() if self.once else self.before)()
        try:
            answer = do()
        except RefusedError as error:
            raise ApiError(error.code, error.reason, error.message) from error
        await self.after()
        return answer
