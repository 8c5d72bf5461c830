from __future__ import annotations

import pytest

from rules.compile import compile_rule
from rules.schemas.resource_check import check_resources, undescribed
from tests.rules.judging import snippet

from .described import CATALOG, about, rule_about, said


@pytest.mark.parametrize(
    ("resources", "location", "message"),
    [
        (
            "[{apiGroups: [example.test], apiVersions: [v1], resources: [widget/status]}]",
            ("resources", 0),
            'error: no resource "widget" in example.test, did you mean "widgets/status"? [unknown-resource]',
        ),
        (
            "[{apiGroups: [example.test], apiVersions: [v1], resources: [gadgets, wd]}]",
            ("resources", 1),
            'error: no resource "wd" in example.test, did you mean "widgets"? [unknown-resource]',
        ),
        (
            "[{apiGroups: [example.test], apiVersions: [v1], resources: [widgetts/status]}]",
            ("resources", 0),
            (
                'warning: no resource "widgetts" in example.test that a schema describes, did you mean "widgets/status"? '
                "[unknown-resource]"
            ),
        ),
        # A cluster's OpenAPI has every resource of its groups.
        (
            "[{apiGroups: [apps], apiVersions: ['*'], resources: [enginse/status]}]",
            ("resources", 0),
            'error: no resource "enginse" in apps, did you mean "engines"? [unknown-resource]',
        ),
        (
            "[{apiGroups: [''], apiVersions: [v1], resources: [pods/status]}]",
            ("resources", 0),
            'error: no resource "pods" in the core group, expected one of namespaces [unknown-resource]',
        ),
        (
            "[{apiGroups: [example.test], apiVersions: [v2], resources: [widgets/status]}]",
            ("apiVersions", 0),
            "error: version v2 of widgets.example.test does not exist, served: v1, v1beta1 [unknown-version]",
        ),
        (
            "[{apiGroups: [example.test], apiVersions: [v1, v1alpha1], resources: [widgets/status]}]",
            ("apiVersions", 1),
            "warning: version v1alpha1 of widgets.example.test is not served, served: v1, v1beta1 [unknown-version]",
        ),
        (
            "[{apiGroups: [example.test], apiVersions: [v1beta1], resources: [widgets, gadgets]}]",
            ("resources", 1),
            "error: gadgets.example.test has none of these versions, served: v1 [unknown-version]",
        ),
        (
            "[{apiGroups: [example.test], apiVersions: [v1beta1], resources: [widgets/status]}]",
            ("resources", 0),
            (
                "error: widgets.example.test/v1beta1 has no subresource status: "
                'its status is written with the object itself, name "widgets" [no-subresource]'
            ),
        ),
        (
            "[{apiGroups: [example.test], apiVersions: ['*'], resources: [widgets/status]}]",
            ("resources", 0),
            (
                "warning: widgets.example.test/v1beta1 has no subresource status: "
                'its status is written with the object itself, name "widgets" [no-subresource]'
            ),
        ),
        (
            "[{apiGroups: [example.test], apiVersions: [v1], resources: [gadgets/scale]}]",
            ("resources", 0),
            "error: gadgets.example.test/v1 has no subresource scale [no-subresource]",
        ),
        (
            "[{apiGroups: [example.test], apiVersions: [v1], resources: [widgets], scope: Cluster}]",
            ("scope",),
            "error: scope Cluster never matches widgets.example.test, whose objects are in namespaces [scope]",
        ),
        (
            "[{apiGroups: [example.test], apiVersions: [v1], resources: [gadgets], scope: Namespaced}]",
            ("scope",),
            "error: scope Namespaced never matches gadgets.example.test, whose objects have no namespace [scope]",
        ),
    ],
)
def test_a_resource_rule_that_is_about_nothing(resources: str, location: tuple[object, ...], message: str) -> None:
    (problem,) = check_resources(rule_about(resources), CATALOG)
    assert problem.location == ("spec", "matchConstraints", "resourceRules", 0, *location)
    assert said([problem]) == [message]


@pytest.mark.parametrize(
    "resources",
    [
        "[{apiGroups: [example.test], apiVersions: [v1], resources: [widgets/status, widgets/*, gadgets, widgets/scale]}]",
        "[{apiGroups: [example.test], apiVersions: [v1, v1beta1], resources: [widgets, gadgets]}]",
        "[{apiGroups: [example.test], apiVersions: [v1], resources: [widgets], scope: Namespaced}]",
        "[{apiGroups: ['*'], apiVersions: [v7], resources: [things/status]}]",
        "[{apiGroups: [example.test], apiVersions: [v7], resources: ['*/status']}]",
        "[{apiGroups: [batch], apiVersions: [v1, v2], resources: [chores/status]}]",
        "[{apiGroups: [example.test, other.test], apiVersions: [v1], resources: [things]}]",
    ],
)
def test_a_resource_rule_against_which_nothing_can_be_said(resources: str) -> None:
    assert about(resources) == []


def test_a_statusrule_about_objects_without_a_namespace() -> None:
    document = snippet(
        "apiVersion: statusguard.dev/v1alpha1\nkind: StatusRule\nmetadata: {name: r}\nspec:\n"
        "  matchConstraints:\n    resourceRules:\n"
        "    - {apiGroups: [example.test], apiVersions: [v1], resources: [widgets/status, gadgets/status]}\n"
        "  invariants: [{name: i, frozen: {fields: [metadata.name]}}]"
    )
    (problem,) = check_resources(compile_rule(document), CATALOG)
    assert problem.location[-2:] == ("resources", 1)
    assert said([problem]) == [
        (
            "error: gadgets.example.test has objects without a namespace, which a StatusRule never matches: "
            "use a ClusterStatusRule [scope]"
        )
    ]


@pytest.mark.parametrize(
    ("resources", "titles"),
    [
        ("[{apiGroups: [example.test], apiVersions: [v1], resources: [widgets, things]}]", ["things.example.test"]),
        ("[{apiGroups: [a.test, b.test], apiVersions: [v1], resources: [things]}]", ["things.a.test or things.b.test"]),
        ("[{apiGroups: [batch], apiVersions: [v2], resources: [chores/status]}]", ["chores.batch"]),
        # What is known not to exist is a mistake, and what is generic is about no resource in particular.
        ("[{apiGroups: [apps], apiVersions: [v1], resources: [things]}]", []),
        ("[{apiGroups: [example.test], apiVersions: [v9], resources: [widgets]}]", []),
        ("[{apiGroups: ['*'], apiVersions: [v1], resources: [things]}]", []),
        ("[{apiGroups: [other.test], apiVersions: [v1], resources: ['*/status']}]", []),
    ],
)  # fmt: skip
def test_resources_that_no_schema_describes(resources: str, titles: list[str]) -> None:
    assert list(undescribed(rule_about(resources), CATALOG)) == titles
