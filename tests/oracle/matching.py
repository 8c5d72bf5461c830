"""Section 2, 'matchConstraints', 'exemptions' and StatusRule: 'the words are those of ValidatingAdmissionPolicy'."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """What a request says of itself; a request for a Namespace names it as `namespace` too."""

    group: str = "g"
    version: str = "v1"
    resource: str = "xs"
    subresource: str = "status"
    operation: str = "UPDATE"
    name: str = "w"
    namespace: str = ""
    namespace_labels: dict[str, str] = field(default_factory=dict)
    username: str = ""
    groups: tuple[str, ...] = ()

    @property
    def is_for_a_namespace(self) -> bool:
        return self.group == "" and self.resource == "namespaces"

    @property
    def is_namespaced(self) -> bool:
        return self.namespace != "" and not self.is_for_a_namespace


def matches(rule: Json, request: Asked, old: Json | None, new: Json) -> bool:
    """Whether a rule (the whole document) judges a write, leaving aside its matchConditions."""
    constraints = rule["spec"]["matchConstraints"]
    if rule["kind"] == "StatusRule" and not (
        request.is_namespaced and request.namespace == rule["metadata"]["namespace"]
    ):
        return False  # 'applies to objects of its own namespace only'
    if not any(resource_rule_fits(each, request) for each in constraints["resourceRules"]):
        return False
    if any(resource_rule_fits(each, request) for each in constraints.get("excludeResourceRules", [])):
        return False
    if not namespace_fits(constraints.get("namespaceSelector", {}), request, new):
        return False
    sides = [new] if request.operation == "CREATE" or old is None else [new, old]
    if not any(selects(constraints.get("objectSelector", {}), labels(side)) for side in sides):
        return False
    exempt = rule["spec"].get("exemptions", {})  # 'writers who may repair: never judged'
    return request.username not in exempt.get("users", []) and not set(request.groups) & set(exempt.get("groups", []))


def resource_rule_fits(resources: Json, request: Asked) -> bool:
    if not {"*", request.group} & set(resources["apiGroups"]):
        return False
    if not {"*", request.version} & set(resources["apiVersions"]):
        return False
    if not any(is_named(written, request) for written in resources["resources"]):
        return False
    if request.operation not in resources.get("operations", ["UPDATE"]):
        return False
    names = resources.get("resourceNames", [])
    if names and request.name not in names:
        return False
    scope = resources.get("scope", "*")
    return (
        scope == "*"
        or (scope == "Namespaced" and request.is_namespaced)
        or (scope == "Cluster" and not request.is_namespaced)
    )


def is_named(written: str, request: Asked) -> bool:
    """'"x/status" the subresource, "x" the main resource, "x/scale"; "*/status"', as the API server reads them."""
    resource, _, subresource = written.partition("/")
    if resource not in ("*", request.resource):
        return False
    return subresource in ("*", request.subresource)


def namespace_fits(selector: Json, request: Asked, new: Json) -> bool:
    if request.is_for_a_namespace:
        return selects(selector, labels(new))
    if request.namespace == "":
        return True  # 'objects without a namespace always fit'
    return selects(selector, {**request.namespace_labels, "kubernetes.io/metadata.name": request.namespace})


def selects(selector: Json, found: dict[str, str]) -> bool:
    wanted = [
        {"key": key, "operator": "In", "values": [value]} for key, value in selector.get("matchLabels", {}).items()
    ]
    return all(requirement_holds(each, found) for each in [*wanted, *selector.get("matchExpressions", [])])


def requirement_holds(requirement: Json, found: dict[str, str]) -> bool:
    key, operator = requirement["key"], requirement["operator"]
    if operator == "Exists":
        return key in found
    if operator == "DoesNotExist":
        return key not in found
    is_listed = key in found and found[key] in requirement["values"]
    return is_listed if operator == "In" else not is_listed


def labels(side: Json) -> dict[str, str]:
    metadata = side.get("metadata")
    found = metadata.get("labels") if isinstance(metadata, dict) else None
    return {key: value for key, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}
