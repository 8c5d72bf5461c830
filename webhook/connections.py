"""The book of open connections: how many there may be, and which one goes when there are too many."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Protocol


class Closable(Protocol):
    """A connection, in its handshake or later."""

    busy: bool
    """Whether a request on it is being answered."""
    known: bool
    """Whether a request on it was ever answered with 200."""

    def abort(self) -> None:
        """Close at once, whatever is under way."""


class Connections:
    """All open connections of one port, at most `bound`; when it is full, the least valuable one goes.

    Strangers, on which nothing was answered with 200 yet, go first, the oldest first, whatever they are doing; then known
    connections that are idle, the one that was idle longest first. So whoever opens connections without end takes them
    from himself, and an API server keeps those it uses.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound
        # Both in the order of age: a dict keeps the order in which its keys came.
        self._strangers: dict[Closable, None] = {}
        self._known: dict[Closable, None] = {}
        self._left = asyncio.Event()

    def __len__(self) -> int:
        return len(self._strangers) + len(self._known)

    def __iter__(self) -> Iterator[Closable]:
        return iter((*self._strangers, *self._known))

    @property
    def strangers(self) -> int:
        """How many connections were not yet answered with 200."""
        return len(self._strangers)

    def make_room(self) -> bool:
        """Close one connection if there is no room for another; return False if all are needed."""
        if len(self) < self._bound:
            return True
        victim = next(iter(self._strangers), None) or next((each for each in self._known if not each.busy), None)
        if victim is None:
            return False
        self.remove(victim)
        victim.abort()
        return True

    def add(self, connection: Closable) -> None:
        """Enter a new connection."""
        self._strangers[connection] = None

    def answered(self, connection: Closable) -> None:
        """Note that a request was answered with 200 just now."""
        if connection not in self._strangers and connection not in self._known:
            return
        self.remove(connection)
        connection.known = True
        self._known[connection] = None

    def remove(self, connection: Closable) -> None:
        """Strike out a connection that is closed, if it is there."""
        self._strangers.pop(connection, None)
        self._known.pop(connection, None)
        self._left.set()

    async def until_no_strangers(self) -> None:
        """Wait until every connection is known or gone."""
        while self._strangers:
            self._left.clear()
            await self._left.wait()

    async def until_empty(self) -> None:
        """Wait until all connections are gone."""
        while len(self):
            self._left.clear()
            await self._left.wait()
