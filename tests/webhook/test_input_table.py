"""What is no review, or holds no object to judge, over TLS to the real reviewer; rows that are HTTP's: `test_admission`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rules.ruleset import RuleSet
from tests.rules.judging import rule
from tests.widgets import review, widget
from webhook.display import Display
from webhook.limits import MIB
from webhook.message import Wording
from webhook.reviewer import RuleReviewer
from webhook.server import Answer

from . import running
from .conftest import Serving
from .running import Reply, Running, samples

IGNORE = rule("observedGeneration: {}", name="ignore", validationActions=["Deny"])
FAIL = rule("observedGeneration: {}", name="fail", validationActions=["Deny"], failurePolicy="Fail")
GOOD = review(1, 2)
DEEP = b'{"a":' * 100_000 + b"1" + b"}" * 100_000


Served = Callable[..., Running]


class RealReviewer:
    """A reviewer with real rules on a server that does not exist yet; it echoes the server helper's own questions."""

    def __init__(self) -> None:
        self.reviewer: RuleReviewer | None = None

    def review(self, body: bytes, entry: str | None) -> Answer:
        assert self.reviewer is not None
        return Answer(200, body) if body == b"still here?" else self.reviewer.review(body, entry)


@pytest.fixture
def served(serving: Serving) -> Served:
    """Start servers that judge by the rules given."""

    def start(*rules: Any) -> Running:
        reviewer = RealReviewer()
        server = serving(reviewer)
        reviewer.reviewer = RuleReviewer(RuleSet(rules), Wording(Display()), server.metrics)
        return server

    return start


def requests(server: Running) -> dict[str, float]:
    """Return how many requests were counted as judged, by their verdict."""
    found = samples(server.metrics, "statusguard_requests_total")
    return {labels["verdict"]: value for labels, value in found if value}


def response(reply: Reply) -> dict[str, Any]:
    assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json")
    answer: dict[str, Any] = json.loads(reply.body)
    assert answer.pop("response")["uid"] == "u-1"
    assert answer == {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
    found: dict[str, Any] = json.loads(reply.body)["response"]
    return found


def changed(**members: Any) -> bytes:
    """Return a good review with other members."""
    return json.dumps({**json.loads(GOOD), **members}).encode()


@pytest.mark.parametrize(
    ("body", "reason", "message"),
    [
        (b"", "empty", "the body is empty"),
        (b" \r\n\t", "empty", "the body is empty"),
        (b"nonsense", "not_json", "the body is not JSON: "),
        (GOOD[:-1], "not_json", "the body is not JSON: Input data was truncated"),
        (GOOD + b"{}", "not_json", "the body is not JSON: "),
        (GOOD.replace(b'"u-1"', b"NaN"), "not_json", "the body is not JSON: "),
        (GOOD.replace(b"u-1", b"\xff"), "not_json", "the body is not JSON: "),
        (GOOD.replace(b"u-1", rb"\ud800"), "not_json", "the body is not JSON: "),
        (DEEP, "not_json", "the body is nested too deeply"),
        (GOOD.replace(b'{"observedGeneration": 2}', DEEP), "not_json", "the body is nested too deeply"),
        (
            GOOD.replace(b'"status": {', b'"spec": ' + DEEP + b', "status": {'),
            "not_json",
            "the body is nested too deeply",
        ),
        (
            GOOD.replace(b'"observedGeneration": 2', rb'"observedGeneration": "\ud800"'),
            "not_json",
            "the body is not JSON: ",
        ),
        (b"[]", "not_a_review", "the body is no AdmissionReview: "),
        (b"null", "not_a_review", "the body is no AdmissionReview: "),
        (
            b"{}",
            "not_a_review",
            "the body has no kind and no apiVersion, expected AdmissionReview of admission.k8s.io/v1",
        ),
        (changed(kind=None), "not_a_review", "the body has no kind, expected AdmissionReview of admission.k8s.io/v1"),
        (changed(apiVersion=""), "not_a_review", "the body has no apiVersion, expected AdmissionReview of "),
        (
            changed(apiVersion="admission.k8s.io/v1beta1"),
            "not_a_review",
            "the body is 'AdmissionReview' of 'admission.k8s.io/v1beta1', expected AdmissionReview of admission.k8s.io/v1",
        ),
        (changed(kind="Pod"), "not_a_review", "the body is 'Pod' of 'admission.k8s.io/v1', expected "),
        (changed(kind="a\r\n\u202e"), "not_a_review", "the body is 'a\\r\\n\\u202e' of "),
        (changed(kind=7), "not_a_review", "the body is no AdmissionReview: "),
        (changed(request=None), "not_a_review", "the AdmissionReview has no request"),
        (changed(request={}), "not_a_review", "the request has no uid"),
        (review(1, 2, uid=""), "not_a_review", "the request has no uid"),
        (review(1, 2, uid=None), "not_a_review", "the request has no uid"),
        (review(1, 2, uid=3), "not_a_review", "the body is no AdmissionReview: "),
        (review(1, 2, userInfo=[]), "not_a_review", "the body is no AdmissionReview: "),
    ],
)
def test_what_is_no_review_is_400_and_one_line(served: Served, body: bytes, reason: str, message: str) -> None:
    server = served(FAIL)
    reply = server.send(running.review(body))
    assert (reply.status, reply.headers["Content-Type"]) == (400, "text/plain")
    text = reply.body.decode()
    assert text.startswith(message)
    assert (text.count("\n"), text[:-1].isprintable(), len(text) < 400) == (1, True, True)
    server.metrics.wait_for_failures(**{reason: 1})
    assert requests(server) == {}


UNREADABLE = [
    (review(1, 2, object=None), "the request has no object"),
    (review(1, 2, oldObject=None), "the request has no oldObject"),
    (review(1, 2, object=[]), "object is no object"),
    (review(1, 2, oldObject="x"), "oldObject is no object"),
    (GOOD.replace(b'"observedGeneration": 2', b'"observedGeneration": "\xff"'), "object.status cannot be decoded: "),
    (
        GOOD.replace(b'"observedGeneration": 2', b'"observedGeneration": ' + b"9" * 5000),
        "object.status cannot be decoded: ",
    ),
]


@pytest.mark.parametrize(("body", "message"), UNREADABLE)
def test_an_object_that_cannot_be_read_passes_with_a_warning_by_ignore(
    served: Served, body: bytes, message: str
) -> None:
    server = served(IGNORE)
    answer = response(server.send(running.review(body)))
    assert answer["allowed"]
    (warning,) = answer["warnings"]
    assert warning.startswith(f"statusguard: ignore could not judge this write: {message}"[:119])
    server.metrics.wait_for_failures(bad_object=1)
    assert requests(server) == {"error": 1}
    assert list(samples(server.metrics, "statusguard_judge_errors_total")) == [({"rule": "ignore"}, 1)]


@pytest.mark.parametrize(("body", "message"), UNREADABLE)
def test_an_object_that_cannot_be_read_is_refused_with_500_by_fail(served: Served, body: bytes, message: str) -> None:
    server = served(FAIL)
    answer = response(server.send(running.review(body)))
    assert not answer["allowed"]
    assert (answer["status"]["code"], answer["status"]["reason"]) == (500, "InternalError")
    assert answer["status"]["message"].startswith(f"statusguard could not judge this write by rule fail: {message}")
    server.metrics.wait_for_failures(bad_object=1)
    assert requests(server) == {"error": 1}


@pytest.mark.parametrize(
    "body",
    [
        GOOD.replace(b'"generation": 5', b'"generation": 5, "x": "\xff"').replace(b"metadata", b"other"),
        GOOD.replace(b'"status": {', b'"spec": ' + b"9" * 5000 + b', "status": {'),
    ],
    ids=["not UTF-8", "5,000 digits"],
)
def test_what_is_wrong_where_no_rule_reads_does_not_matter(served: Served, body: bytes) -> None:
    server = served(FAIL)
    assert response(server.send(running.review(body))) == {"uid": "u-1", "allowed": True}
    assert server.metrics.failures() == {}
    assert requests(server) == {"allowed": 1}


@pytest.mark.parametrize(("body", "message"), UNREADABLE)
def test_without_a_rule_that_matches_no_object_is_decoded(served: Served, body: bytes, message: str) -> None:
    elsewhere = rule(
        "observedGeneration: {}",
        matchConstraints={
            "resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments/status"]}]
        },
        failurePolicy="Fail",
    )
    server = served(elsewhere)
    assert response(server.send(running.review(body))) == {"uid": "u-1", "allowed": True}
    assert server.metrics.failures() == {}


