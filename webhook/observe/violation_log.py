"""One log line a violation; what repeats is said once in a while, with how often."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Final

import structlog

from webhook.observe.incident import Incident
from webhook.observe.metrics import Metrics
from webhook.observe.turns import Object, Subject, Turns

WINDOW: Final = 60.0
"""Seconds for which the same (rule, invariant, object, writer) is not said again. A denied writer tries again until its cache
has caught up, which takes seconds; who is still at it after a minute is worth another line."""

TICK: Final = 1.0
"""Seconds by which a line about what was held back may be late."""


class ViolationLog:
    """Logs incidents as `violation`, and as `violations held back` how many had no line, at the end of their window.

    Both together are as many as there were. A line about what was held back is the one line of the window that it opens.
    """

    def __init__(self, metrics: Metrics, window: float = WINDOW, clock: Callable[[], float] = time.monotonic) -> None:
        """`window` is in seconds; with 0 each violation has its line."""
        self._metrics = metrics
        self._clock = clock
        self._window = window
        self._turns = Turns(window)
        self._logger = structlog.get_logger("statusguard.violations")

    async def take(self, incidents: Sequence[Incident]) -> None:
        """Log what was not said lately."""
        now = self._clock()
        self._say_held_back(self._turns.ended(now))
        admitted = [
            incident for incident in incidents if not self._window or self._turns.admit(_subject(incident), now)
        ]
        for incident in admitted:
            self._say(incident)
        if len(admitted) < len(incidents):
            self._metrics.lines_held_back(len(incidents) - len(admitted))

    @asynccontextmanager
    async def closing(self) -> AsyncIterator[None]:
        """Log what was held back when it is time for that, and at the end all of it."""
        task = asyncio.create_task(self._tick(), name="violation log")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait((task,))
            self._say_held_back(self._turns.rest())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self._say_held_back(self._turns.ended(self._clock()))

    def _say_held_back(self, held_back: Iterable[tuple[Subject, int]]) -> None:
        for subject, count in held_back:
            self._logger.warning("violations held back", count=count, **_who(subject))

    def _say(self, incident: Incident) -> None:
        self._logger.warning(
            "violation",
            rule=incident.rule,
            invariant=incident.invariant,
            field=incident.field,
            old=incident.old,
            new=incident.new,
            action=incident.action,
            denied=incident.denied,
            problem=incident.problem,
            resource=_resource(incident.resource.group, incident.resource.resource),
            object=incident.object,
            writer=incident.writer,
            manager=incident.manager,
            last_writer=incident.last_writer,
            last_written=incident.last_written,
            request_uid=incident.request_uid,
        )


def _subject(incident: Incident) -> Subject:
    of = Object(incident.resource.group, incident.resource.resource, incident.object)
    return Subject(incident.rule, incident.invariant, incident.writer, of)


def _who(subject: Subject) -> dict[str, str]:
    if not subject.rule:
        return {}
    who = {"rule": subject.rule, "invariant": subject.invariant, "writer": subject.writer}
    if subject.object is None:
        return who
    group, resource, name = subject.object
    return {**who, "resource": _resource(group, resource), "object": name}


def _resource(group: str, resource: str) -> str:
    return f"{resource}.{group}".rstrip(".")
