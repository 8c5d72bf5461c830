"""The latest incidents, in bounded memory; what repeats is one."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final

from webhook.observe.incident import Incident
from webhook.observe.incident_parts import Key, key_of

MOST: Final = 500
"""Incidents that are remembered: more than a page shows, so that a rule that is broken often leaves room for the others."""

MAX_CHARACTERS: Final = 1_000_000
"""Characters of all their texts together: at most 4 MB. As long as incidents can be, some 200 are remembered."""

_TEXTS: Final = tuple(field.name for field in fields(Incident) if field.name not in {"at", "denied", "resource"})


@dataclass(frozen=True, slots=True)
class Repeated:
    """What happened `count` times, the first time at `first`; `latest` is the last time of it."""

    latest: Incident
    first: datetime
    count: int
    characters: int


class Recent:
    """A sink of incidents. One of the same rule, invariant, field, object and writer takes the place of the one before."""

    def __init__(self, most: int = MOST, max_characters: int = MAX_CHARACTERS) -> None:
        self._most = most
        self._max_characters = max_characters
        self._known: OrderedDict[Key, Repeated] = OrderedDict()
        self._characters = 0

    def __call__(self, incident: Incident) -> None:
        """Remember an incident; forget those of which nothing was heard for longest, if there are too many."""
        key = (*key_of(incident), incident.field)
        size = _characters(incident)
        before = self._known.pop(key, None)
        if before is not None:
            self._characters -= before.characters
        first, count = (incident.at, 0) if before is None else (before.first, before.count)
        self._known[key] = Repeated(incident, first, count + 1, size)
        self._characters += size
        while len(self._known) > self._most or self._characters > self._max_characters:
            _, forgotten = self._known.popitem(last=False)
            self._characters -= forgotten.characters

    def snapshot(self) -> tuple[Repeated, ...]:
        """Return what is remembered, the latest first."""
        return tuple(reversed(self._known.values()))


def _characters(incident: Incident) -> int:
    of = incident.resource
    texts = sum(len(getattr(incident, name)) for name in _TEXTS)
    return texts + len(of.group) + len(of.version) + len(of.resource) + len(of.subresource)
