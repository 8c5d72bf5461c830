"""Who owns what we write into the cluster: our ClusterRole. What belongs to it is removed with it, by the garbage collector."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, Final

import structlog

from webhook.cluster.backoff import Backoff
from webhook.cluster.client import ClusterClient
from webhook.cluster.errors import ApiError, ClusterError

CLUSTER_ROLES: Final = "/apis/rbac.authorization.k8s.io/v1/clusterroles"

_logger = structlog.stdlib.get_logger(__name__)


async def owner_reference(client: ClusterClient, name: str) -> dict[str, Any] | None:
    """Return the ownerReference to our ClusterRole, None if there is none or we may not read it.

    Waits while the API server cannot say: a configuration without it outlives an uninstall.
    """
    backoff = Backoff()
    while True:
        try:
            found = await client.get(f"{CLUSTER_ROLES}/{name}")
        except ClusterError as error:
            if error.retryable:
                await asyncio.sleep(backoff.next())
                continue
            if not (isinstance(error, ApiError) and error.status == HTTPStatus.NOT_FOUND):
                _logger.warning("our ClusterRole cannot be read, what we write outlives an uninstall", error=str(error))
            return None
        return {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "name": name,
            "uid": found["metadata"]["uid"],
        }
