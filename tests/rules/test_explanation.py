from __future__ import annotations

import pytest

from rules.compile import parse_rule
from rules.explanation import consequences, subject

from .judging import snippet

STACKS = "apiGroups: [pulumi.com], apiVersions: [v1], resources: [stacks/status]"
_JUDGES_STACKS = "It judges updates of the status of stacks (API group pulumi.com, version v1)."


def said(spec: str, kind: str = "ClusterStatusRule") -> tuple[list[str], list[str]]:
    document = snippet(f"apiVersion: statusguard.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: r}}")
    match = {"matchConstraints": {"resourceRules": [snippet(f"{{{STACKS}}}")]}}
    document["spec"] = match | snippet(spec or "{}") | {"invariants": [snippet("{name: i, observedGeneration: {}}")]}
    rule = parse_rule(document)
    return subject(rule), consequences(rule.spec)


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        (STACKS, _JUDGES_STACKS),
        (
            "apiGroups: ['*'], apiVersions: ['*'], resources: ['*/status']",
            "It judges updates of the status of all resources (any API group, any version).",
        ),
        (
            "apiGroups: [''], apiVersions: [v1], resources: [pods, pods/status], operations: [CREATE, UPDATE]",
            "It judges creations and updates of pods, the status of pods (the core API group, version v1).",
        ),
        (
            "apiGroups: [a, b], apiVersions: [v1, v2], resources: ['*/*'], resourceNames: [n]",
            "It judges updates of all subresources of all resources (API group a or API group b, version v1 or v2), named n.",
        ),
        (
            "apiGroups: [g], apiVersions: [v1], resources: ['x/*'], scope: Namespaced",
            "It judges updates of all subresources of x (API group g, version v1), in a namespace.",
        ),
        (
            "apiGroups: [apps], apiVersions: [v1], resources: [deployments/scale], scope: Cluster",
            "It judges updates of the scale of deployments (API group apps, version v1), without a namespace.",
        ),
    ],
)
def test_which_resources(resources: str, expected: str) -> None:
    about, _ = said(f"matchConstraints: {{resourceRules: [{{{resources}}}]}}")
    assert about == [expected]


def test_all_that_narrows_a_rule() -> None:
    about, _ = said(
        f"""
        matchConstraints:
          resourceRules: [{{{STACKS}}}]
          excludeResourceRules: [{{{STACKS}, resourceNames: [legacy]}}]
          namespaceSelector: {{matchLabels: {{env: prod}}, matchExpressions: [{{key: a, operator: NotIn, values: [b, c]}}]}}
          objectSelector: {{matchExpressions: [{{key: a, operator: DoesNotExist}}]}}
          matchPolicy: Equivalent
        exemptions: {{users: [admin], groups: [ops, "system:masters"]}}
        matchConditions: [{{name: not-dry, expression: "!request.dryRun"}}]
        """
    )
    assert about == [
        _JUDGES_STACKS,
        "It leaves out updates of the status of stacks (API group pulumi.com, version v1), named legacy.",
        'Only in a namespace on which label env is "prod" and label a is none of "b", "c".',
        "Only objects on which, before or after the write, label a is not set.",
        "Writes of other versions of these resources are converted and judged too.",
        "Writes by user admin or group ops or group system:masters are never judged.",
        "Only if !request.dryRun (condition not-dry).",
    ]


def test_a_status_rule_is_about_its_namespace() -> None:
    about, _ = said("{}", "StatusRule")
    assert about == [_JUDGES_STACKS, "Only objects in namespace default are judged."]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            "{}",
            [
                "A write that breaks an invariant passes and is reported.",
                "A write that cannot be judged passes with a warning (failurePolicy Ignore).",
            ],
        ),
        (
            "{validationActions: [Warn, Audit]}",
            [
                "A write that breaks an invariant passes, its writer is warned, and it is reported.",
                "While the object is being deleted, it is only reported.",
                "A write that cannot be judged passes with a warning (failurePolicy Ignore).",
            ],
        ),
        (
            "{validationActions: [Deny], failurePolicy: Fail, enforceWhileDeleting: true, denial: {code: 403}}",
            [
                "A write that breaks an invariant is refused with 403 Forbidden, as the rule says.",
                "While the object is being deleted, the same happens.",
                "A write that cannot be judged is refused with 500 InternalError (failurePolicy Fail).",
            ],
        ),
    ],
)
def test_what_becomes_of_a_write(spec: str, expected: list[str]) -> None:
    _, becomes = said(spec)
    assert becomes == expected
