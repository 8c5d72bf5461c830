"""The labelled counters' children."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from prometheus_client import Counter


class Children:
    """The children of one counter, made ahead and kept at hand: `labels()` costs three times what `inc()` costs."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._children: dict[tuple[str, ...], Counter] = {}

    def child(self, *labels: str) -> Counter:
        """Return the counter for these label values, in the order of the label names."""
        child = self._children.get(labels)
        if child is None:
            child = self._children[labels] = self._counter.labels(*labels)
        return child

    def keep(self, wanted: AbstractSet[tuple[str, ...]]) -> None:
        """Have the children that are wanted, and no others."""
        for labels in self._children.keys() - wanted:
            del self._children[labels]
            self._counter.remove(*labels)
        for labels in sorted(wanted):
            self.child(*labels)
