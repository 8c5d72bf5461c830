"""The certificate that we serve, and the authorities by which the API server trusts it: our own, or cert-manager's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from webhook.certificate_files import CertificateFiles
from webhook.certificates import Certificate
from webhook.cluster.certificate_rotator import rotate
from webhook.cluster.certificate_secret import CertificateSecret
from webhook.cluster.client import ClusterClient
from webhook.cluster.issuer_secret import IssuerSecret
from webhook.observe.metrics import Metrics


class Trust(Protocol):
    """What both have in common."""

    @property
    def certificate(self) -> Certificate:
        """What connections are offered; the server follows it."""

    @property
    def bundle(self) -> bytes | None:
        """The authorities, PEM; None while they are not known."""

    async def follow(self) -> None:
        """Keep `bundle` current until cancelled, as far as following the certificate does not; or return."""

    async def rotate(self) -> None:
        """Renew the certificate whenever that is due, until cancelled; or return if others do. The leader's work."""


class OwnTrust:
    """A certificate and authorities that we make ourselves and keep in a Secret."""

    def __init__(
        self,
        client: ClusterClient,
        secret: tuple[str, str],
        names: Sequence[str],
        metrics: Metrics,
        on_change: Callable[[], None],
    ) -> None:
        """`secret`: namespace and name. `names`: those by which the API server calls us. `on_change`: for another bundle.

        Raises CannotRunError for a name that no certificate can carry.
        """
        self._client = client
        self._secret = CertificateSecret(client, *secret, names, on_change, metrics)
        _export(metrics, lambda: self._secret.expires, lambda: self._secret.authority_expires)

    @property
    def certificate(self) -> Certificate:
        """What the Secret holds, or a certificate that nobody trusts yet."""
        return self._secret

    @property
    def bundle(self) -> bytes | None:
        """The authorities, PEM; None until the Secret was seen."""
        return self._secret.bundle

    async def follow(self) -> None:
        """Return: the Secret that holds the certificate holds the authorities too."""

    async def rotate(self) -> None:
        """Rotate the certificate until cancelled."""
        await rotate(self._secret, self._client)


class IssuedTrust:
    """A certificate in mounted files, and the authorities in the Secret of which it was mounted, as cert-manager keeps them."""

    def __init__(
        self,
        client: ClusterClient,
        secret: tuple[str, str],
        files: CertificateFiles,
        metrics: Metrics,
        on_change: Callable[[], None],
    ) -> None:
        """`secret`: namespace and name. `on_change`: for another bundle."""
        self._files = files
        self._issuer = IssuerSecret(client, *secret, on_change, metrics)
        _export(metrics, lambda: files.expires, lambda: self._issuer.authority_expires)

    @property
    def certificate(self) -> Certificate:
        """What the files hold."""
        return self._files

    @property
    def bundle(self) -> bytes | None:
        """The authorities, PEM; None until the Secret was seen."""
        return self._issuer.bundle

    async def follow(self) -> None:
        """Follow the Secret until cancelled."""
        await self._issuer.run()

    async def rotate(self) -> None:
        """Return: the issuer renews it."""


def _export(metrics: Metrics, serving: Callable[[], datetime], authority: Callable[[], datetime | None]) -> None:
    metrics.certificate_expiry("serving", serving)
    metrics.certificate_expiry("authority", authority)
