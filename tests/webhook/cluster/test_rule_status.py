from __future__ import annotations

from typing import Any

import pytest

from webhook.cluster.rule_status import MAX_MESSAGE, RuleState, status

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
GOOD = RuleState(generation=2, served=True, configured=True)


def said(state: RuleState) -> dict[str, tuple[str, str]]:
    """Return status and reason of each condition."""
    return {each["type"]: (each["status"], each["reason"]) for each in status(state, {}, NOW)["conditions"]}


@pytest.mark.parametrize(
    ("state", "compiled", "served", "ready"),
    [
        (GOOD, ("True", "Valid"), ("True", "Current"), ("True", "Configured")),
        (
            RuleState(generation=1, served=True),
            ("True", "Valid"),
            ("True", "Current"),
            ("False", "NotConfigured"),
        ),
        (
            RuleState(generation=1, served=True, remarks=("leases is never guarded",)),
            ("True", "Valid"),
            ("True", "Current"),
            ("False", "NotGuarded"),
        ),
        (
            RuleState(generation=1, problems=("spec: bad",)),
            ("False", "Invalid"),
            ("False", "NeverValid"),
            ("False", "NotConfigured"),
        ),
        (
            RuleState(generation=3, problems=("spec: bad",), served=True, configured=True),
            ("False", "Invalid"),
            ("True", "LastGood"),
            ("True", "Configured"),
        ),
        (
            RuleState(generation=1, served=True, configured=True, refusal="422 Invalid"),
            ("True", "Valid"),
            ("True", "Current"),
            ("False", "Refused"),
        ),
    ],
    ids=["good", "not yet written", "left out", "broken", "broken later", "refused by the API server"],
)
def test_the_conditions_say_how_it_is(
    state: RuleState, compiled: tuple[str, str], served: tuple[str, str], ready: tuple[str, str]
) -> None:
    assert said(state) == {"Compiled": compiled, "Served": served, "Ready": ready}


def test_what_is_wrong_stands_in_the_message() -> None:
    messages = {
        each["type"]: each["message"]
        for each in status(
            RuleState(
                generation=1, problems=("spec.a: bad", "spec.b: worse"), remarks=("left out",), refusal="no such path"
            ),
            {},
            NOW,
        )["conditions"]
    }
    assert messages["Compiled"] == "spec.a: bad; spec.b: worse"
    assert messages["Ready"] == "the API server refuses its entry: no such path"
    (_, served, _) = status(RuleState(generation=1, served=True, remarks=("a", "b")), {}, NOW)["conditions"]
    assert served["message"] == "a; b"


def test_a_message_is_bounded() -> None:
    (compiled, _, _) = status(RuleState(generation=1, problems=("x" * 5_000,)), {}, NOW)["conditions"]
    assert len(compiled["message"]) == MAX_MESSAGE


def test_the_generation_is_the_one_that_was_looked_at() -> None:
    found = status(GOOD, {}, NOW)
    assert found["observedGeneration"] == 2
    assert {each["observedGeneration"] for each in found["conditions"]} == {2}


def test_a_time_moves_only_with_its_status() -> None:
    before = status(RuleState(generation=1, served=True), {}, NOW)
    after = status(GOOD, before, LATER)
    times = {each["type"]: each["lastTransitionTime"] for each in after["conditions"]}
    assert times == {"Compiled": NOW, "Served": NOW, "Ready": LATER}


@pytest.mark.parametrize("conditions", [None, ["x"], [{"type": "Ready", "status": "True"}]])
def test_whatever_stood_there_before_is_no_hindrance(conditions: Any) -> None:
    found = status(GOOD, {"conditions": conditions}, NOW)
    assert all(each["lastTransitionTime"] == NOW for each in found["conditions"])
