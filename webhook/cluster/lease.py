"""A coordination.k8s.io/v1 Lease: what it says, and what the next holder writes into it. Pure: objects in, objects out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

DURATION: Final = 15
"""Seconds that others wait after the last renewal that they saw, as in client-go."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What a Lease said, and when we saw it say so first, by our own steady clock.

    The times written in it are never read: the clock of another machine tells nothing.
    """

    spec: Mapping[str, Any]
    since: float

    @property
    def holder(self) -> str:
        """Who leads, "" if nobody does."""
        holder = self.spec.get("holderIdentity")
        return holder if isinstance(holder, str) else ""

    @property
    def ends(self) -> float:
        """When the holder may be taken for gone, unless it renews; by its own duration if it wrote one."""
        seconds = self.spec.get("leaseDurationSeconds")
        return self.since + (seconds if isinstance(seconds, int) and seconds > 0 else DURATION)


def observe(lease: Mapping[str, Any], now: float, before: Observed | None) -> Observed:
    """Return what a Lease says at `now`; it counts from when it was first seen to say so."""
    spec = _spec(lease)
    return before if before is not None and before.spec == spec else Observed(spec, now)


def taken(lease: Mapping[str, Any], identity: str) -> dict[str, Any]:
    """Return the Lease with `identity` as its holder, for the first time or once more.

    It keeps its resourceVersion: the API server refuses the write if anybody else wrote meanwhile.
    """
    now = _micro_time()
    before = _spec(lease)
    spec = {
        **before,
        "holderIdentity": identity,
        "leaseDurationSeconds": DURATION,
        "renewTime": now,
    }
    if before.get("holderIdentity") != identity:
        spec["acquireTime"] = now
        spec["leaseTransitions"] = _count(before.get("leaseTransitions")) + 1 if before else 0
    return {**lease, "spec": spec}


def released(lease: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Lease without a holder, so that the next one need not wait."""
    return {**lease, "spec": {name: value for name, value in _spec(lease).items() if name != "holderIdentity"}}


def _spec(lease: Mapping[str, Any]) -> Mapping[str, Any]:
    spec = lease.get("spec")
    return spec if isinstance(spec, Mapping) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _micro_time() -> str:
    """Return now as Kubernetes writes a MicroTime, for people."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
