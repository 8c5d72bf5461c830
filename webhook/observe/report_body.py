"""A policy report: what was in it, and what happened since, merged. Pure.

OpenReports and the older PolicyReports have the same shape but for their names. Several replicas merge into one report, so what
is counted is in the report itself: a replica adds what it saw, and knows by the batches named there what it has added already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from webhook.observe.incident_parts import SOURCE, Key
from webhook.observe.report_apis import ReportApi
from webhook.observe.report_entry import Entry, Known, result

NAME: Final = "statusguard"

LABELS: Final = {"app.kubernetes.io/managed-by": "statusguard"}
"""By which people find our reports."""

BATCHES: Final = "statusguard.dev/batches"
"""The annotation that names what was added last, for a replica that got no answer to its write."""

MOST_BATCHES: Final = 16

MOST_ENTRIES: Final = 500
"""Entries of a report; the newest stay."""

MOST_BYTES: Final = 512 * 1_024
"""Bytes of all entries of a report; etcd takes objects of 1.5 MB."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be added to a report. `name` is unique: what was added under it is not added again."""

    name: str
    entries: Mapping[Key, Entry]


def report(
    api: ReportApi, namespace: str, found: Mapping[str, Any] | None, batch: Batch, oldest: datetime
) -> dict[str, Any]:
    """Return the report of a namespace with a batch added; `found` is the report so far.

    What happened last before `oldest` goes, and so does what others put there.
    """
    before = found or {}
    metadata = dict(before.get("metadata") or {"name": NAME, **({"namespace": namespace} if namespace else {})})
    named = [*batches(before), batch.name][-MOST_BATCHES:]
    metadata["labels"] = {**(metadata.get("labels") or {}), **LABELS}
    metadata["annotations"] = {**(metadata.get("annotations") or {}), BATCHES: " ".join(named)}
    results = _bounded(_merged(before.get("results"), batch, oldest))
    return {
        **before,
        "apiVersion": api.api_version,
        "kind": api.kind(namespace),
        "metadata": metadata,
        **({"source": SOURCE} if api.names_source else {}),
        "summary": _summary(results),
        "results": results,
    }


def batches(found: Mapping[str, Any]) -> list[str]:
    """Return the names of the batches that were added to a report last."""
    annotations = (found.get("metadata") or {}).get("annotations") or {}
    return str(annotations.get(BATCHES, "")).split()


def has_aged(found: Mapping[str, Any], oldest: datetime) -> bool:
    """Tell whether there is anything in a report from before `oldest`."""
    return any(Known.read(each, oldest) is None for each in found.get("results") or ())


def _merged(written: Any, batch: Batch, oldest: datetime) -> list[dict[str, Any]]:
    """Return all entries, the newest first."""
    read = (Known.read(each, oldest) for each in written or ())
    known = {each.key: each for each in read if each}
    merged = [each.written for key, each in known.items() if key not in batch.entries]
    for key, entry in batch.entries.items():
        if entry.latest.at >= oldest:
            merged.append(known[key].with_more(entry) if key in known else result(entry))
    return sorted(merged, key=_newest_first)


def _newest_first(written: Mapping[str, Any]) -> tuple[int, int]:
    at = written["timestamp"]
    return -at["seconds"], -at["nanos"]


def _bounded(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    size = 0
    for each in results[:MOST_ENTRIES]:
        size += len(msgspec.json.encode(each))
        if size > MOST_BYTES:
            break
        kept.append(each)
    return kept


def _summary(results: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    summary = {"pass": 0, "fail": 0, "warn": 0, "error": 0, "skip": 0}
    for each in results:
        summary[each["result"]] += 1
    return summary
