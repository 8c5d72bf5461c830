from __future__ import annotations

from datetime import timedelta

import pytest

from rules.api import Action
from tests.webhook.observe.incidents import incident
from webhook.ui.rates import MINUTES, MOST_RULES, Minute, Outcome, Rates, RuleRates, minute_of, outcome

from .views import NOW

LAST = minute_of(NOW)


@pytest.mark.parametrize(
    ("denied", "action", "became"),
    [
        (True, "Deny", "refused"),
        (True, "Audit", "refused"),
        (False, "Warn", "warned"),
        (False, "Audit", "reported"),
    ],
)
def test_what_became_of_a_write(*, denied: bool, action: Action, became: Outcome) -> None:
    assert outcome(incident(denied=denied, action=action)) == became


def test_an_hour_has_its_minutes_in_order() -> None:
    rates = Rates()
    rates.add("refused", LAST)
    rates.add("refused", LAST)
    rates.add("reported", LAST)
    rates.add("warned", LAST - 59)
    hour = rates.hour(LAST)
    assert [minute.number for minute in hour] == list(range(LAST - 59, LAST + 1))
    assert hour[-1] == Minute(LAST, refused=2, warned=0, reported=1)
    assert hour[0] == Minute(LAST - 59, refused=0, warned=1, reported=0)
    assert rates.total(LAST) == sum(minute.total for minute in hour) == 4


def test_what_is_older_than_an_hour_is_gone_with_and_without_anything_new() -> None:
    rates = Rates()
    rates.add("refused", LAST)
    assert rates.total(LAST + MINUTES - 1) == 1
    assert rates.total(LAST + MINUTES) == 0
    assert rates.hour(LAST + MINUTES)[-1].total == 0
    rates.add("warned", LAST + MINUTES)
    assert rates.hour(LAST + MINUTES)[-1] == Minute(LAST + MINUTES, refused=0, warned=1, reported=0)
    assert rates.total(LAST + MINUTES) == 1


def test_a_clock_that_was_set_back_is_followed() -> None:
    rates = Rates()
    rates.add("refused", LAST + 10 * MINUTES)
    rates.add("refused", LAST)
    assert rates.total(LAST) == 1


def test_every_rule_has_its_own_and_all_have_one_together() -> None:
    rates = RuleRates()
    for rule, minutes in (("a", 0), ("a", 1), ("b", 0)):
        rates(incident(rule=rule, at=NOW - timedelta(minutes=minutes)))
    assert rates.all.total(LAST) == 3
    assert {rule: each.total(LAST) for rule, each in rates.by_rule().items()} == {"a": 2, "b": 1}


def test_of_more_rules_than_a_cluster_has_those_are_forgotten_that_were_broken_least_lately() -> None:
    rates = RuleRates()
    for number in range(MOST_RULES):
        rates(incident(rule=f"r-{number}", at=NOW))
    rates(incident(rule="r-0", at=NOW))
    rates(incident(rule="another", at=NOW))
    found = rates.by_rule()
    assert len(found) == MOST_RULES
    assert "r-0" in found
    assert "r-1" not in found
    assert rates.all.total(LAST) == MOST_RULES + 2
