"""Who does something most, in bounded memory: the space-saving sketch.

Metwally, Agrawal and El Abbadi, Efficient Computation of Frequent and Top-k Elements in Data Streams (2005).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tracked:
    """One key: the true count is at least `counted` and at most `estimate`; `error` is the difference."""

    key: str
    counted: int
    error: int

    @property
    def estimate(self) -> int:
        """The highest that the true count can be."""
        return self.counted + self.error


class SpaceSaving:
    """Counts keys, and tracks `capacity` of them: any whose part of all is more than 1/capacity is among these.

    A key that is not tracked yet takes the place of the one with the lowest estimate, and inherits that estimate as its error.
    `total` counts everything, `rest` what was counted for keys that are tracked no more (or before they were tracked again).
    So the sum of all `counted` and of `rest` is always `total`.
    """

    def __init__(self, capacity: int) -> None:
        self.total = 0
        self.rest = 0
        self._capacity = capacity
        self._tracked: dict[str, Tracked] = {}

    def add(self, key: str, count: int = 1) -> None:
        """Count a key."""
        self.total += count
        known = self._tracked.get(key)
        if known is None:
            known = Tracked(key, 0, self._make_room())
        self._tracked[key] = Tracked(key, known.counted + count, known.error)

    def _make_room(self) -> int:
        """Forget a key if there are too many; return the error of whoever takes its place."""
        if len(self._tracked) < self._capacity:
            return 0
        lowest = min(self._tracked.values(), key=lambda tracked: tracked.estimate)
        del self._tracked[lowest.key]
        self.rest += lowest.counted
        return lowest.estimate

    def tracked(self) -> list[Tracked]:
        """Return the tracked keys, highest estimate first."""
        return sorted(self._tracked.values(), key=lambda tracked: tracked.estimate, reverse=True)
