from __future__ import annotations

from typing import Any

from webhook.cluster.cluster_rules import ClusterRules

from .manifests import broken, manifest

Object = dict[str, Any]


def stored(rule: Object, generation: int = 1, uid: str = "u") -> Object:
    """Return a rule as the API server has it."""
    return {**rule, "metadata": {**rule["metadata"], "uid": uid, "generation": generation}}


def served(rules: ClusterRules) -> list[tuple[str, str]]:
    return [(each.title, each.source.spec.action) for each in rules.served()]


def test_it_takes_up_what_there_is() -> None:
    rules = ClusterRules()
    assert rules.update([stored(manifest("a")), stored(manifest("a", namespace="team"))])
    assert served(rules) == [("a", "Deny"), ("team/a", "Deny")]
    assert list(rules.by_identity) == [("ClusterStatusRule", "", "a"), ("StatusRule", "team", "a")]
    assert rules.update([])
    assert served(rules) == []


def test_a_status_that_was_written_is_no_change_and_nothing_is_compiled_again() -> None:
    rules = ClusterRules()
    rules.update([stored(manifest("a"))])
    before = rules.by_identity["ClusterStatusRule", "", "a"].served
    with_status = {**stored(manifest("a")), "status": {"observedGeneration": 1}}
    assert not rules.update([with_status])
    after = rules.by_identity["ClusterStatusRule", "", "a"]
    assert after.served is before
    assert after.manifest["status"] == {"observedGeneration": 1}


def test_a_changed_rule_is_compiled_anew() -> None:
    rules = ClusterRules()
    rules.update([stored(manifest("a"))])
    assert rules.update([stored(manifest("a", validationActions=["Warn"]), 2)])
    assert served(rules) == [("a", "Warn")]


def test_a_broken_rule_keeps_its_last_good_version() -> None:
    rules = ClusterRules()
    rules.update([stored(manifest("a"))])
    assert rules.update([stored(broken("a"), 2)])
    (rule,) = rules.by_identity.values()
    assert served(rules) == [("a", "Deny")]
    assert rule.generation == 2
    assert rule.problems[0].startswith("spec.invariants[0]")
    assert rules.update([stored(broken("a"), 3)])
    assert served(rules) == [("a", "Deny")]
    assert rules.update([stored(manifest("a", validationActions=["Warn"]), 4)])
    assert served(rules) == [("a", "Warn")]
    assert not rules.by_identity["ClusterStatusRule", "", "a"].problems


def test_a_rule_that_was_never_good_is_not_served() -> None:
    rules = ClusterRules()
    assert rules.update([stored(broken("a"))])
    assert served(rules) == []


def test_another_object_of_the_same_name_inherits_nothing() -> None:
    rules = ClusterRules()
    rules.update([stored(manifest("a"))])
    assert rules.update([stored(broken("a"), uid="another")])
    assert served(rules) == []
