"""Which Events are to be written, and when: what repeats is one, and no writer makes more than a few. Pure.

Times are seconds of any clock that does not go back, but for those of the incidents.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from webhook.observe.event_body import event
from webhook.observe.incident import Incident
from webhook.observe.incident_parts import Key, api_version, key_of
from webhook.observe.token_bucket import KeyedBuckets, TokenBucket

UPDATE_SECONDS: Final = 10.0
"""How long an Event stays as it was written at least: what happens meanwhile is counted and told then."""

SERIES_SECONDS: Final = 360.0
"""How long after the last time a series ends, as in client-go: what happens later is another Event."""

MOST_SERIES: Final = 1_000
"""Series that are remembered, 5 MB at their longest."""

OBJECT_BURST: Final = 10
OBJECT_RATE: Final = 1 / 60
"""Events a second about one object, in the long run, after so many at once."""

TOTAL_BURST: Final = 50
TOTAL_RATE: Final = 1.0
"""Events a second in all."""

UPDATE_BURST: Final = 50
UPDATE_RATE: Final = 5.0
"""Updates of Events a second in all."""


@dataclass(slots=True)
class Series:
    """One Event, written or still to be written: `told` times of `count` are in it, 0 if it is not there yet.

    `incident` is what it is about, and `latest` what happened last. `due` is when it may be written, `touched` when something
    was last counted. `tries` are failures in a row.
    """

    key: Key
    incident: Incident
    latest: Incident
    due: float
    touched: float
    count: int = 1
    told: int = 0
    tries: int = 0


class EventSeries:
    """All series of one process."""

    def __init__(self, instance: str) -> None:
        """Write as `instance`, the name of our pod."""
        self._instance = instance
        self._series: OrderedDict[Key, Series] = OrderedDict()
        self._objects = KeyedBuckets(OBJECT_BURST, OBJECT_RATE, MOST_SERIES)
        self._total = TokenBucket(TOTAL_BURST, TOTAL_RATE)
        self._updates = TokenBucket(UPDATE_BURST, UPDATE_RATE)

    def __len__(self) -> int:
        return len(self._series)

    def add(self, incident: Incident, now: float) -> int:
        """Count an incident; return of how many no Event will tell: of this one, or of what was forgotten for it."""
        key = _key(incident)
        found = self._series.get(key)
        if found is not None and now < found.touched + SERIES_SECONDS:
            found.count += 1
            found.latest, found.touched = incident, now
            self._series.move_to_end(key)
            return 0
        if not self._admits(incident, now):
            return 1
        lost = 0 if found is None else found.count - found.told
        self._series[key] = Series(key, incident, incident, due=now, touched=now)
        self._series.move_to_end(key)
        if len(self._series) > MOST_SERIES:
            _, forgotten = self._series.popitem(last=False)
            lost += forgotten.count - forgotten.told
        return lost

    def next(self, now: float) -> Series | None:
        """Return what has waited longest of that which is to be written now; ended series are forgotten."""
        for key in [key for key, each in self._series.items() if _is_over(each, now)]:
            del self._series[key]
        may_update = self._updates.has_token(now)
        waiting = [each for each in self._series.values() if each.told < each.count and each.due <= now]
        chosen = min((each for each in waiting if may_update or not each.told), key=lambda each: each.due, default=None)
        if chosen is not None and chosen.told:
            self._updates.take(now)
        return chosen

    def wait(self, now: float) -> float | None:
        """Return the seconds until something is to be written; None if nothing is."""
        earliest = now if self._updates.has_token(now) else now + 1 / UPDATE_RATE
        waiting = [each for each in self._series.values() if each.told < each.count]
        return min((max(each.due, earliest if each.told else now) - now for each in waiting), default=None)

    def untold(self) -> int:
        """Return how many incidents no Event tells of yet."""
        return sum(each.count - each.told for each in self._series.values())

    def written(self, of: Series, told: int, now: float) -> None:
        """Remember that an Event tells of so many."""
        of.told, of.tries, of.due = told, 0, now + UPDATE_SECONDS

    def renew(self, of: Series, now: float) -> None:
        """Begin anew with what was not told: the Event is gone."""
        of.incident, of.count, of.told, of.due = of.latest, max(of.count - of.told, 1), 0, now

    def postpone(self, of: Series, now: float) -> None:
        """Remember that a try failed; others have their turn before the next."""
        of.tries += 1
        of.due = max(of.due, now)

    def forget(self, of: Series) -> None:
        """Forget a series that cannot be written. What happens next is another, if the buckets allow."""
        if self._series.get(of.key) is of:
            del self._series[of.key]

    def body(self, of: Series) -> dict[str, Any]:
        """Return the Event as it is to be created."""
        return event(of.incident, self.name(of), self._instance, of.count, of.latest.at)

    def name(self, of: Series) -> str:
        """Return the name of an Event: the same whenever it is tried, another one for each replica and each series."""
        parts = (*of.key, self._instance, of.incident.at.isoformat())
        return f"statusguard.{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}"

    def _admits(self, incident: Incident, now: float) -> bool:
        of_object = self._objects.bucket(_object(incident))
        return of_object.has_token(now) and self._total.take(now) and of_object.take(now)


def _key(incident: Incident) -> Key:
    """Return what is one Event. Its reason is fixed, and so is the object that it is about: one of the same name is another."""
    return (*key_of(incident), incident.object_uid, incident.action, "denied" if incident.denied else "")


def _object(incident: Incident) -> Hashable:
    return (api_version(incident), incident.kind, incident.namespace, incident.name)


def _is_over(each: Series, now: float) -> bool:
    return each.told >= each.count and now >= each.touched + SERIES_SECONDS
