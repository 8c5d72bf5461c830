from __future__ import annotations

from rules.compile import CompiledRule
from tests.rules.judging import rule
from webhook.observe.metrics import RuleLabels
from webhook.observe.rule_labels import labels_of


def about(*resource_rules: dict[str, list[str]], action: str = "Audit") -> CompiledRule:
    return rule(
        "{name: a, observedGeneration: {}}",
        "{name: b, frozen: {fields: [status.a]}}",
        matchConstraints={"resourceRules": [{"apiVersions": ["v1"], **each} for each in resource_rules]},
        validationActions=[action],
    )


def test_every_resource_invariant_and_action_once() -> None:
    judged = about(
        {"apiGroups": ["a", "b"], "resources": ["x/status", "x", "y/status"]},
        {"apiGroups": ["a"], "resources": ["x/scale"]},
        action="Deny",
    )
    found = list(labels_of([judged]))
    assert len(found) == len(set(found))
    assert set(found) == {
        RuleLabels("r", invariant, group, resource, action, kind)
        for invariant, kind in (("a", "observedGeneration"), ("b", "frozen"))
        for group in ("a", "b")
        for resource in ("x", "y")
        for action in ("Deny", "Audit")
    }


def test_an_audit_rule_raises_nothing_else() -> None:
    judged = about({"apiGroups": [""], "resources": ["pods/status"]})
    assert {each.action for each in labels_of([judged])} == {"Audit"}


def test_a_wildcard_stays_one() -> None:
    judged = about({"apiGroups": ["*"], "resources": ["*/status"]})
    assert {(each.group, each.resource) for each in labels_of([judged])} == {("*", "*")}


def test_no_rules() -> None:
    assert list(labels_of([])) == []
