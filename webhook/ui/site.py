"""Answers requests for the pages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from ipaddress import ip_address
from typing import Final

from aiohttp import web

from webhook.answers import SERVER, plain
from webhook.observe.incident import Incident
from webhook.ui.frame import HEADERS, ROOT, Place
from webhook.ui.inventory import Inventory, TakeInventory
from webhook.ui.markup import Markup
from webhook.ui.pages import View, overview, rule_list, rule_page
from webhook.ui.rates import RuleRates
from webhook.ui.recent import Recent

_AUTHORITY: Final = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:]*)(:[0-9]*)?")

_OURS: Final = (".localhost", ".svc", ".svc.cluster.local")
"""Ends of names that nobody can register."""

MAX_PAGE_DIGITS: Final = 6


class Site:
    """A sink of incidents, and the handler of `/ui`; `inventory` may be set at any time."""

    def __init__(self, inventory: TakeInventory = Inventory) -> None:
        self.inventory = inventory
        self._recent = Recent()
        self._rates = RuleRates()
        self._rendering = asyncio.Lock()

    def __call__(self, incident: Incident) -> None:
        """Remember an incident."""
        self._recent(incident)
        self._rates(incident)

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Answer a GET or HEAD for a path that is `/ui` or below it."""
        if not is_ours(request.headers.get("Host", "")):
            return plain(421, "the page is shown at an address, at localhost and at names of the cluster only")
        render = self._page(request)
        page = None
        if render is not None:
            # As for the metrics: in a thread, and one at a time.
            async with self._rendering:
                page = await asyncio.to_thread(render, self._view())
        if page is None:
            return plain(404, f"there is no such page; begin at {ROOT}")
        return web.Response(body=page.encode(), headers={**HEADERS, "Server": SERVER})

    def _page(self, request: web.BaseRequest) -> Callable[[View], Markup | None] | None:
        path = request.path
        place = Place(path)
        if path in {ROOT, f"{ROOT}/"}:
            return partial(overview, place)
        if path in {f"{ROOT}/rules", f"{ROOT}/rules/"}:
            page = request.query.get("page", "1")
            is_number = page.isascii() and page.isdigit() and len(page) <= MAX_PAGE_DIGITS
            return partial(rule_list, place, page=int(page)) if is_number else None
        if path.startswith(f"{ROOT}/rules/"):
            return partial(rule_page, place, title=path.removeprefix(f"{ROOT}/rules/"))
        return None

    def _view(self) -> View:
        return View(
            datetime.now(UTC), self.inventory(), self._recent.snapshot(), self._rates.all, self._rates.by_rule()
        )


def is_ours(authority: str) -> bool:
    """Tell whether a Host header names us in a way that no stranger's domain can.

    A web site whose name is suddenly that of a loopback address would else read the page through the browser of whoever
    forwards a port. Without the header no browser asks.
    """
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        return False
    host = match[1].strip("[]").lower().rstrip(".")
    if "." not in host and ":" not in host:
        return True
    try:
        ip_address(host)
    except ValueError:
        return host.endswith(_OURS)
    return True
