from __future__ import annotations

from typing import Any

import pytest

from rules.matching import labels_of
from rules.ruleset import RuleSet, judge
from rules.violation import RuleVerdict
from rules.write import Request, Resource

from .judging import rule, snippet, write

ANYTHING = "frozen: {fields: [status.a]}"
ALL = {"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}
XS = {"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["xs"]}


def concerned(resource_rules: str, request: Request, excluded: str = "[]") -> bool:
    """Tell whether a rule is about a request; what the resource rules leave out is `xs` of g/v1."""
    constraints = {
        "resourceRules": [XS | each for each in snippet(resource_rules)],
        "excludeResourceRules": [XS | each for each in snippet(excluded)],
    }
    rules = RuleSet([rule(ANYTHING, matchConstraints=constraints)])
    return bool(rules.concerned(request))


def selected(selectors: str, old: str | None, new: str, **request: Any) -> list[RuleVerdict]:
    constraints = {"resourceRules": [ALL], **snippet(selectors)}
    return judge([rule(ANYTHING, matchConstraints=constraints)], write(old, new, **request))


@pytest.mark.parametrize(
    ("resources", "resource", "expected"),
    [
        ("xs/status", "xs/status", True),
        ("xs/status", "xs", False),
        ("xs/status", "xs/scale", False),
        ("xs", "xs", True),
        ("xs", "xs/status", False),
        ("xs/scale", "xs/scale", True),
        ("*", "ys", True),
        ("*", "ys/status", False),
        ("*/status", "ys/status", True),
        ("*/status", "ys", False),
        ("xs/*", "xs/status", True),
        ("xs/*", "xs", True),
        ("xs/*", "ys/status", False),
        ("*/*", "ys/status", True),
        ("*/*", "ys", True),
    ],
)
def test_resources(resources: str, resource: str, *, expected: bool) -> None:
    name, _, subresource = resource.partition("/")
    request = Request(Resource("g", "v1", name, subresource))
    assert concerned(f"[{{resources: ['{resources}']}}]", request) is expected


@pytest.mark.parametrize(
    ("resource_rules", "resource", "expected"),
    [
        ("[{apiGroups: [g, h]}]", Resource("h", "v1", "xs"), True),
        ("[{apiGroups: ['']}]", Resource("", "v1", "xs"), True),
        ("[{apiGroups: ['']}]", Resource("g", "v1", "xs"), False),
        ("[{apiGroups: ['*']}]", Resource("", "v1", "xs"), True),
        ("[{apiVersions: ['*']}]", Resource("g", "v2beta1", "xs"), True),
        ("[{apiVersions: [v1]}]", Resource("g", "v1beta1", "xs"), False),
        ("[{resources: [xs, ys]}]", Resource("g", "v1", "ys"), True),
        ("[{apiGroups: [h]}, {resources: [ys]}]", Resource("g", "v1", "ys"), True),
        ("[{apiGroups: [h]}, {resources: [ys]}]", Resource("h", "v1", "ys"), False),
    ],
)
def test_groups_and_versions(resource_rules: str, resource: Resource, *, expected: bool) -> None:
    assert concerned(resource_rules, Request(resource)) is expected


REQUESTS = [
    pytest.param("{}", {}, True, id="UPDATE by default"),
    pytest.param("{}", {"operation": "CREATE"}, False, id="CREATE only if named"),
    pytest.param("{operations: [CREATE]}", {"operation": "CREATE"}, True, id="CREATE"),
    pytest.param("{operations: [CREATE]}", {}, False, id="CREATE only"),
    pytest.param("{operations: [CREATE, UPDATE]}", {"operation": "DELETE"}, False, id="DELETE is never judged"),
    pytest.param("{resourceNames: [a, b]}", {"name": "b"}, True, id="a name"),
    pytest.param("{resourceNames: [a, b]}", {"name": "c"}, False, id="another name"),
    pytest.param("{scope: Namespaced}", {"namespace": "n"}, True, id="namespaced"),
    pytest.param("{scope: Namespaced}", {}, False, id="cluster object, namespaced wanted"),
    pytest.param("{scope: Cluster}", {}, True, id="cluster"),
    pytest.param("{scope: Cluster}", {"namespace": "n"}, False, id="namespaced object, cluster wanted"),
    pytest.param("{scope: '*'}", {"namespace": "n"}, True, id="any scope"),
]


@pytest.mark.parametrize(("resource_rule", "fields", "expected"), REQUESTS)
def test_requests(resource_rule: str, fields: dict[str, Any], *, expected: bool) -> None:
    request = Request(Resource("g", "v1", "xs"), **fields)
    assert concerned(f"[{resource_rule}]", request) is expected
    assert not concerned(f"[{resource_rule}]", Request(Resource("g", "v1", "ys"), **fields))


@pytest.mark.parametrize(("resource_rule", "fields", "excluded"), REQUESTS)
def test_excluded_resources_are_left_out(resource_rule: str, fields: dict[str, Any], *, excluded: bool) -> None:
    request = Request(Resource("g", "v1", "xs"), **fields)
    judged = request.operation in {"UPDATE", "CREATE"}
    assert concerned("[{operations: [UPDATE, CREATE]}]", request, f"[{resource_rule}]") is (judged and not excluded)


@pytest.mark.parametrize(
    ("selector", "labels", "expected"),
    [
        ("{}", "{}", True),
        ("{matchLabels: {a: x}}", "{a: x, b: y}", True),
        ("{matchLabels: {a: x}}", "{a: y}", False),
        ("{matchLabels: {a: x, b: y}}", "{a: x}", False),
        ("{matchExpressions: [{key: a, operator: In, values: [x, y]}]}", "{a: y}", True),
        ("{matchExpressions: [{key: a, operator: In, values: [x, y]}]}", "{}", False),
        ("{matchExpressions: [{key: a, operator: NotIn, values: [x]}]}", "{a: x}", False),
        ("{matchExpressions: [{key: a, operator: NotIn, values: [x]}]}", "{}", True),
        ("{matchExpressions: [{key: a, operator: Exists}]}", "{a: ''}", True),
        ("{matchExpressions: [{key: a, operator: Exists}]}", "{}", False),
        ("{matchExpressions: [{key: a, operator: DoesNotExist}]}", "{a: ''}", False),
        ("{matchExpressions: [{key: a, operator: DoesNotExist}]}", "{}", True),
        ("{matchLabels: {a: x}, matchExpressions: [{key: b, operator: Exists}]}", "{a: x}", False),
    ],
)
def test_label_selectors(selector: str, labels: str, *, expected: bool) -> None:
    labelled = f"metadata: {{labels: {labels}}}"
    assert bool(selected(f"objectSelector: {selector}", labelled, labelled)) is expected
    of_namespace = {"namespace": "n", "namespace_labels": snippet(labels)}
    assert bool(selected(f"namespaceSelector: {selector}", "{}", "{}", **of_namespace)) is expected


LABELLED, BARE = "metadata: {labels: {team: a}}", "metadata: {}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(BARE, LABELLED, True, id="as it will be"),
        pytest.param(LABELLED, BARE, True, id="as it was"),
        pytest.param(BARE, BARE, False, id="neither"),
        pytest.param(None, LABELLED, True, id="created with the label"),
        pytest.param(None, BARE, False, id="created without"),
        pytest.param("metadata: {labels: [team]}", "metadata: {labels: {team: 1}}", False, id="odd types"),
        pytest.param("metadata: 3", "{}", False, id="no metadata"),
    ],
)
def test_object_selector(old: str | None, new: str, *, expected: bool) -> None:
    assert bool(selected("objectSelector: {matchLabels: {team: a}}", old, new)) is expected


