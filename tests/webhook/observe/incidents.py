"""Incidents for the tests of what takes them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from rules.write import Resource
from webhook.observe.incident import Incident

_FIELDS: dict[str, Any] = {
    "at": datetime(2026, 1, 1, tzinfo=UTC),
    "rule": "r",
    "invariant": "i",
    "field": "status.observedGeneration",
    "old": "2",
    "new": "1",
    "action": "Deny",
    "denied": True,
    "problem": "went back from 2 to 1",
    "resource": Resource("example.test", "v1", "widgets", "status"),
    "kind": "Widget",
    "namespace": "n",
    "name": "w",
    "object_uid": "o-1",
    "writer": "u",
    "manager": "m",
    "last_writer": "kubelet",
    "last_written": "2026-01-01T00:00:00Z",
    "request_uid": "u-1",
}


def incident(**fields: Any) -> Incident:
    """Return an incident that differs from any other in these fields."""
    return Incident(**{**_FIELDS, **fields})
