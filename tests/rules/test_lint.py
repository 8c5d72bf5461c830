from __future__ import annotations

from typing import Any

import pytest

from rules.compile import CompiledRule, compile_rule
from rules.lint import doubles, warnings

from .judging import rule, snippet

FROZEN = "frozen: {fields: [status.a]}"
GENERIC = "observedGeneration: {}"
CONDITIONS = "conditions: {}"
XS = {"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["xs/status"]}


def made(*invariants: str, resources: str = "{}", constraints: str = "{}", **spec: Any) -> CompiledRule:
    """Return a rule about `xs/status` of g/v1."""
    match = {"resourceRules": [XS | snippet(resources)], **snippet(constraints)}
    return rule(*invariants, matchConstraints=match, **spec)


def codes(compiled: CompiledRule) -> list[str]:
    found = list(warnings(compiled))
    assert all(problem.severity == "warning" and "\n" not in problem.message for problem in found)
    return [problem.code for problem in found]


def test_an_ordinary_rule_is_not_warned_of() -> None:
    assert codes(made(FROZEN, GENERIC, CONDITIONS)) == []


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ("{operations: [CREATE]}", ["never-matches"]),
        ("{operations: [CREATE, UPDATE]}", []),
        ("{operations: [CREATE], resources: [xs]}", []),
        ("{operations: [CREATE], resources: [xs, xs/status]}", []),
        ("{scope: Cluster}", []),
        ("{apiGroups: [apps/v1]}", ["never-matches"]),
        ("{apiVersions: [apps/v1]}", ["never-matches"]),
    ],
)
def test_a_subresource_is_never_created(resources: str, expected: list[str]) -> None:
    assert codes(made(FROZEN, resources=resources)) == expected


@pytest.mark.parametrize(
    ("excluded", "expected"),
    [
        ("{}", ["never-matches"]),
        ("{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']}", ["never-matches"]),
        ("{resources: [ys/status]}", []),
        ("{apiVersions: [v2]}", []),
        ("{operations: [CREATE]}", []),
        ("{resourceNames: [a]}", []),
        ("{scope: Namespaced}", []),
    ],
)
def test_a_rule_that_leaves_out_all_that_it_names(excluded: str, expected: list[str]) -> None:
    exclusion = XS | snippet(excluded)
    match = {"resourceRules": [XS], "excludeResourceRules": [exclusion]}
    assert codes(rule(FROZEN, matchConstraints=match)) == expected


def test_a_status_rule_about_cluster_objects() -> None:
    document = snippet("""
    apiVersion: statusguard.dev/v1alpha1
    kind: StatusRule
    metadata: {name: r}
    spec:
      matchConstraints: {resourceRules: [{apiGroups: [g], apiVersions: [v1], resources: [xs/status], scope: Cluster}]}
      invariants: [{name: i, frozen: {fields: [status.a]}}]
    """)
    assert codes(compile_rule(document)) == ["never-matches"]


def test_equivalent_depends_on_the_conversion_webhook() -> None:
    (problem,) = warnings(made(FROZEN, constraints="{matchPolicy: Equivalent}"))
    assert (problem.code, problem.location) == ("equivalent", ("spec", "matchConstraints", "matchPolicy"))


@pytest.mark.parametrize(
    ("denial", "actions", "expected"),
    [
        ({"code": 429}, ["Deny"], ["hot-retry"]),
        ({"code": 503}, ["Deny"], ["hot-retry"]),
        ({"code": 409}, ["Deny"], []),
        ({"code": 429}, ["Audit"], []),
    ],
)
def test_codes_that_clients_retry_at_once(denial: dict[str, Any], actions: list[str], expected: list[str]) -> None:
    assert codes(made(FROZEN, denial=denial, validationActions=actions)) == expected


def test_deny_on_single_manager() -> None:
    text = "coUpdate: {fields: [status.a, status.b], singleManager: true}"
    assert codes(made(FROZEN, text, validationActions=["Audit"])) == ["single-manager"]
    deny = list(warnings(made(FROZEN, text, validationActions=["Deny"])))
    assert {problem.code for problem in deny} == {"deny-single-manager", "single-manager"}
    assert {problem.location for problem in deny} == {("spec", "invariants", 1, "coUpdate", "singleManager")}


@pytest.mark.parametrize(
    ("groups", "invariants", "actions", "expected"),
    [
        pytest.param(["cluster.x-k8s.io"], [FROZEN, CONDITIONS], ["Deny"], ["two-requests"], id="mixed"),
        pytest.param(["infrastructure.cluster.x-k8s.io"], [GENERIC], ["Deny"], ["two-requests"], id="one invariant"),
        pytest.param(["cluster.x-k8s.io"], [FROZEN, CONDITIONS], ["Audit"], [], id="Audit"),
        pytest.param(["cluster.x-k8s.io"], [CONDITIONS], ["Deny"], [], id="conditions only"),
        pytest.param(["cluster.x-k8s.io"], [FROZEN], ["Deny"], [], id="the rest only"),
        pytest.param(["g"], [FROZEN, CONDITIONS], ["Deny"], [], id="another system"),
        pytest.param(["mycluster.x-k8s.io"], [FROZEN, CONDITIONS], ["Deny"], [], id="a name that only ends alike"),
    ],
)
def test_no_deny_mixes_what_a_system_writes_in_two_requests(
    groups: list[str], invariants: list[str], actions: list[str], expected: list[str]
) -> None:
    match = {"resourceRules": [{"apiGroups": groups, "apiVersions": ["v1"], "resources": ["xs/status"]}]}
    assert codes(rule(*invariants, matchConstraints=match, validationActions=actions)) == expected


@pytest.mark.parametrize(
    ("resources", "invariants", "expected"),
    [
        ("{apiGroups: ['*'], resources: ['*/status']}", [GENERIC, CONDITIONS], []),
        ("{resources: ['*/status']}", [FROZEN], ["wildcard-reads-more"]),
        ("{apiGroups: ['*']}", [FROZEN], ["wildcard-reads-more"]),
        ("{apiVersions: ['*']}", [FROZEN], []),
        ("{resources: ['*']}", ["frozen: {fields: [metadata.labels, status.conditions]}"], []),
        ("{resources: ['*']}", ["frozen: {fields: [status]}"], ["wildcard-reads-more"]),
        ("{resources: ['*']}", ["frozen: {fields: [spec.a, spec.b]}"], ["wildcard-reads-more"] * 2),
    ],
)
def test_a_rule_for_everything_reads_only_what_everything_has(
    resources: str, invariants: list[str], expected: list[str]
) -> None:
    assert codes(made(*invariants, resources=resources)) == expected


def test_warnings_of_a_kind_have_their_place_in_the_document() -> None:
    (problem,) = warnings(made(FROZEN, "conditions: {lastTransitionTime: WithStatus}"))
    assert problem.location == ("spec", "invariants", 1, "conditions", "lastTransitionTime")


def test_two_rules_that_say_the_same() -> None:
    first, same, other = (
        made(FROZEN, name="a"),
        made(FROZEN, name="b", validationActions=["Warn"]),
        made(GENERIC, name="c"),
    )
    ((compiled, problem),) = doubles([first, same, other])
    assert compiled is same
    assert problem.message == "says the same as rule a: every violation is reported twice"
    assert (problem.location, problem.code, problem.severity) == (("metadata", "name"), "same-rule", "warning")
