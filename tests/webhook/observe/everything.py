"""Metrics in which every series is there that can be."""

from __future__ import annotations

from datetime import UTC, datetime

from webhook.observe.metrics import Metrics, RuleLabels
from webhook.observe.queue import IncidentQueue

HOSTILE = '\n# TYPE x counter\nx{a="b"} 1\r\x1b[2J\u202e\ud800"\\'


def everything() -> Metrics:
    """Return metrics after one event of each kind, some by somebody hostile."""
    metrics = Metrics()
    labels = RuleLabels("r", "i", "example.test", "widgets", "Deny", "observedGeneration")
    metrics.declare_rules([labels])
    metrics.violation(labels)
    metrics.request(HOSTILE, HOSTILE, "denied", dry_run=False)
    metrics.regression("r", 2)
    for writer in ("u", HOSTILE, "x" * 1_000_000):
        metrics.writer_violation(writer)
    metrics.decision_seconds(0.001)
    metrics.event_loop_lag(0.001)
    metrics.reload(success=True)
    metrics.certificate_expiry("serving", lambda: datetime(2026, 1, 1, tzinfo=UTC))
    metrics.certificate_expiry("authority", lambda: None)
    metrics.informer("statusrules", lambda: 0.0, lambda: False)
    IncidentQueue("log", metrics)
    return metrics
