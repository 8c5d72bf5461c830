from __future__ import annotations

from typing import Any

import pytest

from rules.compile import CompiledRule, compile_rule
from rules.ruleset import RuleSet, judge
from rules.witness.target import Target, find_target
from tests.rules.judging import snippet

_INVARIANTS = "invariants: [{name: i, frozen: {fields: [status.a]}}]"


def rule(spec: str, kind: str = "ClusterStatusRule") -> CompiledRule:
    document = snippet(f"apiVersion: statusguard.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: r}}")
    if kind == "StatusRule":
        document["metadata"]["namespace"] = "team"
    document["spec"] = snippet(spec) | snippet(_INVARIANTS)
    return compile_rule(document)


def found(spec: str, kind: str = "ClusterStatusRule") -> Target:
    about_it = rule(spec, kind)
    target = find_target(about_it)
    assert target is not None
    write = target.write()
    assert RuleSet([about_it]).concerned(write.request) == [about_it]
    (verdict,) = judge([about_it], write)
    assert not verdict.exempt
    return target


def about(resources: str, rest: str = "") -> str:
    return f"matchConstraints: {{resourceRules: [{{{resources}}}]}}\n{rest}"


STACKS = "apiGroups: [pulumi.com], apiVersions: [v1], resources: [stacks/status]"


@pytest.mark.parametrize(
    ("resources", "api_version", "kind", "request_"),
    [
        (STACKS, "pulumi.com/v1", "Stack", {}),
        ("apiGroups: ['*'], apiVersions: ['*'], resources: ['*/status']", "example.test/v1", "Widget", {}),
        ("apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']", "example.test/v1", "Widget", {}),
        ("apiGroups: [''], apiVersions: [v1], resources: [pods/status]", "v1", "Pod", {}),
        ("apiGroups: [g], apiVersions: [v1], resources: [policies/status]", "g/v1", "Policy", {}),
        ("apiGroups: [g], apiVersions: [v1], resources: [ingresses/status]", "g/v1", "Ingress", {}),
        ("apiGroups: [g], apiVersions: [v1], resources: [boxes/status]", "g/v1", "Box", {}),
        ("apiGroups: [g], apiVersions: [v1], resources: [data/status]", "g/v1", "Data", {"resource": "data"}),
        ("apiGroups: [g], apiVersions: [v1], resources: [things]", "g/v1", "Thing", {"subresource": ""}),
        ("apiGroups: [g], apiVersions: [v1], resources: [things], operations: [CREATE]", "g/v1", "Thing", {}),
        (
            "apiGroups: [apps], apiVersions: [v1], resources: [deployments/scale]",
            "autoscaling/v1",
            "Scale",
            {"resource": {"group": "apps", "version": "v1", "resource": "deployments"}, "subresource": "scale"},
        ),
    ],
)
def test_the_object_is_of_the_resource(resources: str, api_version: str, kind: str, request_: dict[str, Any]) -> None:
    result = found(about(resources))
    assert (result.bare["apiVersion"], result.bare["kind"], result.request) == (api_version, kind, request_)


def test_an_update_is_preferred() -> None:
    assert not found(
        about("apiGroups: [g], apiVersions: [v1], resources: [things], operations: [CREATE, UPDATE]")
    ).creates
    assert found(about("apiGroups: [g], apiVersions: [v1], resources: [things], operations: [CREATE]")).creates


def test_names_and_scope() -> None:
    result = found(about(f"{STACKS}, resourceNames: [prod], scope: Cluster"))
    assert result.bare["metadata"] == {"name": "prod"}


def test_what_is_left_out_is_passed_over() -> None:
    excluded = f"excludeResourceRules: [{{{STACKS}, resourceNames: [example]}}]"
    spec = f"matchConstraints: {{resourceRules: [{{{STACKS}}}], {excluded}}}"
    assert found(spec).bare["metadata"]["name"] == "example-2"
    nothing = f"matchConstraints: {{resourceRules: [{{{STACKS}}}], excludeResourceRules: [{{{STACKS}}}]}}"
    assert find_target(rule(nothing)) is None


def test_a_status_rule_has_its_namespace() -> None:
    assert found(about(STACKS), "StatusRule").bare["metadata"]["namespace"] == "team"


def test_selectors_are_fulfilled() -> None:
    selectors = """
      namespaceSelector:
        matchLabels: {env: prod}
        matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [x]}]
      objectSelector: {matchExpressions: [{key: a, operator: Exists}, {key: b, operator: NotIn, values: [c]}]}
    """
    result = found(f"matchConstraints:\n      resourceRules: [{{{STACKS}}}]{selectors}")
    assert result.request["namespaceLabels"]["env"] == "prod"
    assert result.bare["metadata"] == {"name": "example", "namespace": "x", "labels": {"a": "example"}}


def test_the_writer_is_not_exempt() -> None:
    result = found(about(STACKS, "exemptions: {users: [statusguard-test, example-controller]}"))
    assert result.request["user"]["username"] == "example-controller-2"


@pytest.mark.parametrize(
    ("expression", "request_", "metadata"),
    [
        ("request.userInfo.username == 'system:kcm'", {"user": {"username": "system:kcm"}}, {}),
        ("'admins' in request.userInfo.groups", {"user": {"groups": ["admins"]}}, {}),
        ("object.metadata.labels['env'] == 'prod'", {}, {"labels": {"env": "prod"}}),
    ],
)
def test_match_conditions_are_fulfilled_where_one_value_does_it(
    expression: str, request_: dict[str, Any], metadata: dict[str, Any]
) -> None:
    result = found(about(STACKS, f'matchConditions: [{{name: c, expression: "{expression}"}}]'))
    assert result.request == request_
    assert result.bare["metadata"].items() >= metadata.items()


def test_a_condition_that_only_a_change_fulfils_is_left_to_the_search() -> None:
    condition = 'matchConditions: [{name: c, expression: "object.status != oldObject.status"}]'
    assert find_target(rule(about(STACKS, condition))) is not None
