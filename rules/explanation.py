"""A rule in plain sentences: which writes it is about, and what becomes of one that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.api import Rule, RuleSpec
from rules.matching import LabelRequirement, LabelSelector, MatchConstraints, ResourceRule
from rules.predicates import answer

_OPERATIONS: Final = {"UPDATE": "updates", "CREATE": "creations"}
_SCOPES: Final = {"Cluster": ", without a namespace", "Namespaced": ", in a namespace", "*": ""}


def subject(rule: Rule) -> list[str]:
    """Return which writes a rule is about."""
    spec = rule.spec
    constraints = spec.match_constraints
    found = [f"It judges {'; '.join(map(_resources, constraints.resource_rules))}."]
    if constraints.exclude_resource_rules:
        found.append(f"It leaves out {'; '.join(map(_resources, constraints.exclude_resource_rules))}.")
    if rule.kind == "StatusRule":
        found.append(f"Only objects in namespace {rule.metadata.namespace} are judged.")
    return [*found, *_selectors(constraints), *_exceptions(spec)]


def _resources(resources: ResourceRule) -> str:
    operations = " and ".join(_OPERATIONS[operation] for operation in resources.operations)
    what = ", ".join(map(_resource, resources.resources))
    groups = " or ".join(_group(group) for group in resources.api_groups)
    versions = "any version" if resources.api_versions == ["*"] else f"version {' or '.join(resources.api_versions)}"
    names = f", named {' or '.join(resources.resource_names)}" if resources.resource_names else ""
    return f"{operations} of {what} ({groups}, {versions}){names}{_SCOPES[resources.scope]}"


def _resource(written: str) -> str:
    resource, _, subresource = written.partition("/")
    name = "all resources" if resource == "*" else resource
    if not subresource:
        return name
    return f"all subresources of {name}" if subresource == "*" else f"the {subresource} of {name}"


def _group(group: str) -> str:
    if group == "*":
        return "any API group"
    return f"API group {group}" if group else "the core API group"


def _selectors(constraints: MatchConstraints) -> Iterator[str]:
    if constraints.namespace_selector != LabelSelector():
        yield f"Only in a namespace on which {_labels(constraints.namespace_selector)}."
    if constraints.object_selector != LabelSelector():
        yield f"Only objects on which, before or after the write, {_labels(constraints.object_selector)}."
    if constraints.match_policy == "Equivalent":
        yield "Writes of other versions of these resources are converted and judged too."


def _labels(selector: LabelSelector) -> str:
    equal = (f'label {key} is "{value}"' for key, value in selector.match_labels.items())
    return " and ".join([*equal, *map(_requirement, selector.match_expressions)])


def _requirement(requirement: LabelRequirement) -> str:
    return f"label {requirement.key} {answer(requirement.operator, requirement.values)}"


def _exceptions(spec: RuleSpec) -> Iterator[str]:
    users = [f"user {user}" for user in spec.exemptions.users] + [f"group {group}" for group in spec.exemptions.groups]
    if users:
        yield f"Writes by {' or '.join(users)} are never judged."
    for condition in spec.match_conditions:
        yield f"Only if {condition.expression} (condition {condition.name})."


def consequences(spec: RuleSpec) -> list[str]:
    """Return what becomes of a write that breaks an invariant, and of one that cannot be judged."""
    denial = "" if spec.denial is None else " with {} {}, as the rule says".format(*spec.denial.pair())
    broken = {
        "Deny": f"is refused{denial}",
        "Warn": "passes, its writer is warned, and it is reported",
        "Audit": "passes and is reported",
    }[spec.action]
    found = [f"A write that breaks an invariant {broken}."]
    if spec.action != "Audit":
        softened = "the same happens" if spec.enforce_while_deleting else "it is only reported"
        found.append(f"While the object is being deleted, {softened}.")
    refused = "is refused with 500 InternalError" if spec.failure_policy == "Fail" else "passes with a warning"
    found.append(f"A write that cannot be judged {refused} (failurePolicy {spec.failure_policy}).")
    return found
