"""Kubernetes' own controllers: what they write is honest, and passes; and they clear away what we leave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from .api import Api, Object, done
from .control_plane import ControlPlane
from .install import install
from .process import eventually
from .replica import Replica
from .rules import CONFIGURATIONS, COUNTERS, GENERATION, Rules, resources, rule
from .widgets import Widgets

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("e2e")]

NAMESPACE: Final = "scaled"
DEPLOYMENTS: Final = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
ROLE: Final = "/apis/rbac.authorization.k8s.io/v1/clusterroles/statusguard"
OWNED: Final = "app.kubernetes.io/managed-by=statusguard"

HONEST: Final[list[Object]] = [
    {"name": "generation", "observedGeneration": {}},
    {
        "name": "counters",
        "relation": {
            "holds": [
                "status.readyReplicas <= status.replicas",
                "status.availableReplicas <= status.readyReplicas",
            ],
            "missing": "Zero",
        },
    },
    {"name": "conditions", "conditions": {"uniqueTypes": True}},
]


@pytest.fixture(scope="module", autouse=True)
def controllers(plane: ControlPlane) -> Iterator[None]:
    with plane.controllers():
        yield


def replicas_of(admin: Api, field: str) -> int:
    return int(admin.get(f"{DEPLOYMENTS}/d").get("status", {}).get(field, 0))


def run_pods(admin: Api) -> None:
    """Do what a kubelet does: say that the pods run."""
    for pod in admin.get(PODS)["items"]:
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": pod["metadata"]["creationTimestamp"]}
        path = f"{PODS}/{pod['metadata']['name']}"
        if "deletionTimestamp" in pod["metadata"]:
            admin.call("DELETE", path, {"gracePeriodSeconds": 0})
        else:
            answer = admin.merge(f"{path}/status", {"status": {"phase": "Running", "conditions": [ready]}})
            assert answer.code in (200, 404), answer


def scale(admin: Api, replicas: int) -> None:
    """Scale, and wait until the controller says that it is done."""
    done(admin.merge(f"{DEPLOYMENTS}/d", {"spec": {"replicas": replicas}}))

    def is_done() -> bool:
        run_pods(admin)
        found = admin.get(f"{DEPLOYMENTS}/d")
        status = found.get("status", {})
        counters = {status.get(name, 0) for name in ("replicas", "readyReplicas", "availableReplicas")}
        return status.get("observedGeneration") == found["metadata"]["generation"] and counters == {replicas}

    eventually(is_done)


def test_deployments_are_scaled_under_rules_that_refuse(guard: Replica, admin: Api, rules: Rules) -> None:
    admin.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    eventually(lambda: admin.exists(f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default"))
    constraints = {"resourceRules": resources("apps", "deployments/status", "replicasets/status")}
    rules.serve(rule("apps", "apps", *HONEST, matchConstraints=constraints, failurePolicy="Fail"))
    labels = {"app": "d"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    admin.create(DEPLOYMENTS, {"metadata": {"name": "d"}, "spec": spec})
    for replicas in (1, 5, 2, 0, 3):
        scale(admin, replicas)
    judged = {"group": "apps", "dry_run": "false"}
    assert guard.count("statusguard_requests_total", verdict="allowed", **judged) > 10
    assert guard.count("statusguard_requests_total", verdict="denied", **judged) == 0
    assert guard.count("statusguard_requests_total", verdict="error", **judged) == 0
    # The rules do refuse: what the controller would never write.
    stale = admin.merge(f"{DEPLOYMENTS}/d/status", {"status": {"observedGeneration": 1}})
    assert stale.refusal == (409, "Conflict")
    assert admin.merge(f"{DEPLOYMENTS}/d/status", {"status": {"readyReplicas": 4}}).refusal == (422, "Invalid")
    scale(admin, 1)


def test_an_uninstall_leaves_no_configuration_behind(
    guard: Replica, admin: Api, widgets: Widgets, rules: Rules
) -> None:
    manifest = rule(widgets.namespace, widgets.group, GENERATION, failurePolicy="Fail")
    rules.serve(manifest)
    ours = f"{CONFIGURATIONS}?labelSelector={OWNED}"
    assert len(admin.get(ours)["items"]) == 2
    former = admin.get(ROLE)["metadata"]["uid"]
    admin.delete(ROLE)
    eventually(lambda: admin.get(ours)["items"] == [])
    # Installed anew while a replica was still running, all is as before, and stays.
    install(admin)
    rules.serve(rule(widgets.namespace, widgets.group, COUNTERS, failurePolicy="Fail"))
    (owner,) = admin.get(f"{CONFIGURATIONS}/statusguard-{widgets.group}")["metadata"]["ownerReferences"]
    assert owner["uid"] == admin.get(ROLE)["metadata"]["uid"] != former
