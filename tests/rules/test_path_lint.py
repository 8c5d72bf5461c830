from __future__ import annotations

from typing import Any

import pytest

from rules.path_lint import path_warnings

from .judging import rule

STATUS = {"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["xs/status"]}
MAIN = STATUS | {"resources": ["xs"]}


def said(*invariants: str, resources: dict[str, Any] = STATUS) -> list[str]:
    """Return code and message of each warning of a rule about these resources."""
    found = list(path_warnings(rule(*invariants, matchConstraints={"resourceRules": [resources]}).source.spec))
    assert all(problem.severity == "warning" and "\n" not in problem.message for problem in found)
    return [f"{problem.code}: {problem.message}" for problem in found]


def codes(*invariants: str, resources: dict[str, Any] = STATUS) -> list[str]:
    return [each.partition(":")[0] for each in said(*invariants, resources=resources)]


@pytest.mark.parametrize(
    "path",
    [
        "status.conditions[type=Ready].status",
        "status.conditions[type]",
        "status.conditions",
        "status.parents[ref].conditions[type,from].status",
        "status.conditions.*",
        "status.conditions.ready",
        "status.conditions[reason]",
        "status.parts[Name]",
        'metadata.annotations["conditions"]',
    ],
)
def test_what_a_status_may_have(path: str) -> None:
    assert codes(f"preserved: {{fields: ['{path}']}}") == []


@pytest.mark.parametrize("path", ["status.conditions[Ready].status", "status.conditions.Ready.status"])
def test_a_condition_that_is_not_known_by_its_type(path: str) -> None:
    advice = "write conditions[type=Ready] for one or conditions[type] for each"
    message = f"condition-path: {path}: conditions are a list, known by their type: {advice}"
    assert said(f"writeOnce: {{fields: ['{path}']}}") == [message]
    assert codes(f"writeOnce: {{fields: ['{path}']}}", resources=MAIN) == ["condition-path"]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("Status.x", 'an object with a status has no Status, did you mean "status"?'),
        ("phase", "an object with a status has no phase, expected one of apiVersion, kind, metadata, spec, status"),
        ("object.status.x", "an object with a status has no object: paths start inside the object, without object"),
    ],
)
def test_a_path_into_a_part_that_there_is_not(path: str, hint: str) -> None:
    assert said(f"writeOnce: {{fields: [{path}]}}") == [f"unknown-root: {path}: {hint}"]
    assert codes(f"writeOnce: {{fields: [{path}]}}", resources=MAIN) == []


def test_a_word_in_a_relation_is_a_path() -> None:
    assert codes("relation: {holds: [status.phase == Ready]}") == ["unknown-root"]


def test_a_part_that_no_write_of_a_status_changes() -> None:
    assert said("frozen: {fields: [spec.a]}") == [
        "never-changes: no write of a status changes spec: it is judged only when what `when` reads changes"
    ]
    assert codes("frozen: {fields: [spec.a]}", resources=MAIN) == []
    assert codes("frozen: {fields: [spec.a]}", resources=STATUS | {"resources": ["xs", "xs/status"]}) == []


def test_a_status_may_be_compared_with_the_spec() -> None:
    assert codes("relation: {holds: [status.replicas <= spec.replicas]}") == []


def test_defaults_are_not_what_the_author_wrote() -> None:
    assert codes("observedGeneration: {}", "conditions: {}") == []
