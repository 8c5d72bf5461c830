"""Reviews of our own rules, as `kubectl apply` causes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.webhook.cluster.manifests import broken, manifest, resources
from webhook.admission import Answer
from webhook.observe.metrics import Metrics
from webhook.rule_review import ENTRY, MAX_WARNINGS, EntryReviewer, RuleObjectReviewer

from .running import Echo, samples

Object = dict[str, Any]


def review(rule: Any, old: Any = None, **request: Any) -> bytes:
    """Return the AdmissionReview of a rule that is created, or changed from `old`."""
    members = {
        "uid": "u-1",
        "kind": {"group": "statusguard.dev", "version": "v1alpha1", "kind": "ClusterStatusRule"},
        "resource": {"group": "statusguard.dev", "version": "v1alpha1", "resource": "clusterstatusrules"},
        "name": "a",
        "operation": "CREATE" if old is None else "UPDATE",
        "object": rule,
        "oldObject": old,
        **request,
    }
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": members}).encode()


def response(body: bytes) -> Object:
    answer = RuleObjectReviewer(Metrics()).review(body, ENTRY)
    assert (answer.status, answer.content_type) == (200, "application/json")
    found: Object = json.loads(answer.body)["response"]
    assert found["uid"] == "u-1"
    return found


@pytest.mark.parametrize("rule", [manifest("a"), manifest("a", namespace="team")])
def test_a_good_rule_is_welcome(rule: Object) -> None:
    assert response(review(rule)) == {"uid": "u-1", "allowed": True}


def test_a_broken_rule_is_refused_with_all_that_is_wrong() -> None:
    rule = manifest("a", failurePolicy="Never", invariants=[{"name": "generation"}])
    answer = response(review(rule))
    assert not answer["allowed"]
    status = answer["status"]
    assert (status["code"], status["reason"]) == (422, "Invalid")
    causes = {each["field"]: each["message"] for each in status["details"]["causes"]}
    assert set(causes) == {"spec.failurePolicy", "spec.invariants[0]"}
    for field, message in causes.items():
        assert f"{field}: {message}" in status["message"]
    assert status["details"]["name"] == "a"


def test_what_lint_warns_of_is_a_warning() -> None:
    everything = resources("*/status", group="*", versions=("*",))
    counters = {"name": "counters", "relation": {"holds": ["status.ready <= status.replicas"]}}
    answer = response(review(manifest("a", everything, invariants=[counters])))
    assert answer["allowed"]
    assert answer["warnings"]
    assert all(each.startswith("statusguard: spec.") for each in answer["warnings"])


def test_warnings_are_bounded() -> None:
    everything = resources("*/status", group="*", versions=("*",))
    counters = [
        {"name": f"c{number}", "relation": {"holds": ["status.ready <= status.replicas"]}} for number in range(30)
    ]
    answer = response(review(manifest("a", everything, invariants=counters)))
    assert len(answer["warnings"]) == MAX_WARNINGS


def test_a_rule_that_is_broken_already_can_be_labelled_and_let_go() -> None:
    before = broken("a")
    after = {**before, "metadata": {**before["metadata"], "finalizers": [], "labels": {"seen": "yes"}}}
    assert response(review(after, before))["allowed"]


@pytest.mark.parametrize("before", [manifest("a"), broken("b") | {"spec": {}}])
def test_a_rule_that_is_changed_has_to_be_good(before: Object) -> None:
    assert not response(review(broken("a"), before))["allowed"]
    assert response(review(manifest("a", validationActions=["Warn"]), before))["allowed"]


@pytest.mark.parametrize(("rule", "old"), [(None, None), (7, None), (manifest("a"), 7)])
def test_what_is_no_object_is_refused_in_one_line(rule: Any, old: Any) -> None:
    status = response(review(rule, old))["status"]
    assert status["code"] in (400, 422)
    assert "\n" not in status["message"]


def test_what_an_author_writes_is_escaped_and_cut() -> None:
    rule = manifest("a")
    rule["spec"]["x\n\u202e" + "y" * 5_000] = 1
    status = response(review(rule))["status"]
    (cause,) = status["details"]["causes"]
    for text, limit in ((status["message"], 1_024), (cause["field"], 512), (cause["message"], 512)):
        assert len(text) <= limit
        assert not {"\n", "\u202e"} & set(text)


def test_what_is_no_review_is_a_bad_request_and_counted() -> None:
    metrics = Metrics()
    answer = RuleObjectReviewer(metrics).review(b"{", ENTRY)
    assert answer.status == 400
    assert answer.body.count(b"\n") == 1
    counted = samples(metrics, "statusguard_decode_failures_total")
    assert [labels["reason"] for labels, value in counted if value] == ["not_json"]


def test_reviews_of_rules_go_to_one_reviewer_and_all_others_to_another() -> None:
    rules, writes = Echo(), Echo()
    both = EntryReviewer(rules, writes)
    for entry in (ENTRY, "widgets", None):
        assert both.review(b"x", entry) == Answer(200, b"x")
    assert (rules.entries, writes.entries) == ([ENTRY], ["widgets", None])
