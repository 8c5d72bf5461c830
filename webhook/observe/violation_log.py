"""One log line a violation; what repeats is said once in a while, with how often."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import structlog

from rules.violation import Violation
from rules.write import Write
from webhook.display import name
from webhook.message import Wording, last_writer_of
from webhook.verdict import Judged, Verdict

WINDOW: Final = 60.0
"""Seconds for which the same (rule, invariant, object, writer) is not said again. A denied writer tries again until its cache
has caught up, which takes seconds; who is still at it after a minute is worth another line."""

MAX_REMEMBERED: Final = 10_000
"""Combinations that are remembered, some 5 MB; the oldest is forgotten first, which at worst costs a line too many."""

Key: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class _Seen:
    until: float
    held_back: int = 0


class ViolationLog:
    """A sink that logs violations."""

    def __init__(self, wording: Wording, clock: Callable[[], float] = time.monotonic) -> None:
        self._wording = wording
        self._clock = clock
        self._seen: OrderedDict[Key, _Seen] = OrderedDict()
        self._logger = structlog.get_logger("statusguard.violations")

    def __call__(self, write: Write, verdict: Verdict) -> None:
        """Log the violations of a write that were not said lately."""
        for judged in verdict.judged:
            held_back = self._turn(_key(judged.violation, write))
            if held_back is not None:
                self._say(judged, write, held_back)

    def _turn(self, key: Key) -> int | None:
        """Return how many were held back since the last line, or None if this one is held back too."""
        now = self._clock()
        seen = self._seen.pop(key, None)
        if seen is not None and now < seen.until:
            seen.held_back += 1
            self._seen[key] = seen
            return None
        self._seen[key] = _Seen(now + WINDOW)
        if len(self._seen) > MAX_REMEMBERED:
            self._seen.popitem(last=False)
        return seen.held_back if seen else 0

    def _say(self, judged: Judged, write: Write, held_back: int) -> None:
        request = write.request
        last = last_writer_of(judged.violation.field, write)
        self._logger.warning(
            "violation",
            **self._wording.entry(judged),
            problem=self._wording.problem(judged.violation),
            resource=f"{request.resource.resource}.{request.resource.group}".rstrip("."),
            object=name(f"{request.namespace}/{request.name}".lstrip("/")),
            writer=name(request.username),
            manager=name(request.field_manager),
            last_writer=name(last.manager),
            last_written=last.time,
            uid=name(request.uid),
            held_back=held_back,
        )


def _key(violation: Violation, write: Write) -> Key:
    request = write.request
    resource = request.resource
    return (
        violation.rule,
        violation.invariant,
        resource.group,
        resource.resource,
        request.namespace,
        request.name,
        request.username,
        request.field_manager,
    )
