"""Rules from the cluster into the running server.

Informers on both kinds of rules, and on namespaces for their labels; the rule set and its entries are exchanged whole. Through
any outage the last good rules are served.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import structlog

from rules.api import API_VERSION, Action
from rules.compile import CompiledRule
from rules.matching import labels_of
from rules.native.prefilter import prefilter_of
from rules.ruleset import RuleSet
from webhook.cluster import canary_write
from webhook.cluster.client import ClusterClient
from webhook.cluster.cluster_rules import ClusterRules
from webhook.cluster.entries import Plan, Policy, plan, rule_sets
from webhook.cluster.informer import Informer
from webhook.observe.metrics import Metrics
from webhook.observe.rule_labels import labels_of as series_of
from webhook.reviewer import RuleReviewer

RULES: Final = f"/apis/{API_VERSION}"
NAMESPACES: Final = "/api/v1/namespaces"

SETTLE_SECONDS: Final = 0.1
"""How long changes are gathered before rules are exchanged: a `kubectl apply` of many is one change."""

_logger = structlog.get_logger()


class RuleSource:
    """Follows the rules of a cluster; `changed` is set whenever something is different for the leader to write."""

    def __init__(
        self, client: ClusterClient, reviewer: RuleReviewer, metrics: Metrics, policy: Policy, action: Action | None
    ) -> None:
        self.rules = ClusterRules()
        self.plan = Plan(())
        self.changed = asyncio.Event()
        self._reviewer = reviewer
        self._metrics = metrics
        self._policy = policy
        self._action = action
        self._stirred = asyncio.Event()
        self._due = True
        self._taken_up = False
        self._informers = [
            Informer(client, f"{RULES}/{plural}", self._stirred.set, metrics=metrics)
            for plural in ("clusterstatusrules", "statusrules")
        ]
        self._namespaces = Informer(client, NAMESPACES, self._namespaces_moved, metrics=metrics)
        reviewer.namespace_labels = self._labels

    async def run(self) -> None:
        """Follow the rules until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for informer in (*self._informers, self._namespaces):
                tasks.create_task(informer.run())
            tasks.create_task(self._exchange())

    def unready(self) -> str | None:
        """Return what is waited for, or None once all was seen for the first time and is judged by."""
        if not self._taken_up:
            return "waiting for the rules"
        return None if self._namespaces.synced.is_set() else "waiting for the namespaces"

    def any_cluster_rule(self) -> Mapping[str, Any] | None:
        """Return the manifest of some ClusterStatusRule, None if there is none."""
        found = (rule.manifest for (kind, *_), rule in self.rules.by_identity.items() if kind == "ClusterStatusRule")
        return next(found, None)

    async def _exchange(self) -> None:
        while True:
            await self._stirred.wait()
            await asyncio.sleep(SETTLE_SECONDS)
            self._stirred.clear()
            if not all(informer.synced.is_set() for informer in self._informers):
                continue  # half of the rules would be taken for all of them
            try:
                await self._follow()
            except Exception:
                _logger.exception("a bug while taking up rules, the last good ones are served")

    async def _follow(self) -> None:
        self._due = self._update() or self._due
        if self._due:
            served = [rule.with_action(self._action) for rule in self.rules.served()]
            # Some milliseconds a new rule: beside the reviews, not before them.
            await asyncio.to_thread(_make_prefilters, served)
            self._take_up(served)
            self._due, self._taken_up = False, True
            self.changed.set()

    def _namespaces_moved(self) -> None:
        """Let the leader know of the first snapshot; afterwards labels are looked up when they are asked for."""
        if not self._namespaces.synced.is_set():
            self.changed.set()

    def _update(self) -> bool:
        return self.rules.update(manifest for informer in self._informers for manifest in informer.store.values())

    def _take_up(self, served: Sequence[CompiledRule]) -> None:
        self.plan = plan(served, self._policy)
        entries = {**rule_sets(self.plan.entries), canary_write.ENTRY: canary_write.RULES}
        self._reviewer.exchange(RuleSet(served), entries)
        broken = [rule for rule in self.rules.by_identity.values() if rule.problems]
        self._metrics.declare_rules(series_of(served))
        self._metrics.rules(served=len(served), broken=len(broken))
        self._metrics.reload(success=not broken)
        _logger.info("rules loaded", served=len(served), problems=len(broken))

    def _labels(self, namespace: str) -> Mapping[str, str] | None:
        found = self._namespaces.store.get(("", namespace))
        return None if found is None else labels_of(found.get("metadata"))


def _make_prefilters(rules: Sequence[CompiledRule]) -> None:
    for rule in rules:
        prefilter_of(rule)
