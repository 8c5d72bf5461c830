from __future__ import annotations

from typing import Any

import pytest

from rules.fieldpath import parse
from rules.ruleset import judge
from rules.write import Write
from tests.rules.judging import rule, write
from tests.webhook.running import LogCapture
from webhook.display import Display
from webhook.message import Wording
from webhook.observe import violation_log
from webhook.observe.violation_log import WINDOW, ViolationLog
from webhook.verdict import Verdict, decide

RULE = rule("observedGeneration: {}", "{name: id, writeOnce: {fields: [status.id]}}", validationActions=["Deny"])
OLD = """
apiVersion: example.test/v1
metadata:
  managedFields:
  - manager: kubelet
    operation: Update
    apiVersion: example.test/v1
    time: "2026-01-01T00:00:00Z"
    fieldsV1: {"f:status": {"f:observedGeneration": {}}}
status: {observedGeneration: 2, id: a}
"""
BACK = "{apiVersion: example.test/v1, status: {observedGeneration: 1, id: a}}"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sink(clock: Clock, log: LogCapture) -> ViolationLog:
    return ViolationLog(Wording(Display()), clock)


def bad(new: str = BACK, **request: Any) -> tuple[Write, Verdict]:
    to_judge = write(OLD, new, **{"namespace": "n", "username": "u", "field_manager": "m", **request})
    return to_judge, decide(judge([RULE], to_judge), to_judge)


def test_a_violation_is_one_line_that_says_all_of_it(sink: ViolationLog, log: LogCapture) -> None:
    sink(*bad())
    (event,) = log.events()
    del event["timestamp"]
    assert event == {
        "event": "violation",
        "level": "warning",
        "rule": "r",
        "invariant": "i",
        "field": "status.observedGeneration",
        "old": 2,
        "new": 1,
        "action": "Deny",
        "problem": "went back from 2 to 1",
        "resource": "widgets.example.test",
        "object": "n/w",
        "writer": "u",
        "manager": "m",
        "last_writer": "kubelet",
        "last_written": "2026-01-01T00:00:00Z",
        "uid": "u-1",
        "held_back": 0,
    }


def test_what_repeats_is_said_once_a_while_with_how_often(sink: ViolationLog, log: LogCapture, clock: Clock) -> None:
    for _ in range(5):
        sink(*bad())
        clock.now += 1
    assert len(log.events()) == 1
    clock.now = 100 + WINDOW - 0.01
    sink(*bad())
    assert len(log.events()) == 1
    clock.now = 100 + WINDOW
    sink(*bad())
    sink(*bad())
    assert [each["held_back"] for each in log.events()] == [0, 5]


@pytest.mark.parametrize(
    "request_",
    [{"namespace": "o"}, {"name": "v"}, {"username": "v"}, {"field_manager": "o"}],
    ids=lambda each: next(iter(each)),
)
def test_another_object_or_writer_is_another_line(
    sink: ViolationLog, log: LogCapture, request_: dict[str, str]
) -> None:
    sink(*bad())
    sink(*bad(**request_))
    assert [each["held_back"] for each in log.events()] == [0, 0]


def test_every_invariant_has_its_line(sink: ViolationLog, log: LogCapture) -> None:
    sink(*bad("{apiVersion: example.test/v1, status: {observedGeneration: 1, id: b}}"))
    assert [each["invariant"] for each in log.events()] == ["i", "id"]


def test_memory_is_bounded_and_the_oldest_is_forgotten_first(
    sink: ViolationLog, log: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(violation_log, "MAX_REMEMBERED", 2)
    for name in ("a", "b", "a", "c", "a", "b"):
        sink(*bad(name=name))
    assert len(sink._seen) == 2
    assert [each["object"] for each in log.events()] == ["n/a", "n/b", "n/c", "n/b"]


def test_hostile_names_stay_short_and_on_their_line(sink: ViolationLog, log: LogCapture) -> None:
    sink(*bad(name="x\n" * 1000, username="\u202e", field_manager="\x1b[2J"))
    (event,) = log.events()
    assert len(event["object"]) == 200
    assert "\n" not in event["object"]
    assert (event["writer"], event["manager"]) == ("\\u202e", "\\u001b[2J")


def test_values_of_sensitive_fields_are_not_logged(log: LogCapture, clock: Clock) -> None:
    hiding = ViolationLog(Wording(Display([parse("status.observedGeneration")])), clock)
    hiding(*bad())
    (event,) = log.events()
    assert (event["old"], event["new"], event["problem"]) == (
        "<hidden>",
        "<hidden>",
        "went back from <hidden> to <hidden>",
    )


def test_an_honest_write_is_not_logged(sink: ViolationLog, log: LogCapture) -> None:
    sink(*bad(OLD))
    assert log.events() == []
