"""Warnings of judgement: a rule that compiles, but cannot see what its author may think, or refuses what is honest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rules.api import RuleSpec
from rules.compile import CompiledInvariant, CompiledRule
from rules.documents import Document
from rules.fieldpath import FieldPath
from rules.invariants.co_update import CoUpdate
from rules.matching import ResourceRule
from rules.path_lint import path_warnings
from rules.path_syntax import Name
from rules.problem import Location, Problem

_GENERIC: Final = (("status", "observedGeneration"), ("status", "conditions"), ("metadata",))
"""What every resource may have; anything else a rule for all resources reads is somebody's own."""

_RETRIED_HOT: Final = frozenset({429, 503})
"""Codes for which kubectl tries again at once: measured 11 calls in 10 s."""


_TWO_REQUESTS: Final = ("cluster.x-k8s.io",)
"""Systems whose controllers patch `status.conditions` and the rest of the status in two requests (Cluster API)."""


def warnings(rule: CompiledRule) -> Iterator[Problem]:
    """Yield the warnings of one rule; locations start at its document."""
    spec = rule.source.spec
    yield from _of_matching(rule)
    yield from _of_actions(rule)
    yield from path_warnings(spec)
    for index, (invariant, compiled) in enumerate(zip(spec.invariants, rule.invariants, strict=True)):
        below: Location = ("spec", "invariants", index, invariant.spec.name)
        for problem in invariant.spec.warnings():
            yield replace(problem, location=(*below, *problem.location))
        if _is_for_everything(spec):
            yield from _of_wildcard(compiled, below)


def doubles(rules: Sequence[CompiledRule]) -> Iterator[tuple[CompiledRule, Problem]]:
    """Yield each rule that says the same as one before it."""
    seen: dict[str, CompiledRule] = {}
    for rule in rules:
        demand = rule.source.spec.model_dump_json(include={"match_constraints", "match_conditions", "invariants"})
        first = seen.setdefault(f"{rule.namespace}:{demand}", rule)
        if first is not rule:
            message = f"says the same as rule {first.title}: every violation is reported twice"
            yield rule, Problem(("metadata", "name"), message, "same-rule", "warning")


def unquoted_booleans(document: Document) -> Iterator[Problem]:
    """Yield what a rule's document says otherwise to `kubectl` than to us."""
    for location, written in document.unquoted_booleans():
        message = f'kubectl reads {written} as true or false: write it in quotes, "{written}"'
        yield Problem(location, message, "unquoted-boolean", "warning")


def _of_matching(rule: CompiledRule) -> Iterator[Problem]:
    constraints = rule.source.spec.match_constraints
    below: Location = ("spec", "matchConstraints")
    if constraints.match_policy == "Equivalent":
        message = (
            "matchPolicy Equivalent: every write of another version depends on the resource's conversion webhook; "
            "while that is down the API server refuses them, whatever the failurePolicy"
        )
        yield Problem((*below, "matchPolicy"), message, "equivalent", "warning")
    for index, resources in enumerate(constraints.resource_rules):
        reason = _never(resources, rule)
        if reason:
            yield Problem((*below, "resourceRules", index), f"can never match: {reason}", "never-matches", "warning")


def _never(resources: ResourceRule, rule: CompiledRule) -> str | None:
    if any("/" in name for name in (*resources.api_groups, *resources.api_versions)):
        return 'an apiVersion as "apps/v1" is written in two parts: apiGroups: [apps], apiVersions: [v1]'
    if resources.operations == ["CREATE"] and all("/" in name for name in resources.resources):
        return "a subresource is updated, never created"
    if rule.namespace is not None and resources.scope == "Cluster":
        return "a StatusRule is about objects of its namespace, and these have none"
    excluded = rule.source.spec.match_constraints.exclude_resource_rules
    if any(_includes(exclusion, resources) for exclusion in excluded):
        return "excludeResourceRules leaves all of it out"
    return None


def _includes(wide: ResourceRule, narrow: ResourceRule) -> bool:
    """Whether everything that one resource rule names is named by another, as far as the words tell."""
    parts = ((wide.api_groups, narrow.api_groups), (wide.api_versions, narrow.api_versions))
    return (
        all("*" in outer or set(inner) <= set(outer) for outer, inner in parts)
        and ("*/*" in wide.resources or set(narrow.resources) <= set(wide.resources))
        and set(narrow.operations) <= set(wide.operations)
        and (not wide.resource_names or set(narrow.resource_names or [""]) <= set(wide.resource_names))
        and wide.scope in {"*", narrow.scope}
    )


def _of_actions(rule: CompiledRule) -> Iterator[Problem]:
    spec = rule.source.spec
    actions: Location = ("spec", "validationActions")
    if spec.action != "Deny":
        return
    if spec.denial is not None and spec.denial.pair()[0] in _RETRIED_HOT:
        message = f"clients try again at once on code {spec.denial.pair()[0]}; 409 or 422 is kinder to the API server"
        yield Problem(("spec", "denial"), message, "hot-retry", "warning")
    for index, invariant in enumerate(spec.invariants):
        if isinstance(invariant.spec, CoUpdate) and invariant.spec.single_manager:
            message = "Deny on singleManager refuses honest writes of a second manager; use it with Audit"
            yield Problem(
                ("spec", "invariants", index, "coUpdate", "singleManager"), message, "deny-single-manager", "warning"
            )
    if _is_written_twice(spec) and len({_reads_conditions(path) for path in _status_paths(rule)}) > 1:
        message = (
            "this system writes status.conditions and the rest of the status in two requests: denying one leaves the other; "
            "make it two rules"
        )
        yield Problem(actions, message, "two-requests", "warning")


def _is_written_twice(spec: RuleSpec) -> bool:
    groups = (group for resources in spec.match_constraints.resource_rules for group in resources.api_groups)
    return any(group == system or group.endswith(f".{system}") for group in groups for system in _TWO_REQUESTS)


def _status_paths(rule: CompiledRule) -> Iterator[FieldPath]:
    for invariant in rule.invariants:
        yield from (path for path in invariant.checks.paths if path.root == "status")


def _reads_conditions(path: FieldPath) -> bool:
    return "conditions" in [segment.name for segment in path.segments if isinstance(segment, Name)]


def _is_for_everything(spec: RuleSpec) -> bool:
    return any(
        "*" in resources.api_groups or any(name.startswith("*") for name in resources.resources)
        for resources in spec.match_constraints.resource_rules
    )


def _of_wildcard(invariant: CompiledInvariant, below: Location) -> Iterator[Problem]:
    for path in invariant.checks.paths:
        names = tuple(segment.name for segment in path.segments if isinstance(segment, Name))
        if not any(names[: len(generic)] == generic for generic in (*_GENERIC, ("apiVersion",))):
            message = (
                f"a rule for every resource reads {path}, which means something else in each; "
                "only status.observedGeneration, status.conditions and metadata are everywhere"
            )
            yield Problem(below, message, "wildcard-reads-more", "warning")
