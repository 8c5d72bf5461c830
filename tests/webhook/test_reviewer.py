from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from rules.check import Check, Checks
from rules.compile import CompiledRule
from rules.ruleset import RuleSet
from tests.rules.judging import rule
from tests.widgets import review
from webhook.display import Display
from webhook.message import Wording
from webhook.observe.incident import Incident
from webhook.observe.metrics import Metrics, RuleLabels
from webhook.observe.rule_labels import labels_of
from webhook.reviewer import RETIREMENT, RuleReviewer

from .running import LogCapture, samples

BACK = "{name: generation, observedGeneration: {}}"
WIDGETS = {"resourceRules": [{"apiGroups": ["example.test"], "apiVersions": ["v1"], "resources": ["widgets/status"]}]}
STALE, HONEST = review(2, 1), review(1, 2)


class Judging:
    """A reviewer of widgets with what it counts and what its sink is told."""

    def __init__(self, *rules: CompiledRule) -> None:
        self.told: list[Incident] = []
        self.metrics = Metrics()
        self.metrics.declare_rules(labels_of(rules))
        self.reviewer = RuleReviewer(RuleSet(rules), Wording(Display()), self.metrics, [self.told.append])

    def answer(self, body: bytes, entry: str | None = None) -> dict[str, Any]:
        answer = self.reviewer.review(body, entry)
        assert (answer.status, answer.content_type) == (200, "application/json")
        found: dict[str, Any] = json.loads(answer.body)["response"]
        return found

    def counted(self, name: str) -> list[tuple[dict[str, str], float]]:
        return [(labels, value) for labels, value in samples(self.metrics, f"statusguard_{name}_total") if value]


def widgets(*invariants: str, name: str = "widgets", **spec: Any) -> CompiledRule:
    return rule(*(invariants or (BACK,)), name=name, **{"matchConstraints": WIDGETS, **spec})


def requests(verdict: str, dry_run: str = "false") -> list[tuple[dict[str, str], float]]:
    labels = {"group": "example.test", "resource": "widgets", "verdict": verdict, "dry_run": dry_run}
    return [(labels, 1.0)]


def test_an_honest_write_passes_and_is_counted() -> None:
    judging = Judging(widgets(validationActions=["Deny"]))
    assert judging.answer(HONEST) == {"uid": "u-1", "allowed": True}
    assert judging.counted("requests") == requests("allowed")
    assert judging.counted("violations") == []
    assert judging.told == []


@pytest.mark.parametrize(("action", "outcome"), [("Deny", "denied"), ("Warn", "allowed"), ("Audit", "allowed")])
def test_a_violation_is_counted_by_its_action_and_told_to_the_sinks(action: str, outcome: str) -> None:
    judging = Judging(widgets(validationActions=[action]))
    answer = judging.answer(STALE)
    assert answer["allowed"] is (action != "Deny")
    assert ("warnings" in answer) is (action == "Warn")
    assert "auditAnnotations" in answer
    assert judging.counted("requests") == requests(outcome)
    labels = RuleLabels("widgets", "generation", "example.test", "widgets", action)
    ((counted, value),) = judging.counted("violations")
    assert (RuleLabels(**counted), value) == (labels, 1)
    (incident,) = judging.told
    assert (incident.request_uid, incident.action, incident.denied) == ("u-1", action, action == "Deny")


def test_every_sink_is_told_the_same_and_of_each_violation_once() -> None:
    judging = Judging(widgets(BACK, "{name: frozen, frozen: {fields: [status.observedGeneration]}}"))
    later: list[Incident] = []
    judging.reviewer.sinks.append(later.append)
    judging.answer(STALE)
    assert [incident.invariant for incident in judging.told] == ["generation", "frozen"]
    assert all(first is second for first, second in zip(judging.told, later, strict=True))


def test_violations_are_counted_by_their_writer() -> None:
    judging = Judging(widgets())
    for user in ("a", "b", "a"):
        judging.answer(review(2, 1, userInfo={"username": user}))
        judging.answer(review(2, 1, userInfo={"username": user}, dryRun=True))
    assert judging.counted("writer_violations") == [({"writer": "a"}, 2), ({"writer": "b"}, 1)]