def test_of_duplicate_keys_the_last_wins(served: Served) -> None:
    server = served(FAIL)
    twice = GOOD.replace(b'"observedGeneration": 2', b'"observedGeneration": 2, "observedGeneration": 0')
    assert not response(server.send(running.review(twice)))["allowed"]
    forth = GOOD.replace(b'"observedGeneration": 2', b'"observedGeneration": 0, "observedGeneration": 2')
    assert response(server.send(running.review(forth)))["allowed"]
    uids = GOOD.replace(b'"uid": "u-1"', b'"uid": "u-0", "uid": "u-1"')
    assert response(server.send(running.review(uids)))["allowed"]
    assert server.metrics.failures() == {}


@pytest.mark.parametrize("depth", [100, 300, 400, 500, 700, 900, 990, 1_000, 1_100])
def test_at_any_depth_there_is_an_answer(served: Served, depth: int) -> None:
    server = served(rule("frozen: {fields: [status.a]}", failurePolicy="Fail"))
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    reply = server.send(running.review(GOOD.replace(b'{"observedGeneration": 2}', deep)))
    if reply.status == 400:
        assert reply.body == b"the body is nested too deeply\n"
        server.metrics.wait_for_failures(not_json=1)
    elif not response(reply)["allowed"]:
        assert "nested too deeply" in response(reply)["status"]["message"]
        server.metrics.wait_for_failures(bad_object=1)


def test_integers_are_exact_at_400_digits(served: Served) -> None:
    server = served(
        rule("monotonic: {fields: [status.observedGeneration], direction: NonDecreasing}", validationActions=["Deny"])
    )
    large = 10**399
    assert response(server.send(running.review(review(large, large + 1))))["allowed"]
    answer = response(server.send(running.review(review(large + 1, large))))
    assert not answer["allowed"]
    assert len(answer["status"]["message"]) <= 1024
    assert server.metrics.failures() == {}


def test_a_body_of_a_byte_too_much_is_413(served: Served) -> None:
    server = served(FAIL)
    body = changed(filling="x" * (8 * MIB))[: 8 * MIB + 1]
    assert server.send(running.review(body)).status == 413
    server.metrics.wait_for_failures(too_large=1)
    assert requests(server) == {}


def test_a_large_review_is_judged(served: Served) -> None:
    server = served(FAIL)
    large = {**widget(2), "spec": {"filling": "x" * (3 * MIB)}}
    answer = response(server.send(running.review(review(2, 1, oldObject={**large}, object={**large, "status": {}}))))
    assert (answer["allowed"], answer["status"]["code"]) == (False, 409)


def test_an_unknown_entry_is_404_and_counted(served: Served) -> None:
    server = served(FAIL)
    reply = server.send(running.review(GOOD, "/validate/apps"))
    assert (reply.status, reply.body) == (404, b"there is no such entry\n")
    server.metrics.wait_for_failures(path=1)
