"""Kubernetes' own controllers: what they write is honest, and passes; and they clear away what we leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
import yaml

from tests.library import LIBRARY

from .api import Api, Object, done
from .control_plane import CONTROLLER_MANAGER, ControlPlane
from .install import install
from .process import eventually
from .replica import Replica
from .rules import CONFIGURATIONS, COUNTERS, GENERATION, Rules, rule
from .widgets import Widgets

pytestmark = pytest.mark.e2e

NAMESPACE: Final = "controlled"
PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
ROLE: Final = "/apis/rbac.authorization.k8s.io/v1/clusterroles/statusguard"
OURS: Final = f"{CONFIGURATIONS}?labelSelector=app.kubernetes.io/managed-by=statusguard"


@pytest.fixture(scope="module", autouse=True)
def controllers(plane: ControlPlane) -> Iterator[None]:
    with plane.controllers():
        yield


@pytest.fixture(scope="module")
def strict(guard: Replica, admin: Api) -> Iterator[None]:
    """The library's rules for Kubernetes' own controllers, all of which refuse, and a namespace to work in."""
    rules = Rules(admin)
    for manifest in yaml.safe_load_all((LIBRARY / "kubernetes.yaml").read_text()):
        manifest["spec"] |= {"validationActions": ["Deny"], "failurePolicy": "Fail"}
        rules.serve(manifest)
    admin.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    eventually(lambda: admin.exists(f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default"))
    yield
    rules.delete_all()


def collection(resource: str) -> str:
    group = "batch" if resource == "jobs" else "apps"
    return f"/apis/{group}/v1/namespaces/{NAMESPACE}/{resource}"


def template(app: str, **spec: Any) -> Object:
    """Return pods to make."""
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": "i"}], **spec}}


def workload(app: str, replicas: int) -> Object:
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": app}}, "template": template(app)}
    return {"metadata": {"name": app}, "spec": spec}


def run_pods(admin: Api, phase: str = "Running") -> None:
    """Do what kubelets do: say of each pod that it runs, and let go of those that shall end."""
    for pod in admin.get(PODS)["items"]:
        path = f"{PODS}/{pod['metadata']['name']}"
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": pod["metadata"]["creationTimestamp"]}
        if "deletionTimestamp" in pod["metadata"]:
            admin.call("DELETE", path, {"gracePeriodSeconds": 0})
        elif pod["status"]["phase"] != phase:
            answer = admin.merge(f"{path}/status", {"status": {"phase": phase, "conditions": [ready]}})
            assert answer.code in (200, 404), answer


def until(admin: Api, path: str, is_done: Callable[[Object], bool], phase: str = "Running") -> None:
    """Be the kubelets until the controller has seen the present spec, and says that it is done."""

    def reached() -> bool:
        run_pods(admin, phase)
        found = admin.get(path)
        generation, status = found["metadata"]["generation"], found.get("status", {})
        return status.get("observedGeneration", generation) == generation and is_done(status)

    eventually(reached)


def scaled(replicas: int) -> Callable[[Object], bool]:
    def is_done(status: Object) -> bool:
        counters = ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas")
        return {status.get(name, 0) for name in counters} == {replicas}

    return is_done


def refused(guard: Replica) -> list[Object]:
    """Return what Kubernetes' own controllers were refused."""
    return [each for each in guard.events("violation") if each["writer"] == CONTROLLER_MANAGER]


@pytest.mark.parametrize("resource", ["deployments", "statefulsets"])
def test_replicas_are_scaled_under_rules_that_refuse(guard: Replica, strict: None, admin: Api, resource: str) -> None:
    path = f"{collection(resource)}/{resource}"
    admin.create(collection(resource), workload(resource, 1))
    for replicas in (1, 4, 2, 0, 3):
        done(admin.merge(path, {"spec": {"replicas": replicas}}))
        until(admin, path, scaled(replicas))
    done(admin.merge(path, {"spec": {"template": template(resource, terminationGracePeriodSeconds=1)}}))
    until(admin, path, scaled(3))
    assert refused(guard) == []
    assert guard.count("statusguard_requests_total", group="apps", resource=resource, verdict="allowed") > 5
    # The rules do refuse what the controller would never write.
    assert admin.merge(f"{path}/status", {"status": {"observedGeneration": 1}}).refusal == (409, "Conflict")


def test_a_job_ends_under_rules_that_refuse(guard: Replica, strict: None, admin: Api) -> None:
    spec = {"completions": 3, "parallelism": 2, "template": template("job", restartPolicy="Never")}
    admin.create(collection("jobs"), {"metadata": {"name": "job"}, "spec": spec})
    until(admin, f"{collection('jobs')}/job", lambda status: status.get("succeeded") == 3, "Succeeded")
    eventually(lambda: "completionTime" in admin.get(f"{collection('jobs')}/job")["status"])
    assert refused(guard) == []


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