def test_how_far_a_status_went_back_is_measured() -> None:
    judging = Judging(
        widgets(), widgets("{name: frozen, frozen: {fields: [status.observedGeneration]}}", name="frozen")
    )
    for old, new, dry_run in ((5, 1, False), (5, 1, True), (5, 9, False), (1, 2, False)):
        judging.answer(review(old, new, dryRun=dry_run))
    name = "statusguard_regression_generations"
    assert list(samples(judging.metrics, f"{name}_sum")) == [({"rule": "widgets"}, 4)]
    assert list(samples(judging.metrics, f"{name}_count")) == [({"rule": "widgets"}, 1)]


def test_a_dry_run_gets_the_same_verdict_and_leaves_no_trace_but_a_label() -> None:
    judging = Judging(widgets(validationActions=["Deny"]))
    assert judging.answer(review(2, 1, dryRun=True)) == Judging(widgets(validationActions=["Deny"])).answer(STALE)
    assert judging.counted("requests") == requests("denied", "true")
    assert judging.counted("violations") == []
    assert judging.told == []


def test_while_an_object_is_being_deleted_a_violation_is_counted_as_audit() -> None:
    judging = Judging(widgets(validationActions=["Deny"]))
    deleting = STALE.replace(b'"generation": 5', b'"generation": 5, "deletionTimestamp": "2026-01-01T00:00:00Z"')
    assert judging.answer(deleting)["allowed"]
    ((labels, _),) = judging.counted("violations")
    assert labels["action"] == "Audit"


def test_without_a_rule_that_matches_nothing_is_judged() -> None:
    judging = Judging(widgets())
    answer = judging.answer(review(2, 1, subResource="scale"))
    assert answer == {"uid": "u-1", "allowed": True}
    assert judging.counted("requests") == requests("allowed")
    assert judging.told == []


def test_a_rule_set_is_exchanged_whole() -> None:
    judging = Judging(widgets(validationActions=["Deny"]))
    assert not judging.answer(STALE)["allowed"]
    judging.reviewer.rules = RuleSet([])
    assert judging.answer(STALE) == {"uid": "u-1", "allowed": True}


