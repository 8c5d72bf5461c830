"""The Secret that cert-manager keeps: whom clients shall trust. Its certificate is mounted into the pod as files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime

import structlog
from cryptography import x509

from webhook.certificates import CertificateError
from webhook.cluster.certificate_material import AUTHORITIES, authorities_in, bundle_of, secret_value
from webhook.cluster.certificate_rotation import RETIREMENT
from webhook.cluster.client import ClusterClient
from webhook.cluster.informer import Informer
from webhook.observe.metrics import Metrics

log = structlog.stdlib.get_logger(__name__)


class IssuerSecret:
    """The authorities in `ca.crt` of a Secret, and for a while those that were there before.

    When cert-manager renews its authority, the kubelet may take two minutes to exchange the mounted certificate.
    """

    def __init__(
        self,
        client: ClusterClient,
        namespace: str,
        name: str,
        on_change: Callable[[], None],
        metrics: Metrics | None = None,
    ) -> None:
        """`on_change` is called whenever the Secret names other authorities."""
        self._key = (namespace, name)
        self._on_change = on_change
        self._current: frozenset[x509.Certificate] = frozenset()
        self._former: dict[x509.Certificate, float] = {}
        self._informer = Informer(
            client,
            f"/api/v1/namespaces/{namespace}/secrets",
            self._look,
            field_selector=f"metadata.name={name}",
            metrics=metrics,
        )

    @property
    def bundle(self) -> bytes | None:
        """The authorities that clients shall trust, PEM; None until the Secret was seen."""
        if not self._current:
            return None
        now = asyncio.get_running_loop().time()
        return bundle_of(self._current | {each for each, until in self._former.items() if now < until})

    @property
    def authority_expires(self) -> datetime | None:
        """When the first of the present authorities ends; None until the Secret was seen."""
        return min((each.not_valid_after_utc for each in self._current), default=None)

    async def run(self) -> None:
        """Follow the Secret until cancelled."""
        await self._informer.run()

    def _look(self) -> None:
        try:
            authorities = authorities_in(secret_value(self._informer.store.get(self._key, {}), AUTHORITIES))
        except CertificateError as error:
            log.warning("the issuer's Secret names no authority", secret="/".join(self._key), problem=str(error))
            return
        if authorities == self._current:
            return
        until = asyncio.get_running_loop().time() + RETIREMENT
        self._former |= dict.fromkeys(self._current - authorities, until)
        self._current = authorities
        self._on_change()
