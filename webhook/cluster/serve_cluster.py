"""`statusguard serve` with rules from the cluster: everything put together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import structlog

from webhook.canary import Canary
from webhook.certificate_files import CertificateFiles
from webhook.certificates import Certificate
from webhook.cluster.access import access
from webhook.cluster.certificate_rotator import rotate
from webhook.cluster.certificate_secret import CertificateSecret
from webhook.cluster.client import ClusterClient
from webhook.cluster.configurations import Endpoint
from webhook.cluster.control import Controller
from webhook.cluster.entries import Policy
from webhook.cluster.errors import ApiError, ClusterError
from webhook.cluster.issuer_secret import IssuerSecret
from webhook.cluster.leader import Leader, new_identity
from webhook.cluster.rule_source import RuleSource
from webhook.errors import InputError
from webhook.observe.metrics import Metrics
from webhook.output import error_line
from webhook.reviewer import RuleReviewer
from webhook.rule_review import EntryReviewer, RuleObjectReviewer
from webhook.server import ServerConfig, serve

CLUSTER_ROLES: Final = "/apis/rbac.authorization.k8s.io/v1/clusterroles"

_logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """Who and where we are in the cluster; see `webhook.settings` for each."""

    namespace: str
    service: str
    secret: str
    cluster_role: str
    url: str | None
    policy: Policy
    issuer_secret: str | None
    certificate_files: CertificateFiles | None
    action: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which the API server calls our Service."""
        return f"{self.service}.{self.namespace}.svc", f"{self.service}.{self.namespace}.svc.cluster.local"


class _Trust:
    """The certificate that is served, and the authorities by which the API server trusts it."""

    def __init__(self, client: ClusterClient, settings: ClusterSettings, on_change: Callable[[], None]) -> None:
        self._secret: CertificateSecret | None = None
        self._issuer: IssuerSecret | None = None
        self.certificate: Certificate
        if settings.certificate_files is None:
            self.certificate = self._secret = CertificateSecret(
                client, settings.namespace, settings.secret, settings.names, on_change
            )
        else:
            self.certificate = settings.certificate_files
            self._issuer = IssuerSecret(
                client, settings.namespace, settings.issuer_secret or settings.secret, on_change
            )
        self._client = client

    @property
    def bundle(self) -> bytes | None:
        """The authorities, PEM; None while they are not known."""
        return self._secret.bundle if self._secret else self._issuer.bundle if self._issuer else None

    async def run(self) -> None:
        """Follow the issuer's Secret; our own is followed by the server."""
        if self._issuer is not None:
            await self._issuer.run()

    async def rotate(self) -> None:
        """Rotate our own certificate; the leader's work."""
        if self._secret is not None:
            await rotate(self._secret, self._client)


async def serve_cluster(
    settings: ClusterSettings, config: ServerConfig, reviewer: RuleReviewer, metrics: Metrics, stop: asyncio.Event
) -> None:
    """Serve until `stop` is set. Raises CannotRunError without access to a cluster, or without a port."""
    async with ClusterClient(await access()) as client:
        source = RuleSource(client, reviewer, metrics, settings.policy, settings.action)
        trust = _Trust(client, settings, source.changed.set)
        canary = Canary()
        owner = _Owner(client, settings.cluster_role)

        def endpoint() -> Endpoint | None:
            bundle = trust.bundle
            if bundle is None:
                return None
            return Endpoint(bundle, settings.namespace, settings.service, url=settings.url, owner=owner.reference)

        def unready() -> str | None:
            if trust.bundle is None:
                return "waiting for the certificate"
            return source.unready() or canary.problem()

        async def lead() -> None:
            await owner.find()
            async with asyncio.TaskGroup() as work:
                work.create_task(Controller(client, source, endpoint).lead())
                work.create_task(trust.rotate())

        routed = EntryReviewer(RuleObjectReviewer(metrics), reviewer)
        server = await serve(config, routed, certificate=trust.certificate, metrics=metrics, unready=unready)
        error_line(
            f"Statusguard judges by the rules of the cluster on port {server.port}, metrics and health on {server.ops_port}"
        )
        tasks = [
            asyncio.create_task(source.run(), name="rules"),
            asyncio.create_task(trust.run(), name="trust"),
            asyncio.create_task(Leader(client, settings.namespace, new_identity()).run(lead), name="leader"),
        ]
        await stop.wait()
        # The Lease is given back first: while we drain, another leads.
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await server.drain()


class _Owner:
    """Our ClusterRole: what belongs to it is removed with it, so an uninstall leaves no configuration behind."""

    def __init__(self, client: ClusterClient, name: str) -> None:
        self._client = client
        self._name = name
        self.reference: dict[str, Any] | None = None

    async def find(self) -> None:
        """Look our ClusterRole up, if there is one."""
        try:
            found = await self._client.get(f"{CLUSTER_ROLES}/{self._name}")
        except ClusterError as error:
            if not (isinstance(error, ApiError) and error.status == HTTPStatus.NOT_FOUND):
                _logger.warning(
                    "our ClusterRole cannot be read: configurations will outlive an uninstall", error=str(error)
                )
            return
        self.reference = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "name": self._name,
            "uid": found["metadata"]["uid"],
        }


def policy(guarded: list[str], namespaced_deny: list[str]) -> Policy:
    """Return what settings allow: each is a list of `resource.group`, `pods` alone for the core group, `*` for any."""
    return Policy(frozenset(map(_pair, guarded)), frozenset(map(_pair, namespaced_deny)))


def _pair(written: str) -> tuple[str, str]:
    if written == "*":
        return "*", "*"
    resource, _, group = written.partition(".")
    if not resource:
        raise InputError(f"{written!r} is no resource: write resource.group, as deployments.apps")
    return group, resource
