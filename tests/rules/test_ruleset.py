from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rules.check import Check, Checks
from rules.compile import CompiledRule, compile_rule
from rules.ruleset import RuleSet, judge
from rules.violation import RuleVerdict
from rules.write import Request, Resource, Roots, UndecodableError, Write

from .judging import broken, rule, snippet, verdict, write

FROZEN = "frozen: {fields: [status.a]}"
GUARDED = f"{{when: [{{field: status.on, operator: Exists, of: old}}], {FROZEN}}}"
REQUIRED = """
when: [{field: status.on, operator: Exists}]
require: {all: [{field: status.a, operator: Exists}]}
"""


@pytest.mark.parametrize(
    ("invariant", "old", "new", "expected"),
    [
        pytest.param("relation: {holds: [status.a <= 1]}", "{a: 2}", "{a: 2, b: 1}", [], id="a fault from before"),
        pytest.param(
            "relation: {holds: [status.a <= 1]}", "{a: 2}", "{a: 3}", ["status.a"], id="a fault that is touched"
        ),
        pytest.param("relation: {holds: [status.a <= 1]}", "{a: 2}", "{a: 2.0}", [], id="spelt anew"),
        pytest.param(REQUIRED, "{}", "{on: 1}", ["status.a"], id="what `when` reads changed"),
        pytest.param(REQUIRED, "{on: 1}", "{on: 2}", ["status.a"], id="it changed and holds as before"),
        pytest.param(REQUIRED, "{on: 1}", "{on: 1, b: 1}", [], id="nothing that is read changed"),
        pytest.param(GUARDED, "{on: 1, a: 1}", "{a: 2}", ["status.a"], id="a guard that asks the old side"),
        pytest.param(GUARDED, "{a: 1}", "{on: 1, a: 2}", [], id="does not hold on the old side"),
    ],
)
def test_only_what_the_write_changed_is_judged(invariant: str, old: str, new: str, expected: list[str]) -> None:
    assert broken(invariant, f"status: {old}", f"status: {new}") == expected


def test_of_does_not_matter_for_what_a_guard_reads() -> None:
    # Both sides of `status.on` are read: it changed, so the requirement is judged anew though `a` did not change.
    invariant = """
    when: [{field: status.on, operator: DoesNotExist, of: old}]
    require: {all: [{field: status.a, operator: Exists}]}
    """
    assert broken(invariant, "status: {}", "status: {on: 1}") == ["status.a"]


def named(name: str, resources: str, **spec: Any) -> CompiledRule:
    group, version, resource = resources.split(" ")
    constraints = {"resourceRules": [{"apiGroups": [group], "apiVersions": [version], "resources": [resource]}]}
    return rule(FROZEN, name=name, matchConstraints=constraints, **spec)


def test_rules_are_found_by_resource_in_their_order() -> None:
    rules = RuleSet([named("b", "g v1 xs/status"), named("a", "* * */status"), named("c", "g v1 xs")])
    request = Request(Resource("g", "v1", "xs", "status"))
    for _ in range(2):  # the second time it is remembered
        assert [each.title for each in rules.concerned(request)] == ["b", "a"]
    assert [each.title for each in rules.concerned(Request(Resource("g", "v1", "xs")))] == ["c"]
    assert rules.concerned(Request(Resource("g", "v1", "ys"))) == []


def test_resources_that_nobody_serves_do_not_fill_the_memory() -> None:
    rules = RuleSet([named("a", "* * */status")])
    for index in range(5_000):
        assert len(rules.concerned(Request(Resource("g", f"v{index}", "xs", "status")))) == 1
    assert len(rules._by_resource) == 4_096


def test_a_status_rule_is_about_objects_of_its_namespace() -> None:
    document = snippet("""
    apiVersion: statusguard.dev/v1alpha1
    kind: StatusRule
    metadata: {name: r, namespace: team}
    spec:
      matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']}]}
      invariants: [{name: i, frozen: {fields: [status.a]}}]
    """)
    rules = RuleSet([compile_rule(document)])
    resource = Resource("g", "v1", "xs", "status")
    assert len(rules.concerned(Request(resource, namespace="team"))) == 1
    assert rules.concerned(Request(resource, namespace="other")) == []
    assert rules.concerned(Request(resource)) == []


