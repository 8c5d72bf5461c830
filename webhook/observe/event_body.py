"""An Event as the API server takes it, of events.k8s.io/v1. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from webhook.display import cut_bytes
from webhook.observe.incident import Incident
from webhook.observe.incident_parts import reference, sentence

CONTROLLER: Final = "statusguard.dev/statusguard"

DENIED: Final = "StatusWriteDenied"
PASSED: Final = "StatusViolation"

MAX_NOTE: Final = 1_024
"""Bytes of a note; the API server refuses an Event with a longer one."""

MIN_SAID: Final = 400
"""Bytes of the note that are for what happened, however much there is to say of the writer."""

MAX_INSTANCE: Final = 128
"""Characters of `reportingInstance` that the API server takes."""

OF_NO_NAMESPACE: Final = "default"
"""Where an Event stands whose object is in no namespace; the API server takes it nowhere else."""


def collection(incident: Incident) -> str:
    """Return the REST path of the Events of the object's namespace."""
    return f"/apis/events.k8s.io/v1/namespaces/{incident.namespace or OF_NO_NAMESPACE}/events"


def event(incident: Incident, name: str, instance: str, count: int, last: datetime) -> dict[str, Any]:
    """Return the Event called `name` of what happened `count` times by now, the last time at `last`.

    `instance` is the name of our pod.
    """
    body = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": incident.namespace or OF_NO_NAMESPACE},
        "eventTime": micro_time(incident.at),
        "reportingController": CONTROLLER,
        "reportingInstance": instance[:MAX_INSTANCE],
        "action": incident.action,
        "reason": DENIED if incident.denied else PASSED,
        "regarding": reference(incident),
        "note": note(incident),
        "type": "Warning",
    }
    return body if count < 2 else {**body, **series(count, last)}


def series(count: int, last: datetime) -> dict[str, Any]:
    """Return the part of an Event that says that it repeats; `count` is 2 or more."""
    return {"series": {"count": count, "lastObservedTime": micro_time(last)}}


def note(incident: Incident) -> str:
    """Return what an Event says, at most MAX_NOTE bytes: what happened, what became of the write, and who wrote."""
    manager = f' with field manager "{incident.manager}"' if incident.manager else ""
    last = "who wrote it last is unknown"
    if incident.last_writer:
        at = f" at {incident.last_written}" if incident.last_written else ""
        last = f'last written by "{incident.last_writer}"{at}'
    became = "refused" if incident.denied else "not refused"
    rest = f'. The write was {became}. Written by "{incident.writer}"{manager}; {last}.'
    said = cut_bytes(sentence(incident), max(MIN_SAID, MAX_NOTE - len(rest.encode())))
    return cut_bytes(said + rest, MAX_NOTE)


def micro_time(at: datetime) -> str:
    """Return a time of UTC as Kubernetes writes a MicroTime: always six digits."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
