"""What the kubelet and Prometheus talk to: `/healthz`, `/readyz` and `/metrics`; and `/ui` for people, if it is on.

These are answered by the same event loop as reviews are. That is how a stuck loop is noticed: the kubelet gets no answer
from `/healthz` and restarts us.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus

from aiohttp import web

from webhook.answers import SERVER, plain
from webhook.observe.metrics import CONTENT_TYPE, Metrics
from webhook.ui.frame import ROOT
from webhook.ui.site import Site

Problem = Callable[[], str | None]
"""Says in one line what is wrong, None if nothing is."""


class Ops:
    """The handler of the ops port."""

    def __init__(self, metrics: Metrics, unready: Problem, site: Site | None = None) -> None:
        """Without a `site` there is no page."""
        self._metrics = metrics
        self._unready = unready
        self._site = site
        self._scraping = asyncio.Lock()

    async def __call__(self, request: web.BaseRequest) -> web.Response:
        """Answer one request."""
        if request.method not in ("GET", "HEAD"):
            response = plain(405, "only GET and HEAD are answered here")
            response.headers["Allow"] = "GET, HEAD"
            return response
        match request.path:
            case "/metrics":
                return await self._expose()
            case "/healthz":
                return plain(HTTPStatus.OK, "ok")
            case "/readyz":
                problem = self._unready()
                return plain(HTTPStatus.OK, "ok") if problem is None else plain(HTTPStatus.SERVICE_UNAVAILABLE, problem)
        if self._site is None:
            return plain(404, "here are /metrics, /healthz and /readyz")
        if request.path == ROOT or request.path.startswith(f"{ROOT}/"):
            return await self._site.answer(request)
        return plain(404, f"here are /metrics, /healthz, /readyz and {ROOT}")

    async def _expose(self) -> web.Response:
        # In a thread, since thousands of series take tens of milliseconds that no review should wait for; one at a time,
        # since the threads would only slow each other down.
        async with self._scraping:
            exposition = await asyncio.to_thread(self._metrics.exposition)
        return web.Response(body=exposition, headers={"Content-Type": CONTENT_TYPE, "Server": SERVER})
