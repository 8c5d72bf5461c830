from __future__ import annotations

from typing import Any

import pytest

from rules.cel.program import CelRuntimeError, CelSyntaxError, compile_cel
from rules.write import Resource
from tests.rules.judging import write


def value(expression: str, **request: Any) -> Any:
    return compile_cel(expression, "bool").evaluate(write("{}", "{}", **request))


@pytest.mark.parametrize(
    "expression",
    [
        "request.operation == 'UPDATE' && request.name == 'w' && request.namespace == 'default' && request.dryRun",
        "request.resource == {'group': 'example.test', 'version': 'v1', 'resource': 'widgets'}",
        "request.requestResource == request.resource",
        "request.subResource == 'status' && request.requestSubResource == 'status'",
        "request.kind == {'group': 'example.test', 'version': 'v1', 'kind': 'Widget'} && request.requestKind == request.kind",
        "request.userInfo.username == 'ann' && 'b' in request.userInfo.groups",
        "!('system:masters' in request.userInfo.groups)",
        "request.options.fieldManager == 'kubectl'",
        "request == request && request.size() > 10",
    ],
)
def test_the_request(expression: str) -> None:
    asked = {"namespace": "default", "kind": "Widget", "username": "ann", "groups": ("a", "b")}
    assert value(expression, field_manager="kubectl", dry_run=True, **asked)


def test_a_writer_that_names_no_field_manager() -> None:
    assert value("!has(request.options.fieldManager) && request.?options.?fieldManager.orValue('x') == 'x'")


def test_what_the_api_server_sent_wins() -> None:
    sent = {"userInfo": {"username": "ann", "extra": {"scope": ["x"]}}, "requestKind": {"kind": "Old"}, "dryRun": None}
    assert value(
        "request.userInfo.extra.scope == ['x'] && request.requestKind.kind == 'Old' && request.dryRun == false",
        details=lambda: sent,
    )


def test_the_request_is_looked_into_only_if_it_is_read() -> None:
    def details() -> dict[str, Any]:
        raise AssertionError

    assert value("object.size() == 0 || true", details=details)


LABELS = {"team": "a"}


@pytest.mark.parametrize(
    ("expression", "labels"),
    [
        ("namespaceObject.metadata.name == 'default'", None),
        ("namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default'", None),
        ("namespaceObject.metadata.labels['team'] == 'a'", LABELS),
        ("!has(namespaceObject.metadata.labels.other)", LABELS),
        ("!has(namespaceObject.metadata.labels.other)", {}),
        ("namespaceObject != null && namespaceObject.metadata.labels.team == 'a'", LABELS),
        ("namespaceObject.metadata.size() == 2", LABELS),
    ],
)
def test_the_namespace(expression: str, labels: dict[str, str] | None) -> None:
    assert value(expression, namespace="default", namespace_labels=labels)


@pytest.mark.parametrize(
    "expression",
    [
        "namespaceObject.metadata.labels.team == 'a'",
        "namespaceObject.metadata.labels.size() == 1",
        "namespaceObject != null",
    ],
)
def test_labels_that_nobody_knows_are_an_error(expression: str) -> None:
    with pytest.raises(
        CelRuntimeError, match="the labels of namespace default, which the expression reads, are not known"
    ):
        value(expression, namespace="default")


def test_an_object_without_a_namespace_has_no_namespace_object() -> None:
    assert value("namespaceObject == null")
    assert value("namespaceObject == null", resource=Resource("", "v1", "namespaces"), namespace="default")


@pytest.mark.parametrize("part", ["spec.finalizers", "metadata.annotations", "metadata.uid", "status"])
def test_what_is_never_known_of_a_namespace(part: str) -> None:
    with pytest.raises(CelSyntaxError) as caught:
        compile_cel(f"has(namespaceObject.{part}.a)", "bool")
    assert caught.value.message.endswith("of a namespace there are metadata.name and metadata.labels")
