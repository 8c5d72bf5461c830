"""What the leader does: it writes the webhook configurations for the served rules, and the status of each rule."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final

from rules.api import API_VERSION
from rules.native.prefilter import Mode, Prefilter
from webhook.cluster.backoff import Backoff
from webhook.cluster.client import ClusterClient
from webhook.cluster.cluster_rules import ClusterRule, Identity
from webhook.cluster.complaint import Complaint
from webhook.cluster.configurations import Endpoint, Filtering
from webhook.cluster.entries import Plan
from webhook.cluster.errors import ApiError, ClusterError
from webhook.cluster.rule_source import RULES, RuleSource
from webhook.cluster.rule_status import NOT_ASKED, RuleState, status
from webhook.cluster.webhook_config import ConfigurationWriter, Written, holds
from webhook.observe.metrics import Metrics

PERIOD: Final = 30.0
"""Seconds after which everything is compared again: somebody may have changed a configuration by hand."""


class Controller:
    """Writes into the cluster what follows from the rules."""

    def __init__(
        self,
        client: ClusterClient,
        source: RuleSource,
        endpoint: Callable[[], Awaitable[Endpoint | None]],
        metrics: Metrics,
    ) -> None:
        """`endpoint` says where the API server finds us, None if it cannot trust us yet; it may raise ClusterError."""
        self._client = client
        self._source = source
        self._endpoint = endpoint
        self._metrics = metrics
        self._writer = ConfigurationWriter(client)
        self._said: dict[str, dict[str, Any]] = {}
        self._complaint = Complaint("the status of a rule cannot be written")

    async def lead(self) -> None:
        """Work until cancelled. An error of the API is logged, and everything is tried again."""
        backoff, complaint = Backoff(), Complaint("the cluster cannot be brought up to date now")
        self._source.changed.set()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(PERIOD):
                    await self._source.changed.wait()
            self._source.changed.clear()
            try:
                await self._reconcile()
            except ClusterError as error:
                complaint.make(error)
                await asyncio.sleep(backoff.next())
                self._source.changed.set()
            else:
                backoff.reset()

    async def _reconcile(self) -> None:
        endpoint = await self._endpoint()
        if endpoint is None or self._source.unready() is not None:
            return
        planned = self._source.plan
        rules = self._source.rules.by_identity
        written = await self._writer.reconcile(planned.entries, endpoint)
        refusals = _refusals(planned, written)
        prefilters = _prefilters(planned, written)
        modes = Counter(each.mode for each in prefilters.values())
        self._metrics.prefilter(full=modes["Full"], partial=modes["Partial"], off=modes["Off"])
        configured = {
            rule.title for entry in planned.entries if entry.name not in written.refused for rule in entry.rules
        }
        uids = set(map(_uid, rules.values()))
        self._said = {uid: said for uid, said in self._said.items() if uid in uids}
        for identity, rule in rules.items():
            title = rule.served.title if rule.served else ""
            state = RuleState(
                generation=rule.generation,
                problems=rule.problems,
                served=rule.served is not None,
                remarks=planned.remarks.get(title, ()),
                configured=title in configured,
                refusal=refusals.get(title, ""),
                prefilter=prefilters.get(title, NOT_ASKED),
            )
            await self._say(identity, rule, state)

    async def _say(self, identity: Identity, rule: ClusterRule, state: RuleState) -> None:
        """Write the status of a rule, unless it says so already."""
        shown: Mapping[str, Any] = rule.manifest.get("status") or {}
        uid = _uid(rule)
        # What was written a moment ago may not have come back yet, and its times shall not move.
        after = status(state, self._said.get(uid, shown), now())
        if holds(shown, after):
            return
        kind, namespace, name = identity
        # With its uid, so that no other object of this name is meant.
        metadata = {"name": name, "uid": uid, **({"namespace": namespace} if namespace else {})}
        collection = f"namespaces/{namespace}/statusrules" if namespace else "clusterstatusrules"
        body = {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "status": after}
        try:
            await self._client.apply(f"{RULES}/{collection}/{name}/status", body)
        except ApiError as error:
            if error.retryable:
                raise
            if error.status != HTTPStatus.NOT_FOUND:  # deleted since
                self._complaint.make(error)
        else:
            self._said[uid] = after


def _refusals(planned: Plan, written: Written) -> dict[str, str]:
    return {
        rule.title: written.refused[entry.name]
        for entry in planned.entries
        if entry.name in written.refused
        for rule in entry.rules
    }


def _prefilters(planned: Plan, written: Written) -> dict[str, Prefilter]:
    """Return what the API server decides of each rule by itself."""
    found = dict(planned.prefilters)
    for entry in planned.entries:
        taken = written.filtering.get(entry.name, Filtering.WHOLE)
        if taken is Filtering.WHOLE or entry.suspect(lists=True) is None:
            continue
        for rule in entry.rules:
            mode: Mode = "Partial" if taken is Filtering.WITHOUT_LISTS else "Off"
            found[rule.title] = Prefilter(mode, taken.value)
    return found


def _uid(rule: ClusterRule) -> str:
    return str(rule.manifest["metadata"]["uid"])


def now() -> str:
    """Return the wall clock as Kubernetes writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
