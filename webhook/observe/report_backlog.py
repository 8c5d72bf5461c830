"""What is still to be added to policy reports: bounded, and merged as it comes in. Pure."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final
from uuid import uuid4

from webhook.observe.incident import Incident
from webhook.observe.incident_parts import Key
from webhook.observe.report_body import MOST_ENTRIES, Batch
from webhook.observe.report_entry import Entry, entry_of

MOST_WAITING: Final = 5_000
"""Entries of all reports that wait to be written, 22 MB at their longest: while the API server is away, what is new beyond
that is dropped. What repeats is counted still."""


class Backlog:
    """Entries that wait, by namespace. Of each namespace one batch at a time is out to be written."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, OrderedDict[Key, Entry]] = OrderedDict()
        self._failed: dict[str, Batch] = {}
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, incident: Incident) -> bool:
        """Take an incident; return whether there was room for it."""
        entries = self._waiting.get(incident.namespace, OrderedDict[Key, Entry]())
        key, entry = entry_of(incident)
        if key in entries:
            entry = entries.pop(key).with_next(incident)
        elif self._size >= MOST_WAITING:
            return False
        else:
            self._size += 1
        entries[key] = entry
        if len(entries) > MOST_ENTRIES:
            entries.popitem(last=False)  # no report would keep it
            self._size -= 1
        self._waiting[incident.namespace] = entries
        return True

    def namespaces(self, most: int) -> list[str]:
        """Return the namespaces whose reports are to be written: those that wait longest first, those that failed last."""
        return list(dict.fromkeys((*self._waiting, *self._failed)))[:most]

    def pop(self, namespace: str) -> Batch:
        """Return what is to be written into a report: what could not be written before, else what is new."""
        batch = self._failed.pop(namespace, None) or Batch(uuid4().hex[:12], self._waiting.pop(namespace))
        self._size -= len(batch.entries)
        return batch

    def give_back(self, namespace: str, batch: Batch) -> None:
        """Keep a batch for another try. It keeps its name: it may have been written without our knowing."""
        self._failed[namespace] = batch
        self._size += len(batch.entries)
        if namespace in self._waiting:
            self._waiting.move_to_end(namespace)

    def clear(self) -> None:
        """Forget everything."""
        self._waiting.clear()
        self._failed.clear()
        self._size = 0
