"""Violations by writer: a metric whose label anybody can choose who may write."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Final

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from webhook.display import name
from webhook.observe.sketch import SpaceSaving

MAX_WRITERS: Final = 50
"""Writers that have a series."""

OTHER: Final = "other"


class WriterCounts(Collector):
    """Counts violations by user name. The top writers have a series, the rest is `other`; the sum is exact at each scrape.

    A writer whose place another takes goes into `other`, with all that was counted for it.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._lock = Lock()  # a scrape is another thread
        self._sketch = SpaceSaving(MAX_WRITERS)
        self._called_other = 0
        registry.register(self)

    def count(self, writer: str) -> None:
        """Count a violation."""
        shown = name(writer)
        with self._lock:
            if shown == OTHER:
                self._called_other += 1  # one series cannot be there twice
            else:
                self._sketch.add(shown)

    def collect(self) -> Iterator[Metric]:
        """Return the metric as it is now."""
        with self._lock:
            tracked = self._sketch.tracked()
            other = self._sketch.rest + self._called_other
        family = CounterMetricFamily(
            "statusguard_writer_violations",
            "Broken invariants by user name, of the writers with most of them; `other` is the rest.",
            labels=("writer",),
        )
        for each in tracked:
            family.add_metric((each.key,), each.counted)
        family.add_metric((OTHER,), other)
        yield family
