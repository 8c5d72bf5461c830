from __future__ import annotations

from typing import Any

import pytest

from rules.ruleset import judge
from rules.violation import RuleVerdict
from rules.write import Resource, Roots, UndecodableError, Write
from tests.rules.judging import WIDGETS, rule, snippet, write
from webhook.verdict import Verdict, decide, is_being_deleted

OLD = "{metadata: {generation: 9}, status: {a: 2, observedGeneration: 2, conditions: [{type: T, status: 'True'}]}}"
NEW = "{metadata: {generation: 9}, status: {a: 1, observedGeneration: 1, conditions: [{type: T}, {type: T}]}}"
CURED = {
    "observedGeneration": "observedGeneration: {}",
    "monotonic": "monotonic: {fields: [status.a], direction: NonDecreasing}",
    "coUpdate": "coUpdate: {fields: [status.a], stamp: status.b}",
    "preserved": "preserved: {fields: ['status.conditions[type].status']}",
    "writeOnce": "writeOnce: {fields: [status.a]}",
}
LASTING = {
    "relation": "relation: {holds: [status.a > 1]}",
    "require": "require: {all: [{field: status.a, operator: In, values: ['2']}]}",
    "transitions": "transitions: {field: status.a, terminal: ['2']}",
    "conditions": "conditions: {}",
    "frozen": "frozen: {fields: [status.a]}",
    "cel": "cel: {expression: 'object.status.a > 1'}",
}
CONFLICT, INVALID, INTERNAL = (409, "Conflict"), (422, "Invalid"), (500, "InternalError")
STATUS, MAIN, SCALE = (
    WIDGETS,
    Resource("example.test", "v1", "widgets"),
    Resource("example.test", "v1", "widgets", "scale"),
)


def decided(*rules: Any, old: str = OLD, new: str = NEW, resource: Resource = STATUS) -> Verdict:
    to_judge = write(old, new, resource=resource)
    return decide(judge(list(rules), to_judge), to_judge)


def deny(*invariants: str, **spec: Any) -> Any:
    return rule(*invariants, validationActions=["Deny"], **spec)


@pytest.mark.parametrize("kind", CURED)
def test_what_waiting_for_the_cache_cures_is_a_conflict(kind: str) -> None:
    assert decided(deny(CURED[kind])).code_and_reason == CONFLICT


@pytest.mark.parametrize("kind", LASTING)
def test_anything_else_is_invalid(kind: str) -> None:
    assert decided(deny(LASTING[kind])).code_and_reason == INVALID


@pytest.mark.parametrize("resource", [MAIN, SCALE])
@pytest.mark.parametrize("kind", CURED)
def test_off_the_status_subresource_nothing_is_a_conflict(kind: str, resource: Resource) -> None:
    assert decided(deny(CURED[kind]), resource=resource).code_and_reason == INVALID


def test_a_conflict_only_if_everything_broken_is_cured() -> None:
    assert decided(deny(*CURED.values())).code_and_reason == CONFLICT
    assert decided(deny(*CURED.values(), LASTING["frozen"])).code_and_reason == INVALID
    assert decided(deny(CURED["monotonic"]), deny(LASTING["frozen"], name="s")).code_and_reason == INVALID
    assert decided(deny(CURED["monotonic"]), rule(LASTING["frozen"], name="s")).code_and_reason == CONFLICT


@pytest.mark.parametrize(
    ("denial", "expected"),
    [
        ({"code": 403}, (403, "Forbidden")),
        ({"reason": "Invalid"}, INVALID),
        ({"code": 409, "reason": "AlreadyExists"}, (409, "AlreadyExists")),
    ],
)
def test_a_rule_may_say_its_own_code(denial: dict[str, Any], expected: tuple[int, str]) -> None:
    assert decided(deny(CURED["monotonic"], denial=denial)).code_and_reason == expected
    assert decided(deny(CURED["monotonic"], denial=denial), deny(CURED["writeOnce"])).code_and_reason == expected


def test_a_rule_may_call_a_lasting_fault_a_conflict() -> None:
    own = deny(LASTING["frozen"], denial={"code": 409})
    assert decided(own).code_and_reason == decided(own, deny(CURED["monotonic"])).code_and_reason == CONFLICT


