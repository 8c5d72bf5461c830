"""Rules as the API server has them, and the collections that they are in."""

from __future__ import annotations

from typing import Any, Final

from rules.compile import CompiledRule, compile_rule

from .fake_api import FakeApi

Object = dict[str, Any]

CLUSTER_RULES: Final = "/apis/statusguard.dev/v1alpha1/clusterstatusrules"
BACK: Final[Object] = {"name": "generation", "observedGeneration": {}}
WIDGETS: Final = "widgets/status"


def resources(
    *names: str, group: str = "example.test", versions: tuple[str, ...] = ("v1",), **members: Any
) -> list[Object]:
    """Return resourceRules; without names the status of widgets."""
    return [{"apiGroups": [group], "apiVersions": list(versions), "resources": list(names or [WIDGETS]), **members}]


def manifest(name: str, named: list[Object] | None = None, *, namespace: str = "", **spec: Any) -> Object:
    """Return a rule that refuses; of a namespace, if there is one."""
    constraints = {"resourceRules": named or resources(), **spec.pop("matchConstraints", {})}
    return {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "StatusRule" if namespace else "ClusterStatusRule",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "spec": {"matchConstraints": constraints, "validationActions": ["Deny"], "invariants": [BACK], **spec},
    }


def broken(name: str) -> Object:
    """Return a rule that does not compile."""
    return manifest(name, invariants=[{"name": "generation"}])


def compiled(name: str, named: list[Object] | None = None, *, namespace: str = "", **spec: Any) -> CompiledRule:
    return compile_rule(manifest(name, named, namespace=namespace, **spec))


def path_of(rule: Object) -> str:
    metadata = rule["metadata"]
    if namespace := metadata.get("namespace"):
        return f"/apis/statusguard.dev/v1alpha1/namespaces/{namespace}/statusrules/{metadata['name']}"
    return f"{CLUSTER_RULES}/{metadata['name']}"


def write(api: FakeApi, *rules: Object) -> None:
    """Apply rules as somebody with kubectl does."""
    for rule in rules:
        api.apply(path_of(rule), rule)
