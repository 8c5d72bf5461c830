"""Token buckets: so many at once, and so many a second in the long run. Pure: the time is an argument."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable


class TokenBucket:
    """One bucket, full at first. Times are seconds of any clock that does not go back."""

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, burst: int, rate: float) -> None:
        """Hold at most `burst` tokens, and get `rate` a second."""
        self._burst = float(burst)
        self._rate = rate
        self._tokens = float(burst)
        self._at = 0.0

    def has_token(self, now: float) -> bool:
        """Tell whether a token could be taken."""
        if now > self._at:
            self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
            self._at = now
        return self._tokens >= 1.0

    def take(self, now: float) -> bool:
        """Take a token; return whether there was one."""
        if not self.has_token(now):
            return False
        self._tokens -= 1.0
        return True


class KeyedBuckets:
    """A bucket for each key, of which at most `most` are remembered.

    The one that was asked for the longest ago is forgotten first. It is full when it is made anew: whoever needs a bound over
    all keys has one more bucket for that.
    """

    def __init__(self, burst: int, rate: float, most: int) -> None:
        self._burst = burst
        self._rate = rate
        self._most = most
        self._buckets: OrderedDict[Hashable, TokenBucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def bucket(self, key: Hashable) -> TokenBucket:
        """Return the bucket of a key."""
        found = self._buckets.get(key)
        if found is None:
            found = self._buckets[key] = TokenBucket(self._burst, self._rate)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        return found
