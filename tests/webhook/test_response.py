from __future__ import annotations

import json
from typing import Any

import pytest

from rules.compile import CompiledRule
from rules.ruleset import RuleSet
from tests.golden import compare
from tests.rules.judging import rule
from tests.widgets import review
from webhook import response
from webhook.display import Display
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.reviewer import RuleReviewer

BACK = "{name: generation, observedGeneration: {}}"
PHASE = "{name: phase, message: See the runbook, transitions: {field: status.phase, terminal: [Done]}}"
COUNTS = "{name: counts, relation: {holds: [status.ready <= status.replicas]}}"

HONEST = ({"observedGeneration": 1}, {"observedGeneration": 2})
STALE = ({"observedGeneration": 2}, {"observedGeneration": 1})
WRONG = (
    {"observedGeneration": 2, "phase": "Done", "ready": 1, "replicas": 1},
    {"observedGeneration": 1, "phase": "Running", "ready": 2, "replicas": 1},
)


def body(statuses: tuple[Any, Any], **request: Any) -> bytes:
    sides = [
        {
            "apiVersion": "example.test/v1",
            "kind": "Widget",
            "metadata": {
                "name": "w",
                "namespace": "default",
                "generation": 2,
                "managedFields": [
                    {
                        "manager": "widget-controller",
                        "operation": "Update",
                        "apiVersion": "example.test/v1",
                        "time": "2026-01-01T00:00:00Z",
                        "fieldsType": "FieldsV1",
                        "fieldsV1": {"f:status": {"f:observedGeneration": {}}},
                        "subresource": "status",
                    }
                ],
            },
            "status": status,
        }
        for status in statuses
    ]
    user = {"username": "system:serviceaccount:widgets:controller"}
    options = {"kind": "UpdateOptions", "fieldManager": "controller"}
    members = {"oldObject": sides[0], "object": sides[1], "userInfo": user, "options": options, **request}
    return review(None, None, **members)


def deny(*invariants: str, name: str = "widgets", **spec: Any) -> CompiledRule:
    return rule(*invariants, name=name, validationActions=["Deny"], **spec)


def warn(*invariants: str, name: str = "widgets-warn") -> CompiledRule:
    return rule(*invariants, name=name, validationActions=["Warn"])


SORTS = {
    "allowed": ([deny(BACK)], body(HONEST)),
    "allowed, seen in the audit log only": ([rule(BACK, name="widgets")], body(STALE)),
    "allowed with warnings": ([warn(BACK, COUNTS), warn(PHASE, name="widgets-phase")], body(WRONG)),
    "denied with 409": ([deny(BACK)], body(STALE)),
    "denied with 409, a dry run": ([deny(BACK)], body(STALE, dryRun=True)),
    "denied with 422 and several causes, a warning beside it": ([deny(BACK, COUNTS), warn(PHASE)], body(WRONG)),
    "denied with the code that the rule says": ([deny(COUNTS, denial={"code": 403})], body(WRONG)),
    "an error, failurePolicy Fail": ([deny(BACK, failurePolicy="Fail")], body(STALE, object=None)),
    "an error, failurePolicy Ignore": ([deny(BACK)], body(STALE, object=None)),
}


def test_responses_of_each_sort() -> None:
    said = []
    for sort, (rules, request) in SORTS.items():
        reviewer = RuleReviewer(RuleSet(rules), Wording(Display()), Metrics())
        answer = reviewer.review(request, None)
        assert answer.status == 200
        said += [f"# {sort}", answer.body.decode()]
    compare("responses.txt", "\n".join(said) + "\n")


def test_the_constructors_are_those_of_controller_runtime() -> None:
    assert response.allowed("u") == {"uid": "u", "allowed": True}
    assert response.denied("u", 409, "Conflict", "m") == {
        "uid": "u",
        "allowed": False,
        "status": {
            "apiVersion": "v1",
            "kind": "Status",
            "metadata": {},
            "status": "Failure",
            "message": "m",
            "reason": "Conflict",
            "code": 409,
        },
    }
    assert response.denied("u", 409, "Conflict", "m", {"name": "x"})["status"]["details"] == {"name": "x"}


def test_an_answer_is_one_compact_admission_review() -> None:
    encoded = response.encode(response.allowed("u"))
    assert (
        encoded
        == b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","allowed":true}}'
    )


@pytest.mark.parametrize("sort", SORTS)
def test_every_response_has_the_uid_and_what_its_sort_needs(sort: str) -> None:
    rules, request = SORTS[sort]
    answer = RuleReviewer(RuleSet(rules), Wording(Display()), Metrics()).review(request, None)
    found = json.loads(answer.body)["response"]
    assert found["uid"] == "u-1"
    assert set(found) <= {"uid", "allowed", "status", "warnings", "auditAnnotations"}
    assert ("status" in found) is not found["allowed"]
    assert all(len(warning) <= 120 for warning in found.get("warnings", []))
