"""Rotates the certificate in our Secret. Done by the leader; of two leaders one gets a conflict and looks again."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import structlog

from webhook.cluster.certificate_rotation import Rotation
from webhook.cluster.certificate_secret import CertificateSecret
from webhook.cluster.client import ClusterClient
from webhook.cluster.complaint import Complaint
from webhook.cluster.errors import ClusterError
from webhook.cluster.payloads import Object
from webhook.cluster.webhook_config import PATH, SELECTOR

INTERVAL: Final = 2.0
"""Seconds between two looks. One costs nothing while no pair is staged, and a list of a few configurations otherwise."""

log = structlog.stdlib.get_logger(__name__)


async def rotate(secret: CertificateSecret, client: ClusterClient) -> None:
    """Rotate the certificate whenever that is due, and mend the Secret, until cancelled."""
    rotation = Rotation(secret.issue, secret.names)
    complaint = Complaint("the certificate cannot be rotated now")
    while True:
        await asyncio.sleep(INTERVAL)
        try:
            await _look(secret, client, rotation)
        except ClusterError as error:
            complaint.make(error)


async def _look(secret: CertificateSecret, client: ClusterClient, rotation: Rotation) -> None:
    material = secret.material
    if material is None:
        return
    if secret.intact:
        bundles = await _configured_bundles(client) if material.staged else ()
        now = asyncio.get_running_loop().time()
        wanted = rotation.next(material, bundles, now=now, today=datetime.now(UTC))
    else:
        wanted = rotation.restored(material)
    if wanted is not None:
        await secret.write(wanted)
        log.info(
            "certificate Secret written",
            serving_until=wanted.serving.expires.isoformat(),
            staged=wanted.staged is not None,
            formerly_trusted=len(wanted.former),
        )


async def _configured_bundles(client: ClusterClient) -> frozenset[bytes]:
    """Return the caBundles of all entries in our configurations."""
    listing = await client.list(PATH, labelSelector=SELECTOR)
    return frozenset(bundle for configuration in listing.items for bundle in _bundles_of(configuration))


def _bundles_of(configuration: Object) -> Iterator[bytes]:
    for webhook in configuration.get("webhooks") or ():
        written = webhook.get("clientConfig", {}).get("caBundle") or ""
        try:
            yield base64.b64decode(written, validate=True)
        except (binascii.Error, ValueError):
            yield b""
