from __future__ import annotations

import pytest

from rules.compile import compile_rule, parse_rule
from rules.problem import InvalidRuleError

from .judging import judge, rule, snippet


@pytest.mark.parametrize("document", [None, [], "text", 3, True])
def test_a_rule_is_an_object(document: object) -> None:
    with pytest.raises(InvalidRuleError, match="a rule is an object") as caught:
        parse_rule(document)
    assert [problem.location for problem in caught.value.problems] == [()]


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InvalidRuleError) as caught:
        compile_rule({"kind": "StatusRule", "metadata": {"name": "R"}, "spec": {"invariants": [{"name": "i"}]}})
    assert [problem.location for problem in caught.value.problems] == [
        (),
        ("metadata", "name"),
        ("spec",),
        ("spec", "invariants", 0),
    ]
    assert str(caught.value).count("; ") == 3


def test_another_action_replaces_a_rules_own() -> None:
    audit = rule("frozen: {fields: [status.a]}")
    deny = audit.with_action("Deny")
    assert (audit.source.spec.action, deny.source.spec.action) == ("Audit", "Deny")
    assert deny.invariants is audit.invariants


def test_invariants_are_judged_in_their_order() -> None:
    frozen, preserved = (
        "{name: z, frozen: {fields: [status.b, status.a]}}",
        "{name: a, preserved: {fields: [status.b]}}",
    )
    found = judge("status: {a: 1, b: 1}", "status: {}", frozen, preserved)
    assert found == [("z", "status.b"), ("z", "status.a"), ("a", "status.b")]


def test_the_guard_is_said_in_words() -> None:
    text = """
    when: [{field: status.a, operator: Exists}, {field: status.b, operator: In, values: [x], of: old}]
    frozen: {fields: [status.c]}
    """
    (invariant,) = rule(text).invariants
    assert invariant.guard == 'status.a is set and status.b is "x" before the write'


def test_what_a_document_holds_is_not_changed() -> None:
    document = snippet("{kind: ClusterStatusRule, apiVersion: statusguard.dev/v1alpha1, metadata: {name: r}, spec: {}}")
    before = repr(document)
    with pytest.raises(InvalidRuleError):
        compile_rule(document)
    assert repr(document) == before
