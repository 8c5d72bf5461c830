"""Expressions in CEL, from the bytes of a review to the bytes of its answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.fieldpath import parse
from rules.ruleset import RuleSet
from rules.write import UndecodableError
from tests.rules.judging import rule
from tests.widgets import review
from webhook.display import Display
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.review import decode
from webhook.reviewer import RuleReviewer

from .running import samples

BROKEN = "object.status.observedGeneration <= 2"
ERROR = "object.status.observedGeneration > object.status.missing"
EXHAUSTED = "object.status.list.all(x, object.status.list.all(y, true))"
LONG_LIST = list(range(101))


class Reviewing:
    """A reviewer with one rule that denies."""

    def __init__(self, *invariants: str, sensitive: tuple[str, ...] = (), **spec: Any) -> None:
        self.metrics = Metrics()
        judging = rule(*invariants, validationActions=["Deny"], **spec)
        wording = Wording(Display([parse(path) for path in sensitive]))
        self._reviewer = RuleReviewer(RuleSet([judging]), wording, self.metrics)

    def response(self, body: bytes) -> dict[str, Any]:
        answer = self._reviewer.review(body, None)
        assert answer.status == 200
        found: dict[str, Any] = json.loads(answer.body)["response"]
        return found

    def count(self, name: str) -> float:
        return sum(value for _, value in samples(self.metrics, name))


def cel(expression: str, message: str = "''") -> str:
    return f"cel: {{expression: {json.dumps(expression)}, messageExpression: {json.dumps(message)}}}"


def grown(observed: int, **status: Any) -> bytes:
    """Return the review of a write from observed generation 1 to another, with more in the status."""
    body = json.loads(review(1, observed))
    body["request"]["object"]["status"] |= status
    return json.dumps(body).encode()


def test_a_broken_expression_is_422() -> None:
    response = Reviewing(cel(BROKEN)).response(grown(3))
    assert (response["allowed"], response["status"]["code"], response["status"]["reason"]) == (False, 422, "Invalid")
    assert response["status"]["message"].startswith(f"status.observedGeneration breaks {BROKEN} (rule r, invariant i).")


@pytest.mark.parametrize("expression", [ERROR, EXHAUSTED], ids=["no value", "budget"])
def test_an_expression_without_a_value_passes_with_one_warning(expression: str) -> None:
    reviewing = Reviewing(cel(expression))
    response = reviewing.response(grown(3, list=LONG_LIST))
    assert response["allowed"]
    (warning,) = response["warnings"]
    assert warning.startswith("statusguard: r could not judge this write: invariant i: ")
    assert reviewing.count("statusguard_judge_errors_total") == 1
    assert reviewing.count("statusguard_violations_total") == 0


@pytest.mark.parametrize("expression", [ERROR, EXHAUSTED], ids=["no value", "budget"])
def test_with_failure_policy_fail_it_is_500(expression: str) -> None:
    reviewing = Reviewing(cel(expression), failurePolicy="Fail")
    response = reviewing.response(grown(3, list=LONG_LIST))
    assert (response["allowed"], response["status"]["code"], response["status"]["reason"]) == (
        False,
        500,
        "InternalError",
    )
    assert "warnings" not in response
    assert "invariant i: " in response["status"]["message"]
    assert reviewing.count("statusguard_judge_errors_total") == 1


def test_a_match_condition_without_a_value_too() -> None:
    conditions = [{"name": "odd", "expression": ERROR}]
    response = Reviewing(cel(BROKEN), matchConditions=conditions).response(grown(3))
    assert response["allowed"]
    assert response["warnings"] == [
        'statusguard: r could not judge this write: matchCondition odd: Key not found in map : "missing"'
    ]


def test_a_match_condition_that_is_false_leaves_no_trace() -> None:
    reviewing = Reviewing(cel(BROKEN), matchConditions=[{"name": "never", "expression": "false"}])
    assert set(reviewing.response(grown(3))) == {"uid", "allowed"}
    assert reviewing.count("statusguard_judge_errors_total") == 0


def test_an_error_does_not_hide_what_another_invariant_finds() -> None:
    reviewing = Reviewing(cel(ERROR), "frozen: {fields: [status.observedGeneration]}")
    response = reviewing.response(grown(3))
    assert (response["allowed"], response["status"]["code"]) == (False, 422)
    assert len(response["warnings"]) == 1
    assert reviewing.count("statusguard_judge_errors_total") == 1


MESSAGE = "'observed %d, wanted at most 2'.format([object.status.observedGeneration])"


def test_the_message_expression_wins_over_the_message() -> None:
    spec = f"{{message: The rule says so., {cel(BROKEN, MESSAGE)}}}"
    message = Reviewing(spec).response(grown(3))["status"]["message"]
    assert message.startswith(f"observed 3, wanted at most 2: status.observedGeneration breaks {BROKEN} (rule r")
    spec = f"{{message: The rule says so., {cel(BROKEN, 'object.status.missing')}}}"
    message = Reviewing(spec).response(grown(3))["status"]["message"]
    assert message.startswith("The rule says so: status.observedGeneration breaks")


def test_the_message_expression_is_cut_and_escaped() -> None:
    status = Reviewing(cel(BROKEN, "object.status.text")).response(grown(3, text="\u202e" + "x" * 5_000))["status"]
    assert status["message"].startswith("\\u202exxx")
    assert len(status["message"].encode()) <= 1_024
    assert f"breaks {BROKEN}" in status["message"]


@pytest.mark.parametrize(
    ("message", "sensitive", "shown"),
    [
        ("object.status.text", (), True),
        ("object.status.text", ("status.other",), True),
        ("object.status.text", ("status.text",), False),
        ("object.status.text", ("status",), False),
        ("object.status.text", ("status.text.deeper",), False),
        ("string(oldObject.status.observedGeneration) + object.status.text", ("status.observedGeneration",), False),
        ("'%s'.format([object])", (), True),
        ("'%s'.format([object])", ("status.other",), False),
    ],
)
def test_a_message_of_sensitive_values_is_not_shown(message: str, sensitive: tuple[str, ...], *, shown: bool) -> None:
    response = Reviewing(cel(BROKEN, message), sensitive=sensitive).response(grown(3, text="sesame"))
    assert ("sesame" in json.dumps(response)) is shown
    assert not response["allowed"]


def test_errors_do_not_show_values() -> None:
    response = Reviewing(cel("object.status.map[object.status.text] == 1")).response(grown(3, text="sesame", map={}))
    assert response["allowed"]
    assert "sesame" not in json.dumps(response)


def with_request(**members: Any) -> bytes:
    body = json.loads(review(1, 3))
    body["request"] |= members
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    "expression",
    [
        "request.userInfo.extra['scopes'] == ['a', 'b'] && request.userInfo.uid == 'u-7'",
        "request.requestKind.version == 'v1beta1' && request.kind.version == 'v1'",
        "request.options.fieldManager == 'kubectl' && request.options.dryRun == ['All'] && request.dryRun",
        "request.dryRun && !has(request.object) && !has(request.oldObject)",
        "request.uid == 'u-1' && request.resource.resource == 'widgets' && request.subResource == 'status'",
    ],
)
def test_the_request_is_all_that_the_api_server_sent(expression: str) -> None:
    body = with_request(
        userInfo={"username": "ann", "uid": "u-7", "groups": ["g"], "extra": {"scopes": ["a", "b"]}},
        requestKind={"group": "example.test", "version": "v1beta1", "kind": "Widget"},
        options={"fieldManager": "kubectl", "dryRun": ["All"]},
        dryRun=True,
    )
    judged = f"{{when: [{{field: status.observedGeneration, operator: Exists}}], {cel(f'!({expression})')}}}"
    assert not Reviewing(judged).response(body)["allowed"]


@pytest.mark.parametrize(
    ("member", "said"),
    [
        (b'"extra": "\xff"', "request.extra cannot be decoded"),
        (b'"extra": 1e999', "request.extra cannot be decoded"),
    ],
)
def test_a_request_that_cannot_be_decoded(member: bytes, said: str) -> None:
    body = review(1, 3).replace(b'"uid": "u-1"', b'"uid": "u-1", ' + member)
    details = decode(body).request.details
    assert details is not None
    with pytest.raises(UndecodableError, match=said):
        details()
    conditions = [{"name": "c", "expression": "request.extra == ''"}]
    response = Reviewing(cel(BROKEN), matchConditions=conditions).response(body)
    assert response["allowed"]
    assert said in response["warnings"][0]


def test_the_request_is_decoded_once_for_all_expressions() -> None:
    request = decode(review(1, 3)).request
    assert request.details is not None
    assert request.details() is request.details()
    assert request.for_cel() == request.for_cel()
    assert request.for_cel() is not request.for_cel()
