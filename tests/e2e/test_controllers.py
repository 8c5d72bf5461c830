"""Kubernetes' own controllers: what they write is honest, and passes; and they clear away what we leave."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final

import pytest
import yaml

from tests.library import LIBRARY

from .api import Api, done
from .control_plane import ADMIN, ControlPlane
from .install import install
from .process import eventually
from .replica import Replica
from .rules import CONFIGURATIONS, COUNTERS, GENERATION, Rules, rule
from .widgets import Widgets
from .workloads import Workloads, are_everywhere, are_ready, condition, has_reason, replicated, scaled, template

pytestmark = pytest.mark.e2e

ROLE: Final = "/apis/rbac.authorization.k8s.io/v1/clusterroles/statusguard"
OURS: Final = f"{CONFIGURATIONS}?labelSelector=app.kubernetes.io/managed-by=statusguard"

NAMESPACES = (f"controlled-{number}" for number in count(1))


@pytest.fixture(scope="module", autouse=True)
def controllers(plane: ControlPlane) -> Iterator[None]:
    with plane.controllers("--horizontal-pod-autoscaler-sync-period=1s"):
        yield


@pytest.fixture(scope="module")
def strict(guard: Replica, admin: Api) -> Iterator[None]:
    """The library's rules for Kubernetes' own controllers and those for everything, all of which refuse."""
    rules = Rules(admin)
    for name in ("kubernetes.yaml", "generic.yaml"):
        for manifest in yaml.safe_load_all((LIBRARY / name).read_text()):
            # An outage would block every write of every resource by the rules for everything: they may not fail.
            failure = "Fail" if name == "kubernetes.yaml" else "Ignore"
            # Nor is an honest write to be kept from them: what they say of it is what is tried.
            manifest["spec"] |= {"validationActions": ["Deny"], "failurePolicy": failure, "prefilter": "Off"}
            rules.serve(manifest)
    yield
    rules.delete_all()


@pytest.fixture
def workloads(strict: None, guard: Replica, admin: Api) -> Iterator[Workloads]:
    """Workloads in a namespace of their own, of whose controllers nothing is refused and nothing is reported."""
    yield Workloads.created(admin, next(NAMESPACES))
    # The administrator of the tests alone does what an honest writer would not.
    assert [event for event in guard.events("violation") if event["writer"] != ADMIN] == []
    assert guard.count("statusguard_requests_total", verdict="error") == 0


@pytest.mark.parametrize("resource", ["deployments", "statefulsets", "replicasets"])
def test_replicas_are_scaled_under_rules_that_refuse(
    guard: Replica, workloads: Workloads, admin: Api, resource: str
) -> None:
    path = workloads.create(resource, "scaled", replicated("scaled", 1))
    for replicas in (1, 4, 2, 0, 3):
        done(admin.merge(path, {"spec": {"replicas": replicas}}))
        workloads.until(path, are_ready(replicas))
    assert guard.count("statusguard_requests_total", group="apps", resource=resource, verdict="allowed") > 5
    # The rules do refuse what the controller would never write.
    assert admin.merge(f"{path}/status", {"status": {"observedGeneration": 1}}).refusal == (409, "Conflict")


@pytest.mark.parametrize("resource", ["deployments", "statefulsets"])
def test_a_new_template_is_rolled_out_and_rolled_back(workloads: Workloads, admin: Api, resource: str) -> None:
    path = workloads.create(resource, "rolled", replicated("rolled", 3))
    workloads.until(path, scaled(3))
    for seconds in (1, 30):
        done(admin.merge(path, {"spec": {"template": template("rolled", terminationGracePeriodSeconds=seconds)}}))
        workloads.until(path, scaled(3))


def test_a_rollout_is_paused_stuck_and_mended(workloads: Workloads, admin: Api) -> None:
    path = workloads.create("deployments", "stuck", replicated("stuck", 2, progressDeadlineSeconds=600))

    done(admin.merge(path, {"spec": {"paused": True}}))
    workloads.until(path, has_reason("Progressing", "DeploymentPaused"), "Pending")
    done(admin.merge(path, {"spec": {"paused": False, "progressDeadlineSeconds": 1}}))
    workloads.until(path, has_reason("Progressing", "ProgressDeadlineExceeded"), "Pending")
    workloads.until(path, scaled(2))
    workloads.until(path, has_reason("Progressing", "NewReplicaSetAvailable"))
    # Without a deadline the condition goes, which is honest.
    done(admin.merge(path, {"spec": {"progressDeadlineSeconds": 2147483647}}))
    workloads.until(path, lambda status: not condition(status, "Progressing"))


def test_daemons_come_to_nodes_and_go(workloads: Workloads, admin: Api) -> None:
    spec = replicated("daemon", 0) | {"template": template("daemon", nodeSelector={"daemons": "welcome"})}
    del spec["replicas"]
    nodes = ["/api/v1/nodes/node-1", "/api/v1/nodes/node-2"]
    for node in nodes:
        labels = {"daemons": "welcome"}
        admin.create("/api/v1/nodes", {"metadata": {"name": node.rpartition("/")[2], "labels": labels}})
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
        done(admin.merge(f"{node}/status", {"status": {"conditions": [ready]}}))
    path = workloads.create("daemonsets", "daemon", spec)
    workloads.until(path, are_everywhere(2))
    for left, node in ((1, nodes[0]), (0, nodes[1])):
        done(admin.merge(node, {"metadata": {"labels": {"daemons": None}}}))
        workloads.until(path, are_everywhere(left))
        admin.delete(node)


def test_a_job_succeeds(workloads: Workloads, admin: Api) -> None:
    spec = {"completions": 3, "parallelism": 2, "template": template("job", restartPolicy="Never")}
    path = workloads.create("jobs", "job", spec)
    workloads.until(path, lambda status: "completionTime" in status, "Succeeded")
    assert workloads.status(path)["succeeded"] == 3


def test_a_job_fails(workloads: Workloads) -> None:
    spec = {"backoffLimit": 0, "parallelism": 2, "completions": 2, "template": template("job", restartPolicy="Never")}
    path = workloads.create("jobs", "failing", spec)
    workloads.until(path, lambda status: condition(status, "Failed").get("status") == "True", "Failed")
    assert workloads.status(path)["failed"] >= 1


def test_a_job_is_suspended_resumed_and_done_by_index(workloads: Workloads, admin: Api) -> None:
    spec = {"completions": 2, "parallelism": 2, "completionMode": "Indexed"}
    path = workloads.create("jobs", "indexed", spec | {"template": template("job", restartPolicy="Never")})
    workloads.until(path, lambda status: status.get("active") == 2, "Pending")
    done(admin.merge(path, {"spec": {"suspend": True}}))
    workloads.until(path, lambda status: condition(status, "Suspended").get("status") == "True", "Pending")
    done(admin.merge(path, {"spec": {"suspend": False}}))
    workloads.until(path, lambda status: condition(status, "Complete").get("status") == "True", "Succeeded")


def test_a_cron_job_runs(workloads: Workloads, admin: Api) -> None:
    job = {"spec": {"template": template("cron", restartPolicy="Never")}}
    path = workloads.create("cronjobs", "cron", {"schedule": "* * * * *", "suspend": True, "jobTemplate": job})
    # As if it had run before: the next run is due at once, and nobody waits for the full minute.
    before = (datetime.now(UTC) - timedelta(minutes=2)).isoformat(timespec="seconds").replace("+00:00", "Z")
    done(admin.merge(f"{path}/status", {"status": {"lastScheduleTime": before}}))
    done(admin.merge(path, {"spec": {"suspend": False}}))
    workloads.until(path, lambda status: "lastSuccessfulTime" in status, "Succeeded")
    assert workloads.status(path)["lastScheduleTime"] > before


def test_evictions_within_a_budget_and_beyond(workloads: Workloads, admin: Api) -> None:
    deployment = workloads.create("deployments", "budgeted", replicated("budgeted", 3))
    workloads.until(deployment, scaled(3))
    spec = {"minAvailable": 2, "selector": {"matchLabels": {"app": "budgeted"}}}
    path = workloads.create("poddisruptionbudgets", "budget", spec)
    for _ in range(2):
        workloads.until(path, lambda status: status.get("disruptionsAllowed") == 1)
        names = [pod["metadata"]["name"] for pod in admin.get(workloads.pods)["items"]]
        assert evict(workloads, names[0]) == 201
        assert evict(workloads, names[1]) == 429
        workloads.until(deployment, scaled(3))
    done(admin.merge(path, {"spec": {"minAvailable": 1}}))
    workloads.until(path, lambda status: status.get("disruptionsAllowed") == 2)


def evict(workloads: Workloads, name: str) -> int:
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    return workloads.api.call("POST", f"{workloads.pods}/{name}/eviction", eviction).code


def test_an_autoscaler_keeps_within_its_bounds_and_misses_its_metrics(workloads: Workloads, admin: Api) -> None:
    deployment = workloads.create("deployments", "autoscaled", replicated("autoscaled", 1))
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "autoscaled"}
    spec = {"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 4}
    path = workloads.create("horizontalpodautoscalers", "autoscaler", spec)
    workloads.until(path, lambda status: "lastScaleTime" in status)
    workloads.until(deployment, scaled(2))
    workloads.until(path, lambda status: condition(status, "ScalingActive").get("status") == "False")
    done(admin.merge(path, {"spec": {"minReplicas": 3}}))
    workloads.until(path, lambda status: status.get("desiredReplicas") == 3)
    workloads.until(deployment, scaled(3))


def test_a_namespace_goes_with_all_that_is_in_it(workloads: Workloads, admin: Api) -> None:
    for resource in ("deployments", "statefulsets"):
        workloads.until(workloads.create(resource, resource, replicated(resource, 2)), scaled(2))
    budget = {"minAvailable": 1, "selector": {"matchLabels": {"app": "deployments"}}}
    workloads.create("poddisruptionbudgets", "budget", budget)
    job = {"parallelism": 2, "completions": 4, "template": template("job", restartPolicy="Never")}
    workloads.until(workloads.create("jobs", "job", job), lambda status: status.get("active") == 2)
    path = f"/api/v1/namespaces/{workloads.namespace}"
    admin.delete(path)

    def is_gone() -> bool:
        workloads.run_pods()
        return not admin.exists(path)

    eventually(is_gone)


def test_an_uninstall_leaves_no_configuration_behind(
    guard: Replica, admin: Api, widgets: Widgets, rules: Rules
) -> None:
    rules.serve(rule(widgets.namespace, widgets.group, GENERATION, failurePolicy="Fail"))
    former = admin.get(ROLE)["metadata"]["uid"]
    assert admin.get(OURS)["items"]
    admin.delete(ROLE)
    eventually(lambda: admin.get(OURS)["items"] == [])
    # Installed anew while a replica was still running, all is as before, and stays.
    install(admin)
    rules.serve(rule(widgets.namespace, widgets.group, COUNTERS, failurePolicy="Fail"))
    (owner,) = admin.get(f"{CONFIGURATIONS}/statusguard-{widgets.group}")["metadata"]["ownerReferences"]
    assert owner["uid"] == admin.get(ROLE)["metadata"]["uid"] != former
