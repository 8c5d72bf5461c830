"""Which series the served rules can raise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules.api import Action
from rules.compile import CompiledRule
from webhook.observe.metrics import RuleLabels


def labels_of(rules: Iterable[CompiledRule]) -> Iterator[RuleLabels]:
    """Yield the labels of every violation that the rules can raise, as Audit too: while an object is being deleted."""
    for rule in rules:
        actions: list[Action] = sorted({rule.source.spec.action, "Audit"})
        for group, resource in sorted(_resources(rule)):
            for invariant in rule.invariants:
                for action in actions:
                    yield RuleLabels(rule.title, invariant.name, group, resource, action, invariant.kind)


def _resources(rule: CompiledRule) -> set[tuple[str, str]]:
    return {
        (group, name.partition("/")[0])
        for named in rule.source.spec.match_constraints.resource_rules
        for group in named.api_groups
        for name in named.resources
    }
