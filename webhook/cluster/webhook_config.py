"""Keeps the ValidatingWebhookConfigurations what the rules say. Done by the leader, with server-side apply.

Each entry is tried by dry-run before it is written, with its caBundle in the same write; equal configurations are not written;
those that no rule needs any more are deleted. A configuration is never wider for a moment: it is replaced whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog

from webhook.cluster.client import ClusterClient
from webhook.cluster.configurations import LABELS, Endpoint, configuration, configurations, name_of
from webhook.cluster.entries import Entry
from webhook.cluster.errors import ApiError

PATH: Final = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
SELECTOR: Final = ",".join(f"{key}={value}" for key, value in LABELS.items())

INVALID: Final = frozenset({400, 422})
"""What the API server answers to an entry that it will never take."""

_logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Written:
    """What a round of reconciling did: entries that the API server refuses, with why, and how many objects were written."""

    refused: dict[str, str]
    written: int
    deleted: int


class ConfigurationWriter:
    """Writes configurations; remembers which entries the API server has taken already."""

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self._tried: dict[str, dict[str, Any]] = {}

    async def reconcile(self, entries: Sequence[Entry], endpoint: Endpoint) -> Written:
        """Make the cluster's configurations those of the entries. Raises what the API raises when it cannot be reached."""
        refused = await self._try(entries, endpoint)
        good = [entry for entry in entries if entry.name not in refused]
        desired = {each["metadata"]["name"]: each for each in configurations(good, endpoint)}
        found = await self._client.list(PATH, labelSelector=SELECTOR)
        live = {each["metadata"]["name"]: each for each in found.items}
        written = 0
        for name, body in desired.items():
            if name not in live or not holds(live[name], body):
                await self._client.apply(f"{PATH}/{name}", body)
                written += 1
        gone = live.keys() - desired.keys()
        for name in sorted(gone):
            await self._client.delete(f"{PATH}/{name}")
        if written or gone:
            _logger.info("webhook configurations written", written=written, deleted=len(gone), entries=len(good))
        return Written(refused, written, len(gone))

    async def _try(self, entries: Sequence[Entry], endpoint: Endpoint) -> dict[str, str]:
        """Return the entries that the API server refuses, with why: one bad expression must not cost the others."""
        refused: dict[str, str] = {}
        tried: dict[str, dict[str, Any]] = {}
        for entry in entries:
            body = configuration(entry.key.group, [entry], endpoint)
            if self._tried.get(entry.name) != body:
                body["metadata"]["name"] = f"{name_of(entry.key.group)}-try"
                try:
                    await self._client.apply(f"{PATH}/{body['metadata']['name']}", body, dry_run=True)
                except ApiError as error:
                    if error.status not in INVALID:
                        raise
                    refused[entry.name] = str(error)
                    continue
                body["metadata"]["name"] = name_of(entry.key.group)
            tried[entry.name] = body
        self._tried = tried
        return refused


def holds(live: Any, desired: Any) -> bool:
    """Tell whether a live object says all that is desired; the API server may have added defaults of its own."""
    if isinstance(desired, dict):
        return isinstance(live, dict) and all(
            holds(live[name], value) if name in live else value in ({}, [], None) for name, value in desired.items()
        )
    if isinstance(desired, list):
        return isinstance(live, list) and len(live) == len(desired) and all(map(holds, live, desired))
    return bool(live == desired)
