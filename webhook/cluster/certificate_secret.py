"""The Secret with our own certificate: every replica serves what it holds, and follows it without dropping a connection."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Final

import structlog

from webhook.certificates import CertificateError, self_signed, server_context
from webhook.cluster.backoff import Backoff
from webhook.cluster.certificate_material import Issued, Material, issued, material_of, secret_data
from webhook.cluster.client import ClusterClient
from webhook.cluster.complaint import Complaint
from webhook.cluster.configurations import LABELS
from webhook.cluster.errors import ApiError, ClusterError
from webhook.cluster.informer import Informer
from webhook.cluster.payloads import Object
from webhook.observe.metrics import Metrics

TYPE: Final = "kubernetes.io/tls"

log = structlog.stdlib.get_logger(__name__)


class CertificateSecret:
    """Our certificate as a Secret holds it; the first replica makes the Secret.

    Until the Secret was seen, `material` and `bundle` are None, and connections are offered a certificate that nobody trusts
    yet. When the Secret is deleted or spoilt later, what it held last is served on.
    """

    def __init__(
        self,
        client: ClusterClient,
        namespace: str,
        name: str,
        names: Sequence[str],
        on_change: Callable[[], None],
        metrics: Metrics | None = None,
    ) -> None:
        """`names` are those by which clients call us. `on_change` is called whenever `bundle` is another one.

        Raises CannotRunError for a name that no certificate can carry.
        """
        self._client = client
        self._collection = f"/api/v1/namespaces/{namespace}/secrets"
        self._key = (namespace, name)
        self._names = tuple(names)
        self._on_change = on_change
        self._serving = self.issue()
        self._context = server_context(self._serving.pair)
        self._material: Material | None = None
        self._informer = Informer(
            client, self._collection, self._look, field_selector=f"metadata.name={name}", metrics=metrics
        )
        self._secret: Object | None = None
        self.intact = False
        """Whether the Secret is there and usable, as far as we know."""

    @property
    def context(self) -> ssl.SSLContext:
        """The TLS settings for the next connection."""
        return self._context

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which clients call us."""
        return self._names

    @property
    def material(self) -> Material | None:
        """What the Secret held when it was last usable."""
        return self._material

    @property
    def bundle(self) -> bytes | None:
        """The authorities that clients shall trust, PEM; None until the Secret was seen."""
        return self._material.bundle if self._material else None

    @property
    def expires(self) -> datetime:
        """When the certificate that is served ends."""
        return self._serving.leaf.not_valid_after_utc

    @property
    def authority_expires(self) -> datetime:
        """When the authority of the certificate that is served ends."""
        return self._serving.authority.not_valid_after_utc

    def issue(self) -> Issued:
        """Make another pair with an authority of its own."""
        return issued(self_signed(self._names))

    async def follow(self) -> None:
        """Make the Secret unless it is there, then take up what it holds, until cancelled."""
        backoff, complaint = Backoff(), Complaint("there is no certificate Secret yet")
        while self._material is None:
            try:
                await self._found()
            except ClusterError as error:
                complaint.make(error)
            if self._material is None:
                await asyncio.sleep(backoff.next())
        await self._informer.run()

    async def write(self, material: Material) -> None:
        """Write the Secret; it is taken up when the API server reports it.

        Raises ClusterError; status 409 if anybody else has written since we last saw the Secret.
        """
        await self._write(material, self._secret)

    async def _found(self) -> None:
        """Read the Secret, or write the first one. Raises ClusterError, also if another replica was faster."""
        secret: Object | None = None
        try:
            secret = await self._client.get(f"{self._collection}/{self._key[1]}")
        except ApiError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
        if secret is not None:
            self._take_up(secret)
        if not self.intact:
            self._take_up(await self._write(Material(self._serving), secret))

    async def _write(self, material: Material, secret: Object | None) -> Object:
        namespace, name = self._key
        if secret is not None:
            body = {**secret, "data": secret_data(material)}
            return await self._client.replace(f"{self._collection}/{name}", body)
        body = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": namespace, "labels": LABELS},
            "type": TYPE,
            "data": secret_data(material),
        }
        return await self._client.create(self._collection, body)

    def _look(self) -> None:
        secret = self._informer.store.get(self._key)
        if secret is not None:
            self._take_up(secret)
            return
        self._secret, self.intact = None, False
        log.warning("the certificate Secret is gone, what it held is served on")

    def _take_up(self, secret: Object) -> None:
        self._secret = secret
        try:
            material = material_of(secret)
            self._serve(material.serving)
        except CertificateError as error:
            self.intact = False
            log.warning("the certificate Secret cannot be used, what was served is served on", problem=str(error))
            return
        before, self._material, self.intact = self.bundle, material, True
        if material.bundle != before:
            self._on_change()

    def _serve(self, serving: Issued) -> None:
        if serving.pair != self._serving.pair:
            # A new context each time: one that is loaded anew would mix what it offers with what it offered before.
            self._context = server_context(serving.pair)
            self._serving = serving
            log.info("certificate taken up", expires=serving.expires.isoformat())
