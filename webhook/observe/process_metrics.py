"""The metrics about this process: its rules, certificates, what it knows of the cluster, what it does with violations."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable
from datetime import datetime
from importlib.metadata import version
from typing import Final, Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from webhook.observe.children import Children

EventResult = Literal["created", "updated", "limited", "failed"]
"""What became of a Kubernetes Event: `limited` was not written because there are too many, `failed` could not be written."""

ReportResult = Literal["written", "failed"]
"""What became of a policy report."""

Mode = Literal["Full", "Partial", "Off"]
"""How much the API server decides by itself before it calls us for a rule."""

LAG_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Seconds: from what any event loop has, to where the API server has given up on every request that waits."""


class ProcessMetrics:
    """Each method is named for what happened, or for what it exports."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, description: str, *labels: str) -> Gauge:
            return Gauge(f"statusguard_{name}", description, labels, registry=registry)

        def counter(name: str, description: str, *labels: str) -> Children[Counter]:
            return Children(Counter(f"statusguard_{name}", description, labels, registry=registry))

        self._rules = gauge("rules", "Rules by state.", "state")
        self._prefilter = gauge(
            "prefilter_rules", "Served rules by how much the API server decides before it calls us.", "mode"
        )
        self._reload_time = gauge(
            "last_reload_timestamp_seconds", "When rules were last loaded, with or without success."
        )
        self._reload_success = gauge("last_reload_successful", "1 if the last load found no broken rule.")
        self._expiry = gauge(
            "certificate_expiry_timestamp_seconds",
            "When a certificate ends: the one that is served, or the authority that clients trust.",
            "certificate",
        )
        self._contact = gauge(
            "informer_last_contact_timestamp_seconds",
            "When the API server was last heard of while following a resource; NaN if never.",
            "resource",
        )
        self._synced = gauge("informer_synced", "1 once all of a resource was seen.", "resource")
        self._leader = gauge("leader", "1 if this replica is the one that writes into the cluster.")
        self._canary = gauge(
            "canary_write_refused",
            "1 if the API server asked us about the last known bad dry-run write, 0 if it passed; NaN if unknown.",
        )
        self._canary.set(math.nan)
        self._lag = Histogram(
            "statusguard_event_loop_lag_seconds",
            "How much later than asked for the event loop woke up a task, sampled every second.",
            buckets=LAG_BUCKETS,
            registry=registry,
        )
        self._depth = gauge("queue_depth", "Violations that wait to be told.", "queue")
        self._capacity = gauge("queue_capacity", "Violations that may wait to be told.", "queue")
        self._dropped = counter(
            "queue_dropped",
            "Violations that were not told, because the queue was full or by an error of ours.",
            "queue",
        )
        self._held_back = Counter(
            "statusguard_log_lines_held_back",
            "Violations without a log line of their own, because they repeat; another line says how many they were.",
            registry=registry,
        )
        self._events = counter("events", "Kubernetes Events by what became of them.", "result")
        self._reports = counter("reports", "Writes of policy reports.", "result")
        gauge("build_info", "Always 1.", "version", "python").labels(
            version("statusguard"), platform.python_version()
        ).set(1)
        self._events.keep({(result,) for result in get_args(EventResult)})
        self._reports.keep({(result,) for result in get_args(ReportResult)})
        self.rules(served=0, broken=0)
        self.prefilter(full=0, partial=0, off=0)

    def rules(self, *, served: int, broken: int) -> None:
        """Say how many rules there are."""
        self._rules.labels("served").set(served)
        self._rules.labels("broken").set(broken)

    def prefilter(self, *, full: int, partial: int, off: int) -> None:
        """Say for how many served rules the API server decides all, some or nothing before it calls us."""
        for mode, count in zip(get_args(Mode), (full, partial, off), strict=True):
            self._prefilter.labels(mode).set(count)

    def reload(self, *, success: bool) -> None:
        """Say that rules were loaded just now, and whether all of them were good."""
        self._reload_time.set(time.time())
        self._reload_success.set(success)

    def certificate_expiry(
        self, certificate: Literal["serving", "authority"], expires: Callable[[], datetime | None]
    ) -> None:
        """Export when a certificate ends; `expires` is asked at each scrape, and None is exported as NaN."""
        self._expiry.labels(certificate).set_function(lambda: end.timestamp() if (end := expires()) else math.nan)

    def informer(self, resource: str, last_contact: Callable[[], float], synced: Callable[[], bool]) -> None:
        """Export how fresh is what we know of a resource; both are asked at each scrape.

        `last_contact` is in seconds since the epoch, 0 if never.
        """
        self._contact.labels(resource).set_function(lambda: last_contact() or math.nan)
        self._synced.labels(resource).set_function(lambda: float(synced()))

    def leader(self, *, leads: bool) -> None:
        """Say whether this replica leads."""
        self._leader.set(leads)

    def canary(self, refused: Callable[[], float]) -> None:
        """Export how the canary's last write went; asked at each scrape."""
        self._canary.set_function(refused)

    def event_loop_lag(self, seconds: float) -> None:
        """Observe how late the event loop was."""
        self._lag.observe(seconds)

    def queue(self, name: str, capacity: int, depth: Callable[[], int]) -> None:
        """Export how full a queue is; `depth` is asked at each scrape."""
        self._capacity.labels(name).set(capacity)
        self._depth.labels(name).set_function(depth)
        self._dropped.child(name)

    def dropped(self, name: str) -> Callable[[int], None]:
        """Return what counts violations that a queue dropped."""
        return self._dropped.child(name).inc

    def lines_held_back(self, count: int) -> None:
        """Count violations that have no log line of their own."""
        self._held_back.inc(count)

    def event(self, result: EventResult, count: int = 1) -> None:
        """Count what became of Kubernetes Events."""
        self._events.child(result).inc(count)

    def report(self, result: ReportResult, count: int = 1) -> None:
        """Count what became of writes of policy reports."""
        self._reports.child(result).inc(count)
