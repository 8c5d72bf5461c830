"""A rule as a ValidatingAdmissionPolicy: the whole document, and each part that the rule's words become."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rules.compile import compile_rule
from rules.documents import parse
from rules.native.losses import grouped
from rules.native.vap import Policy, policy
from rules.yaml_writer import write_yaml
from tests.golden import DATA, compare
from tests.rules.strategies.invariants import Json

from .engine import denied
from .writes import document

BOUNDS: Json = {"name": "bounds", "relation": {"holds": ["status.ready <= status.replicas"]}}


def every_kind() -> Policy:
    path = DATA / "every-kind.yaml"
    return policy(compile_rule(parse(path.read_bytes(), path.name)[0].data).source)


def exported(**spec: Any) -> Policy:
    return policy(compile_rule(document({"invariants": [BOUNDS], **spec})).source)


def written(found: Policy) -> tuple[Json, Json]:
    """Return the specs of the policy and of its binding."""
    one, binding = found.documents()
    return one["spec"], binding["spec"]


def test_a_rule_with_everything() -> None:
    found = every_kind()
    lines = "".join(f"# lost: {lost}\n" for lost in grouped(found.lost))
    compare("every-kind.policy.yaml", lines + "---\n".join(map(write_yaml, found.documents())))


def test_each_invariant_has_a_validation_or_is_said_to_be_left_out() -> None:
    found = every_kind()
    left_out = {loss.invariant for loss in found.lost if loss.whole}
    said = {validation.invariant for validation in found.validations}
    assert {invariant.name for invariant in found.rule.spec.invariants} <= said | left_out


def test_the_names_are_the_rules() -> None:
    for each in exported().documents():
        assert each["metadata"] == {"name": "r"}
    assert written(exported())[1]["policyName"] == "r"


def test_a_rule_of_a_namespace_is_bound_to_it() -> None:
    rule = document({"invariants": [BOUNDS]})
    rule |= {"kind": "StatusRule", "metadata": {"name": "r", "namespace": "team"}}
    found = policy(compile_rule(rule).source)
    assert found.name == "team.r"
    own = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "team"}}}
    assert written(found)[1] == {"policyName": "team.r", "validationActions": ["Audit"], "matchResources": own}


def test_a_name_that_is_too_long_is_cut_and_told_apart() -> None:
    rule = document({"invariants": [BOUNDS]})
    names = []
    for end in "ab":
        metadata = {"name": f"{'.x' * 120}{end}"[1:], "namespace": "team-of-a-rule"}
        one, binding = policy(compile_rule({**rule, "kind": "StatusRule", "metadata": metadata}).source).documents()
        assert one["metadata"]["name"] == binding["metadata"]["name"] == binding["spec"]["policyName"]
        names.append(one["metadata"]["name"])
    assert len(set(names)) == 2
    for name in names:
        assert re.fullmatch(r"team-of-a-rule(\.x)+\.[0-9a-f]{8}", name)
        assert len(name) <= 253


@pytest.mark.parametrize(
    ("denial", "reason", "lost"),
    [
        ({"code": 403, "reason": "Forbidden"}, "Forbidden", []),
        ({"code": 422, "reason": "Invalid"}, "Invalid", []),
        ({"code": 429, "reason": "TooManyRequests"}, None, ["a denial is 422 Invalid, never 429 TooManyRequests"]),
        (None, None, ["a denial is 422 Invalid, never 409 Conflict"]),
    ],
)
def test_a_denial_keeps_the_reasons_that_a_policy_may_give(denial: Any, reason: str | None, lost: list[str]) -> None:
    found = exported(validationActions=["Deny"], denial=denial)
    assert {each.get("reason") for each in written(found)[0]["validations"]} == {reason}
    assert [loss.what for loss in found.lost if "a denial is" in loss.what] == lost


@pytest.mark.parametrize(
    ("spec", "condition"),
    [
        ({"exemptions": {"users": ["root"]}}, "!(request.userInfo.username in ['root'])"),
        ({"validationActions": ["Warn"]}, "!has(object.metadata.deletionTimestamp)"),
        ({"matchConditions": [{"name": "own", "expression": "object != null"}]}, "object != null"),
    ],
)
def test_what_keeps_a_rule_from_judging_is_a_condition(spec: Json, condition: str) -> None:
    assert [each["expression"] for each in written(exported(**spec))[0]["matchConditions"]] == [condition]


def test_a_rule_that_only_reports_judges_what_goes_away_too() -> None:
    assert "matchConditions" not in written(exported())[0]


def test_a_pattern_is_tried_on_scalars_with_no_word_of_what_else_there_may_be() -> None:
    when = [{"field": "status.phase", "operator": "Matches", "values": ["Run.*"]}]
    [validation] = written(exported(invariants=[{**BOUNDS, "when": when}]))[0]["validations"]
    assert "string(variables.phase).matches(" in validation["expression"]
    assert "{...}" not in validation["expression"]


def test_values_are_shown_but_those_that_are_sensitive() -> None:
    rule = compile_rule(document({"invariants": [BOUNDS]})).source
    [shown] = policy(rule).validations
    [hidden] = policy(rule, lambda field: field == "status.ready").validations
    assert "string(variables.ready)" in str(shown.message_expression)
    assert "string(variables.ready)" not in str(hidden.message_expression)
    assert "'<hidden>'" in str(hidden.message_expression)
    assert "string(variables.replicas)" in str(hidden.message_expression)


def test_a_rule_that_judges_creations_compares_with_nothing_there() -> None:
    match = {"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["things"], "operations": ["CREATE"]}
    found = exported(matchConstraints={"resourceRules": [match]})
    bad: Json = {"metadata": {}, "status": {"ready": 2, "replicas": 1}}
    assert denied(found, None, bad) == [0]
    assert denied(found, None, {**bad, "status": {"ready": 1, "replicas": 1}}) == []


FULL: Json = {"enforceWhileDeleting": True, "denial": {"code": 422, "reason": "Invalid"}}


def test_whole_is_what_loses_nothing_but_what_every_policy_loses() -> None:
    kept = {"name": "kept", "preserved": {"fields": ["status.a"]}}
    assert exported(validationActions=["Deny"], invariants=[kept], **FULL).is_whole
    assert not exported(validationActions=["Deny"], **FULL).is_whole


@pytest.mark.parametrize("without", FULL)
def test_what_a_denial_or_a_deletion_loses_counts(without: str) -> None:
    kept = {"name": "kept", "preserved": {"fields": ["status.a"]}}
    spec = {name: value for name, value in FULL.items() if name != without}
    assert not exported(validationActions=["Deny"], invariants=[kept], **spec).is_whole