CHANGE = ("status: {a: 1}", "status: {a: 2}")


@pytest.mark.parametrize(
    ("exemptions", "exempt"),
    [
        ("{users: [repairer]}", True),
        ("{users: [repair]}", False),
        ("{users: ['*']}", False),
        ("{groups: [ops]}", True),
        ("{groups: [op]}", False),
        ("{}", False),
    ],
)
def test_exempted_writers_are_never_judged_and_always_counted(exemptions: str, *, exempt: bool) -> None:
    compiled = rule(FROZEN, exemptions=snippet(exemptions))
    found = verdict(compiled, write(*CHANGE, username="repairer", groups=("system:authenticated", "ops")))
    assert found.exempt is exempt
    assert len(found.violations) == (0 if exempt else 1)


def test_a_rule_whose_match_conditions_do_not_hold_is_skipped() -> None:
    def judged(expression: str) -> list[RuleVerdict]:
        return judge([rule(FROZEN, matchConditions=[{"name": "c", "expression": expression}])], write(*CHANGE))

    assert [len(each.violations) for each in judged("object.status.a == 2")] == [1]
    assert judged("object.status.a == 1") == []
    (failed,) = judged("object.status.gone == 1")
    assert failed.error is not None
    assert failed.error.startswith("matchCondition c: ")


def raising(error: Exception) -> CompiledRule:
    """Return a rule whose only check raises."""

    def fail(*_: Any) -> Any:
        raise error

    compiled = rule(FROZEN)
    invariant = replace(compiled.invariants[0], checks=Checks((Check(fail, fail),), ()))
    return replace(compiled, invariants=(invariant,))


@pytest.mark.parametrize(
    ("error", "message", "unreadable", "is_defect"),
    [
        (UndecodableError("object.status cannot be decoded"), "object.status cannot be decoded", True, False),
        (RecursionError(), "the object is nested too deeply to be judged", True, False),
        (ValueError("secret"), "internal error: ValueError", False, True),
    ],
)
def test_what_keeps_a_rule_from_judging(error: Exception, message: str, *, unreadable: bool, is_defect: bool) -> None:
    found = verdict(raising(error), write(*CHANGE))
    assert (found.error, found.unreadable, found.violations) == (message, unreadable, ())
    assert found.defect is (error if is_defect else None)


def test_one_rule_that_fails_does_not_keep_the_others_from_judging() -> None:
    verdicts = judge([raising(ValueError()), rule(FROZEN)], write(*CHANGE))
    assert [len(each.violations) for each in verdicts] == [0, 1]


def test_a_rule_that_does_not_read_a_root_never_asks_for_it() -> None:
    def decode(name: str) -> Any:
        if name == "spec":
            raise UndecodableError("object.spec cannot be decoded")
        return {"a": 1}

    to_judge = Write(write(*CHANGE).request, Roots(decode=decode), Roots({"status": {"a": 2}}))
    assert verdict(rule(FROZEN), to_judge).error is None
    assert verdict(rule("frozen: {fields: [spec.a]}"), to_judge).error == "object.spec cannot be decoded"


def test_what_a_violation_tells() -> None:
    text = "{name: stays, message: See the runbook., when: [{field: status.a, operator: Exists}], frozen: {fields: [status.a]}}"
    (violation,) = verdict(rule(text, name="r", validationActions=["Deny"]), write(*CHANGE)).violations
    assert (violation.rule, violation.invariant, violation.kind, violation.action) == ("r", "stays", "frozen", "Deny")
    assert (violation.field, violation.finding.old, violation.finding.new) == ("status.a", 1, 2)
    assert (violation.message, violation.guard) == ("See the runbook.", "status.a is set")
    assert not violation.cured_by_waiting


def test_type_mismatches_are_counted_for_each_rule() -> None:
    found = verdict(rule("frozen: {fields: [status.a.b]}"), write(*CHANGE))
    assert (found.type_mismatches, found.violations) == (2, ())
