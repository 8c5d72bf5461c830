"""An entry of a policy report: what one writer did to one object against one invariant, and how often. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

import msgspec

from webhook.display import cut_bytes
from webhook.observe.incident import Incident
from webhook.observe.incident_parts import SOURCE, Key, key_of, reference, sentence

MAX_MESSAGE: Final = 1_024
"""Bytes of an entry's message."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened again and again: how often, since when, and the last time."""

    latest: Incident
    count: int
    first: datetime

    def with_next(self, incident: Incident) -> Entry:
        """Return the entry with one more."""
        return Entry(incident, self.count + 1, self.first)


def entry_of(incident: Incident) -> tuple[Key, Entry]:
    """Return an incident as an entry, with its key."""
    return key_of(incident), Entry(incident, 1, incident.at)


def result(entry: Entry) -> dict[str, Any]:
    """Return an entry as it stands in a report.

    What a rule in trial finds (Audit, Warn) is a `warn` that is not scored; what a Deny finds is a `fail`.
    """
    incident = entry.latest
    properties = {
        "action": incident.action,
        "denied": "true" if incident.denied else "false",
        "count": str(entry.count),
        "firstSeen": _time(entry.first),
        "lastSeen": _time(incident.at),
        "field": incident.field,
        "old": incident.old,
        "new": incident.new,
        "writer": incident.writer,
        "manager": incident.manager,
        "lastWriter": incident.last_writer,
        "lastWritten": incident.last_written,
    }
    return {
        "source": SOURCE,
        "policy": incident.rule,
        "rule": incident.invariant,
        "result": "fail" if incident.action == "Deny" else "warn",
        "scored": incident.action == "Deny",
        "message": cut_bytes(sentence(incident), MAX_MESSAGE),
        "timestamp": {"seconds": int(incident.at.timestamp()), "nanos": incident.at.microsecond * 1_000},
        "resources": [reference(incident)],
        "properties": {name: value for name, value in properties.items() if value},
    }


class _Subject(msgspec.Struct, frozen=True, rename={"api_version": "apiVersion"}):
    api_version: str
    kind: str = ""
    namespace: str = ""
    name: str = ""


class _Properties(msgspec.Struct, frozen=True, rename={"first_seen": "firstSeen"}):
    count: str
    first_seen: Annotated[datetime, msgspec.Meta(tz=True)]
    writer: str = ""
    manager: str = ""


class _Timestamp(msgspec.Struct, frozen=True):
    seconds: int
    nanos: int


class _Result(msgspec.Struct, frozen=True):
    """What of a result is read again."""

    source: str
    policy: str
    rule: str
    result: Literal["fail", "warn"]
    resources: tuple[_Subject]
    properties: _Properties
    timestamp: _Timestamp


@dataclass(frozen=True, slots=True)
class Known:
    """An entry that stands in a report already, as it was written, and what it says."""

    written: dict[str, Any]
    key: Key
    count: int
    first: datetime
    last: float

    @classmethod
    def read(cls, written: Any, oldest: datetime) -> Known | None:
        """Return an entry; None if it is too old, or none of ours."""
        try:
            said = msgspec.convert(written, _Result)
            count, last = int(said.properties.count), said.timestamp.seconds + said.timestamp.nanos / 1e9
        except (msgspec.ValidationError, ValueError, OverflowError):
            return None
        if said.source != SOURCE or last < oldest.timestamp():
            return None
        (of,), by = said.resources, said.properties
        key = (said.policy, said.rule, of.api_version, of.kind, of.namespace, of.name, by.writer, by.manager)
        return cls(written, key, count, by.first_seen, last)

    def with_more(self, entry: Entry) -> dict[str, Any]:
        """Return the entry with what happened besides; the newer one says what it was."""
        count, first = self.count + entry.count, min(self.first, entry.first)
        if self.last <= entry.latest.at.timestamp():
            return result(Entry(entry.latest, count, first))
        counted = {"count": str(count), "firstSeen": _time(first)}
        return {**self.written, "properties": {**self.written["properties"], **counted}}


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
