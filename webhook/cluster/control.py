"""What the leader does: it writes the webhook configurations for the served rules, and the status of each rule."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final

import structlog

from rules.api import API_VERSION
from webhook.cluster.client import ClusterClient
from webhook.cluster.cluster_rules import ClusterRule, Identity
from webhook.cluster.configurations import Endpoint
from webhook.cluster.errors import ApiError, ClusterError
from webhook.cluster.rule_source import RULES, RuleSource
from webhook.cluster.rule_status import RuleState, status
from webhook.cluster.webhook_config import ConfigurationWriter, Written, holds

PERIOD: Final = 30.0
"""Seconds after which everything is compared again: somebody may have changed a configuration by hand."""

_logger = structlog.get_logger()


class Controller:
    """Writes into the cluster what follows from the rules. `endpoint` is None while there is no certificate to trust."""

    def __init__(self, client: ClusterClient, source: RuleSource, endpoint: Callable[[], Endpoint | None]) -> None:
        self._client = client
        self._source = source
        self._endpoint = endpoint
        self._writer = ConfigurationWriter(client)

    async def lead(self) -> None:
        """Work until cancelled. An error of the API is logged, and everything is tried again."""
        self._source.changed.set()
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._source.changed.wait(), PERIOD)
            self._source.changed.clear()
            try:
                await self._reconcile()
            except ClusterError as error:
                _logger.warning("the cluster could not be brought up to date, tried again", error=str(error))
                await asyncio.sleep(1)
                self._source.changed.set()

    async def _reconcile(self) -> None:
        endpoint = self._endpoint()
        if endpoint is None or self._source.unready() is not None:
            return
        planned = self._source.plan
        written = await self._writer.reconcile(planned.entries, endpoint)
        configured = {
            rule.title for entry in planned.entries if entry.name not in written.refused for rule in entry.rules
        }
        refusals = self._refusals(written)
        for identity, rule in self._source.rules.by_identity.items():
            title = rule.served.title if rule.served else ""
            state = RuleState(
                generation=rule.generation,
                problems=rule.problems,
                served=rule.served is not None,
                remarks=planned.remarks.get(title, ()),
                configured=title in configured,
                refusal=refusals.get(title, ""),
            )
            await self._say(identity, rule, state)

    def _refusals(self, written: Written) -> dict[str, str]:
        return {
            rule.title: written.refused[entry.name]
            for entry in self._source.plan.entries
            if entry.name in written.refused
            for rule in entry.rules
        }

    async def _say(self, identity: Identity, rule: ClusterRule, state: RuleState) -> None:
        before: Mapping[str, Any] = rule.manifest.get("status") or {}
        after = status(state, before, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        if holds(before, after):
            return
        kind, namespace, name = identity
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        collection = f"namespaces/{namespace}/statusrules" if namespace else "clusterstatusrules"

        body = {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "status": after}
        try:
            await self._client.apply(f"{RULES}/{collection}/{name}/status", body)
        except ApiError as error:
            if error.status != HTTPStatus.NOT_FOUND:  # deleted since
                raise
