"""Rules of the tests, and what the cluster says of them."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

from .api import Answer, Api, Object, done
from .process import eventually

API_VERSION = "statusguard.dev/v1alpha1"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"

GENERATION: Object = {"name": "generation", "observedGeneration": {"fields": ["status.observedGeneration"]}}
COUNTERS: Object = {"name": "counters", "relation": {"holds": ["status.ready <= status.replicas"]}}


def resources(group: str, *names: str, versions: tuple[str, ...] = ("v1",)) -> list[Object]:
    """Return resourceRules; without names the status of widgets."""
    return [{"apiGroups": [group], "apiVersions": list(versions), "resources": list(names or ["widgets/status"])}]


def rule(name: str, group: str, *invariants: Object, namespace: str = "", **spec: Any) -> Object:
    """Return a rule that refuses; of a namespace, if there is one."""
    return {
        "apiVersion": API_VERSION,
        "kind": "StatusRule" if namespace else "ClusterStatusRule",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "spec": {
            "matchConstraints": {"resourceRules": resources(group)},
            "validationActions": ["Deny"],
            "invariants": list(invariants or [GENERATION, COUNTERS]),
            **spec,
        },
    }


@dataclass
class Rules:
    """The rules that a test applied; they are deleted after it."""

    api: Api
    applied: set[str] = field(default_factory=set)

    def write(self, manifest: Object) -> Answer:
        """Apply a rule, and return what the API server says."""
        path = path_of(manifest)
        self.applied.add(path)
        return self.api.apply(path, manifest)

    def serve(self, manifest: Object) -> float:
        """Apply a rule, and return after how many seconds it was ready."""
        generation = done(self.write(manifest))["metadata"]["generation"]
        return eventually(lambda: self.is_(manifest, "Ready", "True", generation))

    def delete(self, manifest: Object) -> None:
        self.api.delete(path_of(manifest))

    def delete_all(self) -> None:
        for path in self.applied:
            self.api.delete(path)

    def is_(self, manifest: Object, kind: str, status: str, generation: int | None = None) -> bool:
        """Tell whether a condition has this status, of the present generation of the rule."""
        found = self.api.get(path_of(manifest))
        wanted = (status, generation or found["metadata"]["generation"])
        each = conditions(found).get(kind, {})
        return (each.get("status"), each.get("observedGeneration")) == wanted

    def condition(self, manifest: Object, kind: str) -> Object:
        return conditions(self.api.get(path_of(manifest)))[kind]


def conditions(found: Object) -> dict[str, Object]:
    """Return an object's conditions by type."""
    return {each["type"]: each for each in found.get("status", {}).get("conditions", [])}


def path_of(manifest: Object) -> str:
    metadata = manifest["metadata"]
    namespace = metadata.get("namespace")
    collection = f"namespaces/{namespace}/statusrules" if namespace else "clusterstatusrules"
    return f"/apis/{API_VERSION}/{collection}/{metadata['name']}"


def bundle(webhook: Object) -> str:
    """Return the authorities that the API server trusts for an entry, PEM."""
    return base64.b64decode(webhook["clientConfig"]["caBundle"]).decode()


def path_to(webhook: Object) -> str:
    """Return the path at which an entry is answered."""
    found: str = webhook["clientConfig"]["service"]["path"]
    return found


def webhooks(api: Api, group: str) -> list[Object]:
    """Return the entries of the configuration of a group; none if there is no configuration."""
    answer = api.call("GET", f"{CONFIGURATIONS}/statusguard-{group}")
    return list(answer.body["webhooks"]) if answer.code == 200 else []
