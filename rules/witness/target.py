"""The target: a request that a rule concerns, and the least object that its selectors and matchConditions let through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from typing import Any, Final

from rules.case_write import plural, write_of
from rules.cel.program import CelRuntimeError, Program
from rules.cel.reads import field_paths
from rules.compile import CompiledRule
from rules.matching import NAMESPACE_NAME_LABEL, LabelSelector, ResourceRule
from rules.ruleset import RuleSet, judge
from rules.samples import compared, literals
from rules.suite import Case
from rules.witness.slots import put, slots_of
from rules.write import Write

_NAMES: Final = ("example", "example-2")
_USERS: Final = (None, "example-controller", "example-controller-2")
"""Who writes: the user that suites have by default, or another if that one is exempt."""

_WILD: Final = {"group": "example.test", "version": "v1", "resource": "widgets", "subresource": "status"}
"""What stands for `*`."""

_MAX_NAMED: Final = 500
"""Requests of which is asked whether the rule concerns them."""

_MAX_TRIED: Final = len(_NAMES) * len(_USERS)
"""Requests, of those that the rule concerns, of which is asked whether it judges them: all names and users."""


@dataclass(frozen=True, slots=True)
class Target:
    """A request as a case of a suite says it, and the object that it writes, with nothing in it that a rule reads."""

    request: dict[str, Any]
    bare: dict[str, Any]
    creates: bool
    subresource: str

    def write(self) -> Write:
        """Return the write that changes nothing."""
        old = {} if self.creates else {"old": self.bare}
        document = {"name": "bare", **old, "object": self.bare, "request": self.request, "expect": {}}
        return write_of(Case.model_validate(document))

    def with_user(self, **user: Any) -> Target:
        """Return the same target, written by another user."""
        return replace(self, request={**self.request, "user": {**self.request.get("user", {}), **user}})


def find_target(rule: CompiledRule) -> Target | None:
    """Return what the rule's examples write to; None if nothing was found that the rule is about."""
    rules = RuleSet([rule])
    named = islice(_targets(rule), _MAX_NAMED)
    concerned = [target for target in named if rules.concerned(target.write().request)][:_MAX_TRIED]
    ready = (_through_conditions(rule, target) for target in concerned)
    return next((target for target in ready if _is_judged(rule, target)), concerned[0] if concerned else None)


def _is_judged(rule: CompiledRule, target: Target) -> bool:
    verdicts = judge([rule], target.write())
    return bool(verdicts) and not verdicts[0].exempt and verdicts[0].error is None


def _targets(rule: CompiledRule) -> Iterator[Target]:
    resource_rules = rule.source.spec.match_constraints.resource_rules
    for operation in ("UPDATE", "CREATE"):
        for resources in resource_rules:
            if operation in resources.operations:
                for written, name, user in product(resources.resources, resources.resource_names or _NAMES, _USERS):
                    yield _target(rule, resources, written, name, user, creates=operation == "CREATE")


def _target(
    rule: CompiledRule, resources: ResourceRule, written: str, name: str, user: str | None, *, creates: bool
) -> Target:
    resource, _, subresource = written.partition("/")
    resource, subresource = _concrete("resource", resource), _concrete("subresource", subresource)
    group = _concrete("group", resources.api_groups[0])
    version = _concrete("version", resources.api_versions[0])
    kind = _kind(resource)
    api_version = f"{group}/{version}".removeprefix("/")
    request: dict[str, Any] = {}
    if subresource == "scale":
        kind, api_version = "Scale", "autoscaling/v1"
        request["resource"] = {"group": group, "version": version, "resource": resource}
    elif plural(kind) != resource:
        request["resource"] = resource
    if subresource != ("" if creates else "status"):
        request["subresource"] = subresource
    labels = _labels(rule.source.spec.match_constraints.namespace_selector)
    if labels.keys() - {NAMESPACE_NAME_LABEL}:
        request["namespaceLabels"] = labels
    if user:
        request["user"] = {"username": user}
    bare = {"apiVersion": api_version, "kind": kind, "metadata": _metadata(rule, resources, name)}
    return Target(request, bare, creates, subresource)


def _concrete(part: str, pattern: str) -> str:
    return _WILD[part] if pattern == "*" else pattern


def _metadata(rule: CompiledRule, resources: ResourceRule, name: str) -> dict[str, Any]:
    constraints = rule.source.spec.match_constraints
    metadata: dict[str, Any] = {"name": name}
    if resources.scope != "Cluster":
        selected = _labels(constraints.namespace_selector).get(NAMESPACE_NAME_LABEL, "default")
        metadata["namespace"] = rule.namespace or selected
    if labels := _labels(constraints.object_selector):
        metadata["labels"] = labels
    return metadata


def _kind(resource: str) -> str:
    """Return a kind whose plural is the resource, as far as the plural tells."""
    singulars = [f"{resource[:-3]}y", resource[:-2], resource[:-1]]
    kind = next((kind for kind in singulars if kind and plural(kind) == resource), resource)
    return kind[:1].upper() + kind[1:]


def _labels(selector: LabelSelector) -> dict[str, str]:
    """Return labels that a selector selects, unless it contradicts itself."""
    asked = (each for each in selector.match_expressions if each.operator in {"In", "Exists"})
    return {**{each.key: (each.values or ["example"])[0] for each in asked}, **selector.match_labels}


def _through_conditions(rule: CompiledRule, target: Target) -> Target:
    """Return the target with what the matchConditions ask for, as far as single fields or the user decide it."""
    for _, program in rule.match_conditions:
        tried = chain([target], _variants(program, target))
        target = next((each for each in tried if _holds(program, each)), target)
    return target


def _holds(program: Program, target: Target) -> bool:
    try:
        return bool(program.evaluate(target.write()))
    except CelRuntimeError:
        return False


def _variants(program: Program, target: Target) -> Iterator[Target]:
    for path in field_paths(program.reads.parts):
        for slot in slots_of({path: compared(path, program.expression)}, []):
            for value in slot.values:
                yield replace(target, bare=put(target.bare, slot.steps, value))
    for word in (value for value in literals(program.expression) if isinstance(value, str)):
        yield target.with_user(username=word)
        yield target.with_user(groups=[word])
