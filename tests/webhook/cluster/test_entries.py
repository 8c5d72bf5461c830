from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.compile import CompiledRule
from rules.native.prefilter import MAX_SIZE
from webhook.cluster.entries import Entry, EntryKey, Plan, Policy, name_of, plan, rule_sets

from .manifests import WIDGETS, compiled, resources

DNS_NAME = re.compile(r"(?=.{1,238}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def planned(*rules: CompiledRule, guarded: tuple[str, ...] = (), deny: tuple[tuple[str, str], ...] = ()) -> Plan:
    return plan(rules, Policy(frozenset(("", name) for name in guarded), frozenset(deny)))


def judging(found: Plan) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return title and action of the rules of each entry, by its group and resource."""
    return {
        (entry.key.group, entry.key.resource): [(each.title, each.source.spec.action) for each in entry.rules]
        for entry in found.entries
    }


def test_rules_of_one_resource_share_an_entry() -> None:
    found = planned(compiled("a"), compiled("b"), compiled("c", resources("gadgets/status")))
    assert judging(found) == {
        ("example.test", "gadgets/status"): [("c", "Deny")],
        ("example.test", WIDGETS): [("a", "Deny"), ("b", "Deny")],
    }
    assert found.remarks == {}
    assert {name: [each.title for each in rules.rules] for name, rules in rule_sets(found.entries).items()} == {
        entry.name: [each.title for each in entry.rules] for entry in found.entries
    }


def test_an_entry_is_for_one_group_version_resource_failure_policy_and_match_policy() -> None:
    found = planned(
        compiled("a", resources(versions=("v1", "v2"))),
        compiled("b", failurePolicy="Fail"),
        compiled("c", matchConstraints={"matchPolicy": "Equivalent"}),
        compiled("d", resources(scope="Namespaced")),
    )
    keys = [
        (each.key.version, each.key.failure_policy, each.key.match_policy, each.key.scope) for each in found.entries
    ]
    assert sorted(keys) == [
        ("v1", "Fail", "Exact", "*"),
        ("v1", "Ignore", "Equivalent", "*"),
        ("v1", "Ignore", "Exact", "*"),
        ("v1", "Ignore", "Exact", "Namespaced"),
        ("v2", "Ignore", "Exact", "*"),
    ]
    assert len({entry.name for entry in found.entries}) == 5


def test_the_operations_of_all_rules_of_an_entry_are_asked_for() -> None:
    rules = (compiled("a", prefilter="Off"), compiled("b", resources(operations=["CREATE"])))
    (entry,) = planned(*rules).entries
    assert entry.operations == ("CREATE", "UPDATE")


def test_a_rule_without_a_prefilter_does_not_cost_the_others_theirs() -> None:
    found = planned(compiled("a"), compiled("b"), compiled("c", prefilter="Off"))
    assert {each.key.part: [rule.title for rule in each.rules] for each in found.entries} == {0: ["c"], 1: ["a", "b"]}
    assert [each.suspect(lists=True) is None for each in sorted(found.entries, key=lambda entry: entry.key.part)] == [
        True,
        False,
    ]


def test_rules_share_an_entry_as_far_as_one_expression_can_hold_them() -> None:
    fields = [f"status.{letter * 100}" for letter in "abcdefgh"]
    rules = [
        compiled(
            f"r{number}", invariants=[{"name": "i", "monotonic": {"fields": fields, "direction": "NonDecreasing"}}]
        )
        for number in range(6)
    ]
    found = planned(*rules).entries
    assert 1 < len(found) <= 6
    assert sorted(rule.title for each in found for rule in each.rules) == [rule.title for rule in rules]
    for entry in found:
        assert len(entry.suspect(lists=True) or "") <= MAX_SIZE


def test_creations_are_asked_for_only_by_rules_that_judge_them() -> None:
    found = planned(compiled("a"), compiled("b", resources(operations=["CREATE", "UPDATE"]))).entries
    assert {each.key.part: each.operations for each in found} == {0: ("CREATE", "UPDATE"), 1: ("UPDATE",)}


def test_what_a_prefilter_can_tell_is_said_of_each_rule() -> None:
    found = planned(compiled("a"), compiled("b", prefilter="Off")).prefilters
    assert {title: each.mode for title, each in found.items()} == {"a": "Full", "b": "Off"}


def test_a_rule_with_cel_has_an_entry_of_its_own() -> None:
    expression = {"name": "cel", "cel": {"expression": "true"}}
    condition = {"name": "c", "expression": "true"}
    found = planned(
        compiled("plain"),
        compiled("cel", invariants=[expression]),
        compiled("conditional", matchConditions=[condition]),
    )
    assert sorted((each.key.owner, len(each.rules)) for each in found.entries) == [
        ("", 1),
        ("cel", 1),
        ("conditional", 1),
    ]


def test_a_rule_that_fails_closed_and_enforces_while_deleting_has_another_entry_than_one_that_does_not() -> None:
    strict = compiled("strict", failurePolicy="Fail", enforceWhileDeleting=True)
    found = planned(strict, compiled("closed", failurePolicy="Fail"), compiled("open", enforceWhileDeleting=True))
    assert sorted((each.rules[0].title, each.key.while_deleting) for each in found.entries) == [
        ("closed", False),
        ("open", False),
        ("strict", True),
    ]


def test_what_is_never_guarded_is_left_out_and_said() -> None:
    found = planned(compiled("a", resources("leases", "widgets", group="coordination.k8s.io")))
    assert judging(found) == {("coordination.k8s.io", "widgets"): [("a", "Deny")]}
    (remark,) = found.remarks["a"]
    assert remark.startswith("leases of coordination.k8s.io is never guarded: leader election")


def test_all_groups_and_fail_are_not_served() -> None:
    found = planned(compiled("a", resources("*/status", group="*"), failurePolicy="Fail"))
    assert found.entries == ()
    assert "would stop the whole cluster" in found.remarks["a"][0]


@pytest.mark.parametrize("resource", ["pods/status", "nodes/status", "persistentvolumes/status", "pods"])
@pytest.mark.parametrize("action", ["Deny", "Warn"])
def test_what_kubelets_write_is_only_reported(resource: str, action: str) -> None:
    rule = compiled("a", resources(resource, group=""), validationActions=[action], failurePolicy="Fail")
    found = planned(rule)
    (entry,) = found.entries
    spec = entry.rules[0].source.spec
    assert (spec.action, spec.failure_policy, entry.key.failure_policy) == ("Audit", "Ignore", "Ignore")
    assert "only reported" in found.remarks["a"][0]
    guarded = planned(rule, guarded=(resource.partition("/")[0],))
    assert (guarded.entries[0].rules, guarded.remarks) == ((rule,), {})


def test_a_rule_that_only_reports_is_served_as_it_is() -> None:
    rule = compiled("a", resources("pods/status", group=""), validationActions=["Audit"])
    found = planned(rule)
    assert (found.entries[0].rules, found.remarks) == ((rule,), {})


@pytest.mark.parametrize("group", ["*", ""])
def test_a_wildcard_only_reports_what_kubelets_write_and_refuses_the_rest(group: str) -> None:
    found = planned(compiled("a", resources("*/status", group=group)))
    assert judging(found) == {
        ("", "nodes/status"): [("a", "Audit")],
        ("", "persistentvolumes/status"): [("a", "Audit")],
        ("", "pods/status"): [("a", "Audit")],
        (group, "*/status"): [("a", "Deny")],
    }
    assert len(found.remarks["a"]) == 3


def test_a_namespaced_rule_has_an_entry_of_its_own_and_refuses_only_what_the_settings_allow() -> None:
    rule = compiled("a", namespace="team")
    found = planned(compiled("everywhere"), rule)
    assert sorted((each.key.namespace, each.rules[0].title) for each in found.entries) == [
        ("", "everywhere"),
        ("team", "team/a"),
    ]
    assert judging(planned(rule))["example.test", WIDGETS] == [("team/a", "Audit")]
    assert "only reported" in found.remarks["team/a"][0]


@pytest.mark.parametrize("pair", [("example.test", "widgets"), ("example.test", "*"), ("*", "*")])
def test_the_settings_let_a_namespaced_rule_refuse(pair: tuple[str, str]) -> None:
    found = planned(compiled("a", namespace="team"), deny=(pair,))
    assert judging(found)["example.test", WIDGETS] == [("team/a", "Deny")]
    assert found.remarks == {}


def test_a_namespaced_rule_may_warn() -> None:
    found = planned(compiled("a", namespace="team", validationActions=["Warn"]))
    assert judging(found)["example.test", WIDGETS] == [("team/a", "Warn")]


def test_a_remark_is_made_once() -> None:
    twice = resources("leases", group="coordination.k8s.io", versions=("v1", "v1beta1"))
    assert len(planned(compiled("a", twice + twice)).remarks["a"]) == 1


def test_the_order_of_rules_does_not_matter() -> None:
    rules = [compiled("a"), compiled("b", resources("gadgets/status")), compiled("c", failurePolicy="Fail")]
    assert [each.name for each in planned(*rules).entries] == [each.name for each in planned(*reversed(rules)).entries]


KEYS = st.builds(
    EntryKey,
    group=st.sampled_from(["", "*", "apps", "a.very.long.example.test", "x" * 253]),
    version=st.sampled_from(["*", "v1", "v1beta1"]),
    resource=st.sampled_from(["*", "*/*", "*/status", "widgets", "widgets/status", "y" * 63 + "/status"]),
    scope=st.sampled_from(["*", "Cluster", "Namespaced"]),
    failure_policy=st.sampled_from(["Ignore", "Fail"]),
    match_policy=st.sampled_from(["Exact", "Equivalent"]),
    namespace=st.sampled_from(["", "team", "z" * 63]),
    owner=st.sampled_from(["", "rule", "team/rule", "r" * 253, "a.b-c"]),
    while_deleting=st.booleans(),
)


@given(KEYS)
def test_the_name_of_an_entry_is_a_dns_name(key: EntryKey) -> None:
    assert DNS_NAME.fullmatch(name_of(key)), name_of(key)


@given(KEYS, KEYS)
def test_different_entries_have_different_names(one: EntryKey, other: EntryKey) -> None:
    assert (name_of(one) == name_of(other)) is (one == other)


def test_a_name_can_be_read() -> None:
    (entry,) = planned(compiled("a")).entries
    assert entry.name.rpartition(".")[0] == "widgets-status.v1.example.test.ignore"


def test_an_entry_judges_by_its_own_rules() -> None:
    (entry,) = planned(compiled("a")).entries
    assert isinstance(entry, Entry)
    assert entry.rule_set().rules == entry.rules
