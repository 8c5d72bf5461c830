from __future__ import annotations

import pytest

from tests.webhook.running import LogCapture
from webhook.cluster.client import ClusterClient
from webhook.cluster.errors import ApiError, UnreachableError
from webhook.cluster.owner import CLUSTER_ROLES, Owner

from .fake_api import FakeApi
from .faults import status

ROLE = f"{CLUSTER_ROLES}/statusguard"


def make(api: FakeApi) -> str:
    """Make our ClusterRole, and return its uid."""
    return str(api.apply(ROLE, {"kind": "ClusterRole", "metadata": {"name": "statusguard"}})["metadata"]["uid"])


async def test_it_is_our_cluster_role(api: FakeApi, client: ClusterClient) -> None:
    uid = make(api)
    assert await Owner(client, "statusguard").reference() == {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "name": "statusguard",
        "uid": uid,
    }


async def test_one_that_was_made_anew_is_another(api: FakeApi, client: ClusterClient) -> None:
    owner = Owner(client, "statusguard")
    former = make(api)
    await owner.reference()
    api.delete(ROLE)
    assert await owner.reference() is None
    again = make(api)
    reference = await owner.reference()
    assert reference is not None
    assert reference["uid"] == again != former


async def test_who_may_not_read_it_does_without_and_says_so(
    api: FakeApi, client: ClusterClient, log: LogCapture
) -> None:
    api.fault("get", status(403, "Forbidden", "no"), status(403, "Forbidden", "no"))
    owner = Owner(client, "statusguard")
    assert await owner.reference() is None
    assert await owner.reference() is None
    (said,) = log.named("our ClusterRole cannot be read, what is written outlives an uninstall")
    assert "Forbidden" in said["error"]


async def test_what_may_be_otherwise_soon_is_no_answer(api: FakeApi, client: ClusterClient) -> None:
    owner = Owner(client, "statusguard")
    api.fault("get", status(503, "ServiceUnavailable"))
    with pytest.raises(ApiError):
        await owner.reference()
    api.down = True
    with pytest.raises(UnreachableError):
        await owner.reference()