@pytest.mark.parametrize(
    ("selector", "request_", "expected"),
    [
        pytest.param("{matchLabels: {team: a}}", {}, True, id="objects without a namespace always fit"),
        pytest.param(
            "{matchLabels: {kubernetes.io/metadata.name: n}}", {"namespace": "n"}, True, id="its name is always known"
        ),
        pytest.param("{matchLabels: {kubernetes.io/metadata.name: n}}", {"namespace": "m"}, False, id="another name"),
        pytest.param(
            "{matchLabels: {team: a}}",
            {"resource": Resource("", "v1", "namespaces"), "namespace": "n"},
            True,
            id="a namespace has its labels itself",
        ),
    ],
)
def test_namespace_selector(selector: str, request_: dict[str, Any], *, expected: bool) -> None:
    assert bool(selected(f"namespaceSelector: {selector}", "{}", LABELLED, **request_)) is expected


def test_unknown_labels_of_a_namespace_keep_a_rule_from_judging() -> None:
    (found,) = selected("namespaceSelector: {matchLabels: {team: a}}", "{}", "{}", namespace="n")
    assert found.error == "the labels of namespace n, for which namespaceSelector asks, are not known"
    assert not found.unreadable


def test_labels_are_strings() -> None:
    assert labels_of({"labels": {"a": "x", "b": 1, "c": None}}) == {"a": "x"}
    assert labels_of(None) == labels_of({"labels": None}) == {}


NAMESPACES = Resource("", "v1", "namespaces")
"""Requests for a Namespace have its own name as their namespace, but it is in none."""


@pytest.mark.parametrize(("scope", "expected"), [("Cluster", True), ("Namespaced", False), ("'*'", True)])
def test_a_namespace_is_an_object_of_the_cluster(scope: str, *, expected: bool) -> None:
    request = Request(NAMESPACES, name="team", namespace="team")
    assert concerned(f"[{{apiGroups: [''], resources: [namespaces], scope: {scope}}}]", request) is expected