@pytest.mark.parametrize("action", ["Warn", "Audit"])
def test_without_deny_a_write_passes(action: str) -> None:
    verdict = decided(rule(LASTING["frozen"], validationActions=[action]))
    assert (verdict.allowed, verdict.code_and_reason, verdict.denied) == (True, None, ())
    assert [judged.action for judged in verdict.judged] == [action]


def test_one_warning_a_rule_also_beside_a_denial() -> None:
    warns = [rule(*CURED.values(), name=name, validationActions=["Warn", "Audit"]) for name in ("a", "b")]
    verdict = decided(*warns, deny(LASTING["frozen"]), rule(LASTING["relation"], name="audit"))
    assert (verdict.allowed, verdict.warnings) == (False, 2)
    assert {name: len(found) for name, found in verdict.warned_rules().items()} == {"a": 5, "b": 5}
    assert [violation.invariant for violation in verdict.denied] == ["i"]
    assert len(verdict.judged) == 12


DELETING = "deletionTimestamp: '2026-01-01T00:00:00Z'"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(OLD.replace("generation: 9", DELETING), NEW.replace("generation: 9", DELETING), id="both sides"),
        pytest.param(OLD, NEW.replace("generation: 9", DELETING), id="the new side"),
        pytest.param(OLD.replace("generation: 9", DELETING), NEW, id="the old side"),
    ],
)
@pytest.mark.parametrize("action", ["Deny", "Warn", "Audit"])
def test_on_an_object_that_is_being_deleted_deny_and_warn_become_audit(old: str, new: str, action: str) -> None:
    verdict = decided(rule(LASTING["frozen"], validationActions=[action]), old=old, new=new)
    assert (verdict.allowed, verdict.warnings) == (True, 0)
    assert [judged.action for judged in verdict.judged] == ["Audit"]
    enforced = rule(LASTING["frozen"], validationActions=[action], enforceWhileDeleting=True)
    assert [judged.action for judged in decided(enforced, old=old, new=new).judged] == [action]


@pytest.mark.parametrize("metadata", ["{deletionTimestamp: null}", "{}", "null", "[deletionTimestamp]"])
def test_what_is_not_being_deleted(metadata: str) -> None:
    assert not is_being_deleted(write(f"metadata: {metadata}", f"metadata: {metadata}"))


def test_metadata_that_cannot_be_decoded_says_nothing_of_deletion() -> None:
    def fail(name: str) -> Any:
        raise UndecodableError(name)

    request = write("{}", "{}").request
    assert not is_being_deleted(Write(request, Roots(decode=fail), Roots(decode=fail)))
    deleting = Roots({"metadata": snippet(f"{{{DELETING}}}")})
    assert is_being_deleted(Write(request, Roots(decode=fail), deleting))


def failed(policy: str, name: str = "broken") -> RuleVerdict:
    return RuleVerdict(rule(LASTING["frozen"], name=name, failurePolicy=policy), error="too deep")


def test_an_error_while_judging_is_up_to_the_failure_policy() -> None:
    to_judge = write(OLD, NEW)
    ignored = decide([failed("Ignore")], to_judge)
    assert (ignored.allowed, ignored.warnings, [error.refuses for error in ignored.errors]) == (True, 1, [False])
    refused = decide([failed("Fail")], to_judge)
    assert (refused.code_and_reason, refused.warnings, [error.refuses for error in refused.errors]) == (
        INTERNAL,
        0,
        [True],
    )
    both = decide([failed("Ignore"), failed("Fail")], to_judge)
    assert (both.code_and_reason, both.warnings) == (INTERNAL, 1)


def test_a_violation_says_more_than_an_error() -> None:
    to_judge = write(OLD, NEW)
    verdicts = [failed("Fail"), *judge([deny(CURED["monotonic"])], to_judge)]
    assert decide(verdicts, to_judge).code_and_reason == CONFLICT
    verdicts = [failed("Fail"), *judge([rule(CURED["monotonic"])], to_judge)]
    assert decide(verdicts, to_judge).code_and_reason == INTERNAL


def test_an_honest_write_passes_without_a_word() -> None:
    assert decided(deny(*CURED.values(), *LASTING.values()), new=OLD) == Verdict()
    exempt = [RuleVerdict(rule(LASTING["frozen"]), exempt=True)]
    assert decide(exempt, write(OLD, NEW)) == Verdict()
