"""How long to wait between two tries."""

from __future__ import annotations

import random
from typing import Final

FIRST: Final = 0.2
"""Seconds."""

LONGEST: Final = 5.0
"""Seconds: everything is in sync this long after the API server is back, and a few replicas that ask every five seconds are
no load to it."""


class Backoff:
    """Waits that double from `first` to `longest` seconds, each shortened at random by up to a half.

    The randomness keeps replicas from asking all at once when the API server comes back.
    """

    def __init__(self, first: float = FIRST, longest: float = LONGEST) -> None:
        self._first = first
        self._longest = longest
        self._next = first

    def next(self) -> float:
        """Return the seconds to wait now; the next wait is twice as long."""
        wait = self._next * random.uniform(0.5, 1.0)  # noqa: S311  nothing depends on its being unforeseeable
        self._next = min(2 * self._next, self._longest)
        return wait

    def reset(self) -> None:
        """Begin again with the first wait: something worked."""
        self._next = self._first
