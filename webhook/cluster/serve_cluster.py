"""`statusguard serve` with rules from the cluster: everything put together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

import structlog
from kubernetes_asyncio.client import Configuration

from rules.api import Action
from webhook.canary import Canary
from webhook.certificate_files import CertificateFiles
from webhook.cluster.access import access
from webhook.cluster.canary_write import CanaryWrite
from webhook.cluster.client import ClusterClient
from webhook.cluster.configurations import Endpoint
from webhook.cluster.control import Controller
from webhook.cluster.entries import Policy
from webhook.cluster.incident_sinks import Telling, telling
from webhook.cluster.leader import Leader, new_identity
from webhook.cluster.owner import Owner
from webhook.cluster.rule_source import RuleSource
from webhook.cluster.trust import IssuedTrust, OwnTrust, Trust
from webhook.errors import CannotRunError, InputError
from webhook.greeting import Greeting
from webhook.observe.metrics import Metrics
from webhook.reviewer import RuleReviewer
from webhook.rule_review import EntryReviewer, RuleObjectReviewer
from webhook.server import ServerConfig, serve
from webhook.ui.of_cluster import of_cluster
from webhook.ui.site import Site

WIND_UP: Final = 5.0
"""Seconds that the work in the cluster gets to end, of which giving back the Lease may take two. What has not ended by then
never will: that is a bug, for which no request under way shall wait until the kubelet kills us."""

_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """Who and where we are in the cluster; see `webhook.settings` for each."""

    namespace: str
    service: str
    service_port: int
    secret: str
    cluster_role: str
    url: str | None
    policy: Policy
    certificate_files: CertificateFiles | None
    action: Action | None = None
    telling: Telling = field(default_factory=Telling)

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which the API server calls us."""
        service = f"{self.service}.{self.namespace}.svc"
        host = urlsplit(self.url).hostname if self.url else None
        return (service, f"{service}.cluster.local", *([host] if host else []))


async def serve_cluster(
    settings: ClusterSettings,
    config: ServerConfig,
    reviewer: RuleReviewer,
    metrics: Metrics,
    stop: asyncio.Event,
    site: Site | None = None,
    *,
    greeting: Greeting,
) -> None:
    """Serve until `stop` is set; `site` is what `/ui` shows, and `greeting` says that we listen.

    Raises CannotRunError without access to a cluster, or without a port.
    """
    async with ClusterClient(await _access()) as client, telling(settings.telling, client, reviewer, metrics):
        source = RuleSource(client, reviewer, metrics, settings.policy, settings.action)
        trust = _trust(client, settings, metrics, source.changed.set)
        canary = Canary()

        def unready() -> str | None:
            if trust.bundle is None:
                return "waiting for the certificate"
            return source.unready() or canary.problem()

        routed = EntryReviewer(RuleObjectReviewer(metrics), reviewer)
        leader = Leader(client, settings.namespace, new_identity())
        if site is not None:
            site.inventory = lambda: of_cluster(
                source, settings.action, trust.certificate, unready(), leads=leader.is_leader
            )
        server = await serve(config, routed, certificate=trust.certificate, metrics=metrics, unready=unready, site=site)
        greeting.of_cluster(server.port, server.ops_port)
        tasks = [
            asyncio.create_task(source.run(), name="rules"),
            asyncio.create_task(trust.follow(), name="authorities"),
            asyncio.create_task(leader.run(lambda: _lead(client, settings, source, trust, metrics)), name="leader"),
        ]
        for task in tasks:
            task.add_done_callback(_report)
        await stop.wait()
        # The Lease is given back first: while we drain, another leads.
        for task in tasks:
            task.cancel()
        _, endless = await asyncio.wait(tasks, timeout=WIND_UP)
        for task in endless:
            _logger.error("a bug: part of the work does not end, the server stops without it", part=task.get_name())
        await server.drain()


async def _lead(
    client: ClusterClient, settings: ClusterSettings, source: RuleSource, trust: Trust, metrics: Metrics
) -> None:
    """Do what only one replica does, until cancelled."""
    owner = Owner(client, settings.cluster_role)

    async def endpoint() -> Endpoint | None:
        bundle = trust.bundle
        if bundle is None:
            return None
        reference = await owner.reference()
        return Endpoint(bundle, settings.namespace, settings.service, settings.service_port, settings.url, reference)

    canary_write = CanaryWrite(client, source.any_cluster_rule)
    metrics.canary(lambda: canary_write.refused)
    metrics.leader(leads=True)
    try:
        async with asyncio.TaskGroup() as work:
            work.create_task(Controller(client, source, endpoint, metrics).lead())
            work.create_task(trust.rotate())
            work.create_task(canary_write.run())
    finally:
        metrics.leader(leads=False)
        metrics.prefilter(full=0, partial=0, off=0)


def _trust(client: ClusterClient, settings: ClusterSettings, metrics: Metrics, on_change: Callable[[], None]) -> Trust:
    secret = (settings.namespace, settings.secret)
    if settings.certificate_files is None:
        return OwnTrust(client, secret, settings.names, metrics, on_change)
    return IssuedTrust(client, secret, settings.certificate_files, metrics, on_change)


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        _logger.error(
            "a bug: part of the work has ended, what was served is served on", part=task.get_name(), exc_info=error
        )


def policy(guarded: list[str], namespaced_deny: list[str]) -> Policy:
    """Return what settings allow: each is a list of `resource.group`, `pods` alone for the core group, `*` for any.

    Raises InputError.
    """
    return Policy(frozenset(map(_pair, guarded)), frozenset(map(_pair, namespaced_deny)))


def _pair(written: str) -> tuple[str, str]:
    if written == "*":
        return "*", "*"
    resource, _, group = written.partition(".")
    if not resource:
        raise InputError(f"{written!r} is no resource: write resource.group, as deployments.apps")
    return group, resource


async def _access() -> Configuration:
    try:
        return await access()
    except CannotRunError as error:
        raise CannotRunError(f"without --rules PATH the rules are the cluster's: {error}") from error
