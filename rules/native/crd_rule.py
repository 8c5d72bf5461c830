"""Which versions of a CustomResourceDefinition a rule is about, and what of the rule itself its schema cannot say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rules.api import Rule, StatusRule
from rules.native.crd_losses import ALWAYS_422, FOR_EVERYBODY, NOTHING_ELSE, REFUSES, WHILE_DELETING
from rules.native.losses import Loss
from rules.schemas.crd import read_crds
from rules.schemas.resources import SchemaCatalog
from rules.schemas.targets import matches, versions


class NotAboutError(Exception):
    """A rule that is about no served version of a CRD; `str()` says so in one line."""


@dataclass(frozen=True, slots=True)
class Target:
    """A version of a CRD that a rule is about. `on_main`, `on_status`: which writes the rule is about."""

    version: str
    schema: dict[str, Any]
    has_status: bool
    on_main: bool
    on_status: bool
    may_create: bool


def targets(rule: Rule, definition: dict[str, Any]) -> list[Target]:
    """Return the versions that a rule is about. Raises NotAboutError, and InvalidSchemaError for what is no CRD."""
    catalog = SchemaCatalog([read_crds(definition)])
    named: dict[str, set[str]] = {}
    created: set[str] = set()
    for resources in rule.spec.match_constraints.resource_rules:
        for match in matches(resources, catalog):
            for version in versions(resources, match.resource):
                objects = match.resource.versions[version].objects
                asked = {"", "status"} if match.subresource == "*" else {match.subresource}
                if found := asked & {"", "status"} & set(objects):
                    named.setdefault(version, set()).update(found)
                    created |= {version} if "CREATE" in resources.operations else set()
    if not named:
        raise NotAboutError(_not_about(rule, definition))
    return [
        Target(
            each["name"],
            each["schema"]["openAPIV3Schema"],
            has_status=(each.get("subresources") or {}).get("status") is not None,
            on_main="" in named[each["name"]],
            on_status="status" in named[each["name"]],
            may_create=each["name"] in created,
        )
        for each in definition["spec"]["versions"]
        if each["name"] in named
    ]


def _not_about(rule: Rule, definition: dict[str, Any]) -> str:
    wanted = ", ".join(
        f"{resource}.{group} {version}"
        for each in rule.spec.match_constraints.resource_rules
        for group in each.api_groups
        for version in each.api_versions
        for resource in each.resources
    )
    spec = definition["spec"]
    served = ", ".join(
        f"{each['name']}{'' if (each.get('subresources') or {}).get('status') is not None else ' (no status subresource)'}"
        for each in spec["versions"]
        if each["served"]
    )
    return f"rule {rule.title} is about {wanted}, not about {spec['names']['plural']}.{spec['group']} {served}"


def lost_of_rule(rule: Rule) -> Iterator[Loss]:
    """Yield what a schema cannot say of a rule; whom it cannot spare, it may not judge: then the whole rule is left out."""
    spec, constraints = rule.spec, rule.spec.match_constraints
    narrow = {
        "matchConditions": bool(spec.match_conditions),
        "namespaceSelector": not constraints.namespace_selector.is_empty,
        "objectSelector": not constraints.object_selector.is_empty,
        "excludeResourceRules": bool(constraints.exclude_resource_rules),
        "resourceNames": any(each.resource_names for each in constraints.resource_rules),
        "StatusRule": isinstance(rule, StatusRule),
    }
    for name, is_there in narrow.items():
        if is_there:
            what = "is about one namespace" if name == "StatusRule" else "says which objects or writes are judged"
            yield Loss("", f"{name}: {what}; a schema is for all", whole=True)
    if spec.action != "Deny":
        yield Loss("", f"{REFUSES}, and the rule's action is {spec.action}")
    code, reason = spec.denial.pair() if spec.denial else (409, "Conflict")
    if spec.action == "Deny" and reason != "Invalid":
        yield Loss("", f"{ALWAYS_422}, never {code} {reason}")
    if spec.exemptions.users or spec.exemptions.groups:
        yield Loss("", FOR_EVERYBODY)
    if not spec.enforce_while_deleting:
        yield Loss("", WHILE_DELETING)
    yield Loss("", NOTHING_ELSE)