def test_each_entry_judges_by_its_own_rules() -> None:
    judging = Judging()
    strict, loose = RuleSet([widgets(validationActions=["Deny"])]), RuleSet([])
    judging.reviewer.exchange(strict, {"strict": strict, "loose": loose})
    assert not judging.answer(STALE, "strict")["allowed"]
    assert judging.answer(STALE, "loose")["allowed"]
    assert judging.reviewer.review(STALE, "unknown").status == 404


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, for a test to change."""
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    return clock


def test_an_entry_that_is_no_more_is_answered_for_a_while(clock: list[float]) -> None:
    judging = Judging()
    first = RuleSet([widgets(validationActions=["Deny"])])
    judging.reviewer.exchange(first, {"first": first, "kept": first})
    for clock[0] in (1.0, RETIREMENT):
        judging.reviewer.exchange(RuleSet([]), {"kept": RuleSet([])})
        assert not judging.answer(STALE, "first")["allowed"]
        assert judging.answer(STALE, "kept")["allowed"]
    clock[0] = 1.0 + RETIREMENT
    judging.reviewer.exchange(first, {"kept": first})
    assert judging.reviewer.review(STALE, "first").status == 404
    assert not judging.answer(STALE, "kept")["allowed"]


def test_an_entry_that_comes_back_stays(clock: list[float]) -> None:
    judging = Judging()
    rules = RuleSet([widgets(validationActions=["Deny"])])
    for clock[0], there in ((0.0, True), (1.0, False), (2.0, True), (2 * RETIREMENT, True), (3 * RETIREMENT, False)):
        judging.reviewer.exchange(rules, {"e": rules} if there else {})
        assert not judging.answer(STALE, "e")["allowed"]


def test_an_exempted_writer_is_counted() -> None:
    judging = Judging(widgets(validationActions=["Deny"], exemptions={"users": ["controller"]}))
    assert judging.answer(STALE) == {"uid": "u-1", "allowed": True}
    assert judging.counted("exemptions") == [({"rule": "widgets"}, 1)]


def test_values_of_another_type_are_counted() -> None:
    judging = Judging(widgets())
    judging.answer(review("a", "b"))
    assert judging.counted("type_mismatches") == [({"rule": "widgets"}, 2)]


def failing(policy: str) -> CompiledRule:
    def fail(*_: Any) -> Any:
        raise ValueError("our own fault")

    compiled = widgets(validationActions=["Deny"], failurePolicy=policy)
    invariant = replace(compiled.invariants[0], checks=Checks((Check(fail, fail),), ()))
    return replace(compiled, invariants=(invariant,))


@pytest.mark.parametrize("policy", ["Ignore", "Fail"])
def test_an_error_of_ours_is_counted_and_logged_with_its_traceback(policy: str, log: LogCapture) -> None:
    judging = Judging(failing(policy))
    answer = judging.answer(STALE)
    if policy == "Fail":
        assert (answer["status"]["code"], answer["status"]["reason"]) == (500, "InternalError")
    else:
        assert answer["warnings"] == ["statusguard: widgets could not judge this write: internal error: ValueError"]
    assert answer["allowed"] is (policy == "Ignore")
    assert judging.counted("requests") == requests("error")
    assert judging.counted("judge_errors") == [({"rule": "widgets"}, 1)]
    assert judging.counted("decode_failures") == []
    assert judging.told == []
    assert "ValueError: our own fault" in log.stream.getvalue()


def test_an_error_that_repeats_is_counted_each_time_and_said_once(log: LogCapture) -> None:
    judging = Judging(failing("Ignore"))
    for _ in range(100):
        judging.answer(STALE)
    assert judging.counted("judge_errors") == [({"rule": "widgets"}, 100)]
    assert log.stream.getvalue().count("could not judge a write") == 1


def test_an_object_that_cannot_be_read_is_no_bug(log: LogCapture) -> None:
    judging = Judging(widgets())
    assert judging.answer(review(2, 1, object=[]))["allowed"]
    assert judging.counted("judge_errors") == [({"rule": "widgets"}, 1)]
    assert judging.counted("decode_failures") == [({"reason": "bad_object"}, 1)]
    assert "Traceback" not in log.stream.getvalue()
    assert "object is no object" in log.stream.getvalue()


def test_a_rule_that_can_judge_is_not_kept_from_it_by_one_that_cannot(log: LogCapture) -> None:
    spec = rule("{name: spec, frozen: {fields: [spec]}}", name="spec", matchConstraints=WIDGETS)
    judging = Judging(spec, widgets(validationActions=["Deny"]))
    answer = judging.answer(STALE.replace(b'"status": {', b'"spec": "\xff", "status": {'))
    assert (answer["allowed"], answer["status"]["code"]) == (False, 409)
    (warning,) = answer["warnings"]
    assert warning.startswith("statusguard: spec could not judge this write: oldObject.spec cannot be decoded")
    assert judging.counted("requests") == requests("denied")


def test_what_is_no_review_is_400_and_one_line() -> None:
    judging = Judging(widgets())
    answer = judging.reviewer.review(b"nonsense\xff", None)
    assert (answer.status, answer.content_type, answer.body.count(b"\n")) == (400, "text/plain", 1)
    assert judging.counted("decode_failures") == [({"reason": "not_json"}, 1)]
    assert judging.counted("requests") == []


def test_there_are_no_entries_where_rules_come_from_files() -> None:
    judging = Judging(widgets())
    assert judging.reviewer.review(HONEST, "apps").status == 404
    assert judging.counted("decode_failures") == [({"reason": "path"}, 1)]


def test_every_decision_is_timed() -> None:
    judging = Judging(widgets())
    judging.answer(HONEST)
    judging.answer(STALE)
    judging.reviewer.review(b"", None)
    counts = [value for _, value in samples(judging.metrics, "statusguard_decision_seconds_count")]
    assert counts == [2]
