"""A namespace with workloads, in which the test does what schedulers and kubelets do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from .api import Api, Object
from .process import eventually

_API_VERSIONS: Final = {
    "cronjobs": "batch/v1",
    "jobs": "batch/v1",
    "poddisruptionbudgets": "policy/v1",
    "horizontalpodautoscalers": "autoscaling/v2",
}
"""Of what is not of apps/v1."""


@dataclass(frozen=True)
class Workloads:
    """The workloads of a namespace."""

    api: Api
    namespace: str

    @classmethod
    def created(cls, api: Api, namespace: str) -> Workloads:
        """Create the namespace, and return when Pods can be made in it."""
        api.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
        eventually(lambda: api.exists(f"/api/v1/namespaces/{namespace}/serviceaccounts/default"))
        return cls(api, namespace)

    @property
    def pods(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"

    def collection(self, resource: str) -> str:
        return f"/apis/{_API_VERSIONS.get(resource, 'apps/v1')}/namespaces/{self.namespace}/{resource}"

    def create(self, resource: str, name: str, spec: Object) -> str:
        """Create a workload and return its path."""
        self.api.create(self.collection(resource), {"metadata": {"name": name}, "spec": spec})
        return f"{self.collection(resource)}/{name}"

    def status(self, path: str) -> Object:
        found: Object = self.api.get(path).get("status", {})
        return found

    def run_pods(self, phase: str = "Running") -> None:
        """Do what schedulers and kubelets do: say of each Pod that it runs, or ran, and let go of those that shall end.

        Only the Pods of a DaemonSet are bound to a node, whose name is in them.
        """
        for pod in self.api.get(self.pods)["items"]:
            path = f"{self.pods}/{pod['metadata']['name']}"
            is_ready = "True" if phase == "Running" else "False"
            ready = {"type": "Ready", "status": is_ready, "lastTransitionTime": pod["metadata"]["creationTimestamp"]}
            if "deletionTimestamp" in pod["metadata"]:
                self.api.call("DELETE", path, {"gracePeriodSeconds": 0})
                continue
            if (node := _wanted_node(pod)) and "nodeName" not in pod["spec"]:
                binding = {"metadata": {"name": pod["metadata"]["name"]}, "target": {"kind": "Node", "name": node}}
                self.api.call("POST", f"{path}/binding", binding)
            if pod["status"]["phase"] not in (phase, "Succeeded", "Failed"):
                answer = self.api.merge(f"{path}/status", {"status": {"phase": phase, "conditions": [ready]}})
                assert answer.code in (200, 404, 409), answer

    def until(self, path: str, is_done: Callable[[Object], bool], phase: str = "Running") -> None:
        """Be the kubelets until the controller has seen the present spec, and says that it is done."""

        def reached() -> bool:
            self.run_pods(phase)
            found = self.api.get(path)
            generation, status = found["metadata"].get("generation"), found.get("status", {})
            return status.get("observedGeneration", generation) == generation and is_done(status)

        try:
            eventually(reached)
        except AssertionError as error:
            error.add_note(f"{path}: {self.status(path)}")
            raise


def _wanted_node(pod: Object) -> str | None:
    """Return the node that a DaemonSet made a Pod for."""
    affinity = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    terms = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])
    fields = (field for term in terms for field in term.get("matchFields", []))
    return next((field["values"][0] for field in fields if field["key"] == "metadata.name"), None)


def template(app: str, **spec: Any) -> Object:
    """Return Pods to make."""
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": "i"}], **spec}}


def replicated(app: str, replicas: int, **spec: Any) -> Object:
    """Return the spec of something with replicas."""
    selector = {"matchLabels": {"app": app}}
    return {"replicas": replicas, "selector": selector, "template": template(app), **spec}


def scaled(replicas: int) -> Callable[[Object], bool]:
    """Return what asks a status whether so many replicas are there, all of them available and new."""
    return _count("replicas", "readyReplicas", "availableReplicas", "updatedReplicas", to=replicas)


def are_ready(replicas: int) -> Callable[[Object], bool]:
    """Return what asks a status whether so many replicas are there and ready."""
    return _count("replicas", "readyReplicas", to=replicas)


def are_everywhere(nodes: int) -> Callable[[Object], bool]:
    """Return what asks a status whether so many nodes have their daemon."""
    return _count("desiredNumberScheduled", "currentNumberScheduled", "numberReady", "numberAvailable", to=nodes)


def _count(*counters: str, to: int) -> Callable[[Object], bool]:
    return lambda status: {status.get(name, 0) for name in counters} == {to}


def has_reason(kind: str, reason: str) -> Callable[[Object], bool]:
    """Return what asks a status whether a condition has this reason."""
    return lambda status: condition(status, kind).get("reason") == reason


def condition(status: Object, kind: str) -> Object:
    """Return a condition, empty if it is not there."""
    found = (each for each in status.get("conditions", []) if each["type"] == kind)
    return next(found, {})
