from __future__ import annotations

import pytest

from rules.schemas.targets import targets
from tests.rules.judging import rule, snippet

from .described import CATALOG

EXCLUDED = "excludeResourceRules: [{apiGroups: [example.test], apiVersions: ['*'], resources: [RESOURCES]}]"


def found(rules: str, excluded: str | None = None) -> list[str]:
    """Return the objects that a rule is about; `rules` are groups, versions and resources."""
    groups, versions, resources = rules.split(" ")
    constraints = f"resourceRules: [{{apiGroups: [{groups}], apiVersions: [{versions}], resources: [{resources}]}}]"
    if excluded is not None:
        constraints += f"\n{EXCLUDED.replace('RESOURCES]', excluded)}"
    spec = rule("frozen: {fields: [spec.a]}", matchConstraints=snippet(constraints)).source.spec
    return [f"{each.resource}/{each.version}{' (generic)' * each.is_generic}" for each in targets(spec, CATALOG)]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("example.test v1 widgets/status", ["widgets.example.test/v1"]),
        ("example.test '*' widgets", ["widgets.example.test/v1", "widgets.example.test/v1beta1"]),
        # One object is behind the resource and its status: it is looked at once. Behind the scale there is another.
        ("example.test v1 gadgets,gadgets/status", ["gadgets.example.test/v1"]),
        ("example.test v1 widgets/*", ["widgets.example.test/v1"]),
        ("example.test v1 widgets,widgets/scale", ["widgets.example.test/v1", "widgets.example.test/v1"]),
        ("example.test v1beta1 widgets/status", []),
        ("example.test v1alpha1 widgets", []),
        ("other.test v1 widgets", []),
        ("'*' '*' widgets/status", ["widgets.example.test/v1 (generic)"]),
        ("example.test '*' '*/status'", ["widgets.example.test/v1 (generic)", "gadgets.example.test/v1 (generic)"]),
        ("apps,batch '*' '*/status'", ["engines.apps/v1 (generic)", "chores.batch/v1 (generic)"]),
    ],
)
def test_the_objects_that_a_rule_is_about(rules: str, expected: list[str]) -> None:
    assert found(rules) == expected


def test_what_is_left_out_altogether_is_not_looked_at() -> None:
    both = ["widgets.example.test/v1", "gadgets.example.test/v1"]
    assert found("example.test v1 widgets/status,gadgets/status", "widgets/status]") == both[1:]
    assert found("example.test v1 widgets/status,gadgets/status", "widgets/status], resourceNames: [a]") == both
    assert found("example.test v1 widgets/status,gadgets/status", "widgets/status], operations: [CREATE]") == both
