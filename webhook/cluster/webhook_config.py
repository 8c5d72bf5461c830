"""Keeps the ValidatingWebhookConfigurations what the rules say. Done by the leader, with server-side apply.

Each entry is tried by dry-run before it is written, with its caBundle in the same write; equal configurations are not written;
those that no rule needs any more are deleted. A configuration is never wider for a moment: it is replaced whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import structlog

from webhook.cluster.client import ClusterClient
from webhook.cluster.configurations import LABELS, Endpoint, Filtering, configuration, configurations, name_of
from webhook.cluster.entries import Entry
from webhook.cluster.errors import ApiError

PATH: Final = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
SELECTOR: Final = ",".join(f"{key}={value}" for key, value in LABELS.items())

MAX_PREFILTERS: Final = 640 * 1024
"""Characters of all prefilters of one configuration: less than half of what etcd takes as one object (1.5 MiB), because each
entry has about a kilobyte beside, and a caBundle."""

INVALID: Final = frozenset({400, 422})
"""What the API server answers to an entry that it will never take."""

_logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Written:
    """What a round of reconciling did.

    `refused`: entries that the API server refuses, with why. `filtering`: how much of each entry's prefilter it takes.
    `written` and `deleted`: how many objects.
    """

    refused: dict[str, str]
    written: int
    deleted: int
    filtering: dict[str, Filtering] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class _Tried:
    """What the API server took: the entry as it should be, and what of its prefilter had to go."""

    body: dict[str, Any]
    filtering: Filtering


class ConfigurationWriter:
    """Writes configurations; remembers which entries the API server has taken already."""

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self._tried: dict[str, _Tried] = {}

    async def reconcile(self, entries: Sequence[Entry], endpoint: Endpoint) -> Written:
        """Make the cluster's configurations those of the entries. Raises what the API raises when it cannot be reached."""
        refused = await self._try(entries, endpoint)
        good = [entry for entry in entries if entry.name not in refused]
        filtering = {name: tried.filtering for name, tried in self._tried.items()}
        filtering |= dict.fromkeys(too_much(good, filtering), Filtering.TOO_MUCH)
        desired = {each["metadata"]["name"]: each for each in configurations(good, endpoint, filtering)}
        found = await self._client.list(PATH, labelSelector=SELECTOR)
        live = {each["metadata"]["name"]: each for each in found.items}
        written, failed = 0, None
        for name, body in desired.items():
            if name not in live or not holds(live[name], body):
                try:
                    await self._client.apply(f"{PATH}/{name}", body)
                    written += 1
                except ApiError as error:
                    failed = failed or error  # the other API groups shall not wait for this one
        gone = live.keys() - desired.keys()
        for name in sorted(gone):
            await self._client.delete(f"{PATH}/{name}")
        if failed is not None:
            raise failed
        if written or gone:
            _logger.info("webhook configurations written", written=written, deleted=len(gone), entries=len(good))
        return Written(refused, written, len(gone), filtering)

    async def _try(self, entries: Sequence[Entry], endpoint: Endpoint) -> dict[str, str]:
        """Return the entries that the API server refuses, with why: one bad expression must not cost the others."""
        refused: dict[str, str] = {}
        tried: dict[str, _Tried] = {}
        for entry in entries:
            body = configuration(entry.key.group, [entry], endpoint)
            known = self._tried.get(entry.name)
            if known is not None and known.body == body:
                tried[entry.name] = known
                continue
            why = await self._refusal(entry, endpoint, Filtering.WHOLE)
            filtering = Filtering.WHOLE
            if why is not None and entry.suspect(lists=True) is not None:
                filtering, why = await self._lesser(entry, endpoint, why)
            if why is None:
                tried[entry.name] = _Tried(body, filtering)
            else:
                refused[entry.name] = why
        self._tried = tried
        return refused

    async def _lesser(self, entry: Entry, endpoint: Endpoint, why: str) -> tuple[Filtering, str | None]:
        """Return how much of a prefilter the API server takes after all, and why it takes nothing of the entry, if so."""
        last: str | None = why
        for filtering in (Filtering.WITHOUT_LISTS, Filtering.NONE):
            last = await self._refusal(entry, endpoint, filtering)
            if last is None:
                _logger.warning("the API server refuses a prefilter", entry=entry.name, error=why, left=filtering.value)
                return filtering, None
        return Filtering.NONE, last

    async def _refusal(self, entry: Entry, endpoint: Endpoint, filtering: Filtering) -> str | None:
        """Return why the API server refuses an entry, None if it takes it."""
        name = f"{name_of(entry.key.group)}-try"
        body = configuration(entry.key.group, [entry], endpoint, {entry.name: filtering})
        body["metadata"]["name"] = name
        try:
            await self._client.apply(f"{PATH}/{name}", body, dry_run=True)
        except ApiError as error:
            if error.status not in INVALID:
                raise
            return str(error)
        return None


def too_much(entries: Sequence[Entry], filtering: Mapping[str, Filtering]) -> list[str]:
    """Return the entries that go without their prefilter, so that each configuration fits into one object.

    The largest go first, those of StatusRules before all others: no namespace's owner shall cost anybody else his.
    """
    found: list[str] = []
    by_group: dict[str, list[Entry]] = {}
    for entry in entries:
        by_group.setdefault(entry.key.group, []).append(entry)
    for sharing in by_group.values():
        sizes = {
            each.name: len(each.suspect(lists=True) or "")
            for each in sharing
            if filtering.get(each.name, Filtering.WHOLE) in {Filtering.WHOLE, Filtering.WITHOUT_LISTS}
        }
        excess = sum(sizes.values()) - MAX_PREFILTERS
        for each in sorted(
            sharing, key=lambda entry: (entry.key.namespace == "", -sizes.get(entry.name, 0), entry.name)
        ):
            if excess <= 0:
                break
            if sizes.get(each.name):
                found.append(each.name)
                excess -= sizes[each.name]
    return found


def holds(live: Any, desired: Any) -> bool:
    """Tell whether a live object says all that is desired; the API server may have added defaults of its own."""
    if isinstance(desired, dict):
        return isinstance(live, dict) and all(
            holds(live[name], value) if name in live else value in ({}, [], None) for name, value in desired.items()
        )
    if isinstance(desired, list):
        return isinstance(live, list) and len(live) == len(desired) and all(map(holds, live, desired))
    return bool(live == desired)
