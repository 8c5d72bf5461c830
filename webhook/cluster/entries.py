"""The entries of the webhook configurations: which writes the API server brings to which of our rules.

Pure: rules and settings in, entries out. Each entry has a path of its own and judges only its rules, so one that the API server
calls for something else's sake is never judged twice.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from rules.compile import CompiledRule
from rules.matching import ResourceRule
from rules.native.prefilter import MAX_COST, MAX_SIZE, Prefilter, prefilter_of, suspect
from rules.ruleset import RuleSet
from webhook.cluster.exclusions import SOFT, soft_parts, why_excluded

MAX_LABEL: Final = 120
"""Characters of an entry's own part of its name: with `.statusguard.dev` well below the 253 of a name in Kubernetes."""

UNFILTERED: Final = 0
"""The part of the rules for which the API server calls us at every write."""

_NOT_IN_A_NAME: Final = re.compile(r"[^a-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Policy:
    """What the settings allow.

    `guarded`: (group, resource) pairs that may be more than reported although kubelets write them all the time.
    `namespaced_deny`: (group, resource) pairs on which a StatusRule may refuse; `*` is any.
    """

    guarded: frozenset[tuple[str, str]] = frozenset()
    namespaced_deny: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class EntryKey:
    """What the rules of one entry have in common.

    `owner` is the rule that has an entry of its own, else empty. `part`: rules with a prefilter share entries as far as one
    expression can hold them, counted from 1; UNFILTERED is the entry of those without.
    """

    group: str
    version: str
    resource: str
    scope: str
    failure_policy: Literal["Ignore", "Fail"]
    match_policy: Literal["Exact", "Equivalent"]
    namespace: str
    owner: str
    while_deleting: bool
    part: int = UNFILTERED


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its name (the last part of its path), the operations, and the rules that judge what it brings."""

    name: str
    key: EntryKey
    operations: tuple[str, ...]
    rules: tuple[CompiledRule, ...]
    _suspects: dict[bool, str] = field(default_factory=dict, compare=False, repr=False)

    def suspect(self, *, lists: bool) -> str | None:
        """Return the prefilter: a CEL expression that is false of writes that break no rule; None if there is none.

        `lists`: whether the API server can pair lists (Kubernetes 1.33).
        """
        if self.key.part == UNFILTERED:
            return None
        if lists not in self._suspects:
            self._suspects[lists] = suspect((rule.source.spec for rule in self.rules), lists=lists).text
        return self._suspects[lists]

    def rule_set(self) -> RuleSet:
        """Return the rules as the reviewer takes them."""
        return RuleSet(self.rules)


@dataclass(frozen=True, slots=True)
class Plan:
    """All entries, and by the rule's title its prefilter, and what is not as the rule says: left out, or only reported."""

    entries: tuple[Entry, ...]
    remarks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    prefilters: dict[str, Prefilter] = field(default_factory=dict)


def plan(rules: Iterable[CompiledRule], policy: Policy) -> Plan:
    """Return the entries for rules."""
    members: dict[EntryKey, dict[str, CompiledRule]] = {}
    operations: dict[tuple[EntryKey, str], set[str]] = {}
    remarks: dict[str, list[str]] = {}
    for rule in rules:
        said = remarks.setdefault(rule.title, [])
        for named in rule.source.spec.match_constraints.resource_rules:
            for key, served in _keys(rule, named, policy, said):
                members.setdefault(key, {})[rule.title] = served
                operations.setdefault((key, rule.title), set()).update(named.operations)
    entries = [
        Entry(
            name_of(part), part, tuple(sorted(set().union(*(operations[key, each.title] for each in sharing)))), sharing
        )
        for key, served in members.items()
        for part, sharing in _parts(key, served.values())
    ]
    told = {title: tuple(dict.fromkeys(said)) for title, said in remarks.items() if said}
    prefilters = {rule.title: prefilter_of(rule) for each in members.values() for rule in each.values()}
    return Plan(tuple(sorted(entries, key=lambda entry: entry.name)), told, prefilters)


def _parts(key: EntryKey, rules: Iterable[CompiledRule]) -> Iterator[tuple[EntryKey, tuple[CompiledRule, ...]]]:
    """Yield the rules of a key that share an entry: those without a prefilter, and as many others as one expression holds."""
    parts: list[list[CompiledRule]] = [[]]
    room_for_text, room_for_cost = 0, 0
    for rule in sorted(rules, key=lambda rule: rule.title):
        found = prefilter_of(rule).suspect
        if found is None:
            parts[UNFILTERED].append(rule)
            continue
        if len(found.text) > room_for_text or found.cost > room_for_cost:
            parts.append([])
            room_for_text, room_for_cost = MAX_SIZE, MAX_COST
        # What rules share is counted for each, so that the expression of all is never too large.
        room_for_text, room_for_cost = room_for_text - len(found.text), room_for_cost - found.cost
        parts[-1].append(rule)
    for part, sharing in enumerate(parts):
        if sharing:
            yield replace(key, part=part), tuple(sharing)


def _keys(
    rule: CompiledRule, named: ResourceRule, policy: Policy, remarks: list[str]
) -> Iterator[tuple[EntryKey, CompiledRule]]:
    spec = rule.source.spec
    for group in named.api_groups:
        if group == "*" and spec.failure_policy == "Fail":
            remarks.append("apiGroups * with failurePolicy Fail is not served: an outage would stop the whole cluster")
            continue
        for target, resource in _targets(group, named.resources):
            why = why_excluded(target, resource)
            if why is not None:
                remarks.append(f"{resource} of {target or 'the core group'} is never guarded: {why}")
                continue
            served = _softened(rule, target, resource, policy, remarks)
            failure_policy = served.source.spec.failure_policy
            for version in named.api_versions:
                key = EntryKey(
                    target,
                    version,
                    resource,
                    named.scope,
                    failure_policy,
                    spec.match_constraints.match_policy,
                    rule.namespace or "",
                    rule.title if rule.uses_cel else "",
                    failure_policy == "Fail" and spec.enforce_while_deleting,
                )
                yield key, served


def _targets(group: str, resources: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the resources of a group, and by name those that a wildcard's own entry leaves out."""
    for resource in resources:
        yield group, resource
        for soft in soft_parts(group, resource):
            yield "", soft


def _softened(rule: CompiledRule, group: str, resource: str, policy: Policy, remarks: list[str]) -> CompiledRule:
    """Return a rule as it is served for one resource: perhaps it may only report there."""
    spec = rule.source.spec
    pair = (group, resource.partition("/")[0])
    if pair in SOFT and pair not in policy.guarded:
        if spec.action == "Audit" and spec.failure_policy == "Ignore":
            return rule
        remarks.append(f"{resource} is only reported: the settings do not name it among the guarded resources")
        return _only_reporting(rule)
    allowed = policy.namespaced_deny
    may_deny = rule.namespace is None or bool({pair, (group, "*"), ("*", "*")} & allowed)
    if spec.action == "Deny" and not may_deny:
        remarks.append(
            f"{resource} of {group or 'the core group'} is only reported: the settings do not let a StatusRule refuse it"
        )
        return rule.with_action("Audit")
    return rule


def _only_reporting(rule: CompiledRule) -> CompiledRule:
    """Return a rule that refuses nothing, not even when it cannot judge."""
    spec = rule.source.spec.model_copy(update={"validation_actions": ["Audit"], "failure_policy": "Ignore"})
    return replace(rule, source=rule.source.model_copy(update={"spec": spec}))


def name_of(key: EntryKey) -> str:
    """Return the name of an entry: readable, a DNS name, and different for different keys."""
    parts = [key.resource.replace("/", "-"), key.version, key.group or "core", key.failure_policy.lower()]
    parts += [part for part in (key.namespace, key.owner) if part]
    readable = _NOT_IN_A_NAME.sub("-", ".".join(part.replace("*", "any") for part in parts).lower()).strip("-.")
    readable = re.sub(r"\.{2,}|-?\.-?", ".", readable)[:MAX_LABEL].rstrip("-.")
    digest = hashlib.sha256(repr(key).encode()).hexdigest()[:8]
    return f"{readable}.{digest}"


def rule_sets(entries: Sequence[Entry]) -> dict[str, RuleSet]:
    """Return the rules of each entry by its name: what the reviewer judges by."""
    return {entry.name: entry.rule_set() for entry in entries}
