"""Who owns what we write into the cluster: our ClusterRole. What belongs to it is removed with it, by the garbage collector."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from webhook.cluster.client import ClusterClient
from webhook.cluster.complaint import Complaint
from webhook.cluster.errors import ApiError

CLUSTER_ROLES: Final = "/apis/rbac.authorization.k8s.io/v1/clusterroles"


class Owner:
    """Our ClusterRole. It is looked up anew each time: it may have been made anew, and what belongs to the former one goes."""

    def __init__(self, client: ClusterClient, name: str) -> None:
        self._client = client
        self._name = name
        self._complaint = Complaint("our ClusterRole cannot be read, what is written outlives an uninstall")

    async def reference(self) -> dict[str, Any] | None:
        """Return an ownerReference, None if there is no such ClusterRole or if we may not read it. Raises ClusterError."""
        try:
            found = await self._client.get(f"{CLUSTER_ROLES}/{self._name}")
        except ApiError as error:
            if error.retryable:
                raise
            if error.status != HTTPStatus.NOT_FOUND:
                self._complaint.make(error)
            return None
        return {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "name": self._name,
            "uid": found["metadata"]["uid"],
        }
