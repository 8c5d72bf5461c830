from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from rules.api import RULE_KINDS, RuleSpec
from rules.compile import compile_rule, parse_rule

from .judging import rule, snippet

MINIMAL = """
apiVersion: statusguard.dev/v1alpha1
kind: {kind}
metadata: {{name: r}}
spec:
  matchConstraints: {{resourceRules: [{{apiGroups: [g], apiVersions: [v1], resources: [xs/status]}}]}}
  invariants: [{{name: i, observedGeneration: {{}}}}]
"""


def spec_of(kind: str = "ClusterStatusRule") -> RuleSpec:
    return parse_rule(snippet(MINIMAL.format(kind=kind))).spec


def test_the_defaults_of_a_rule() -> None:
    spec = spec_of()
    assert (spec.validation_actions, spec.action, spec.failure_policy, spec.denial) == (
        ["Audit"],
        "Audit",
        "Ignore",
        None,
    )
    assert (spec.enforce_while_deleting, spec.prefilter, spec.match_conditions) == (False, "Auto", [])
    assert (spec.exemptions.users, spec.exemptions.groups) == ([], [])
    constraints = spec.match_constraints
    assert (constraints.match_policy, constraints.exclude_resource_rules) == ("Exact", [])
    (resources,) = constraints.resource_rules
    assert (resources.operations, resources.resource_names, resources.scope) == (["UPDATE"], [], "*")
    (invariant,) = spec.invariants
    assert (invariant.when, invariant.message) == ([], "")


@pytest.mark.parametrize(
    ("actions", "action"),
    [(["Deny"], "Deny"), (["Audit", "Deny"], "Deny"), (["Audit", "Warn"], "Warn"), (["Audit"], "Audit")],
)
def test_the_strongest_action_counts(actions: list[str], action: str) -> None:
    assert rule("frozen: {fields: [status.a]}", validationActions=actions).source.spec.action == action


def test_the_whole_example_of_the_contract_is_a_rule() -> None:
    document = snippet("""
    apiVersion: statusguard.dev/v1alpha1
    kind: ClusterStatusRule
    metadata: {name: kubeadmcontrolplane, labels: {any: thing}, uid: u, generation: 3}
    spec:
      matchConstraints:
        resourceRules:
        - apiGroups: [controlplane.cluster.x-k8s.io]
          apiVersions: [v1beta1]
          resources: [kubeadmcontrolplanes/status]
          operations: [UPDATE]
        excludeResourceRules: []
        namespaceSelector: {}
        objectSelector: {}
        matchPolicy: Exact
      exemptions: {users: [], groups: []}
      matchConditions: []
      validationActions: [Deny]
      failurePolicy: Ignore
      denial: {code: 409, reason: Conflict}
      enforceWhileDeleting: false
      prefilter: Auto
      invariants:
      - name: generation
        observedGeneration: {}
      - name: counters
        when: []
        message: ""
        coUpdate:
          fields: [status.replicas, status.readyReplicas, status.unavailableReplicas]
          identity: ["status.replicas == status.readyReplicas + status.unavailableReplicas"]
    status: {anything: goes}
    """)
    compiled = compile_rule(document)
    assert [(each.name, each.kind) for each in compiled.invariants] == [
        ("generation", "observedGeneration"),
        ("counters", "coUpdate"),
    ]


def test_a_status_rule_is_about_its_namespace() -> None:
    document = snippet(MINIMAL.format(kind="StatusRule"))
    assert (compile_rule(document).namespace, compile_rule(document).title) == ("default", "default/r")
    document["metadata"]["namespace"] = "team"
    assert (compile_rule(document).namespace, compile_rule(document).title) == ("team", "team/r")
    cluster = compile_rule(snippet(MINIMAL.format(kind="ClusterStatusRule")))
    assert (cluster.namespace, cluster.title) == (None, "r")


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models(field.annotation)
    for part in get_args(annotation):
        yield from models(part)


@pytest.mark.parametrize("model", {model.__name__: model for model in models(RuleSpec)}.values())
def test_every_field_is_documented_and_unknown_ones_are_refused(model: type[BaseModel]) -> None:
    assert model.__doc__
    assert model.model_config["extra"] == "forbid"
    assert [name for name, field in model.model_fields.items() if not field.description] == []


def test_a_rule_reads_back_as_it_was_written() -> None:
    for kind in RULE_KINDS:
        document = snippet(MINIMAL.format(kind=kind))
        spec = parse_rule(document).spec
        assert spec.model_dump(by_alias=True, exclude_unset=True, mode="json") == document["spec"]
