from __future__ import annotations

from datetime import timedelta

from tests.webhook.observe.incidents import incident
from webhook.ui.recent import MAX_CHARACTERS, MOST, Recent

from .views import NOW


def test_the_latest_is_first() -> None:
    recent = Recent()
    for name in "abc":
        recent(incident(name=name))
    assert [each.latest.name for each in recent.snapshot()] == ["c", "b", "a"]


def test_what_repeats_is_one_with_its_last_values_and_how_often_it_happened() -> None:
    recent = Recent()
    recent(incident(name="a", new="1", at=NOW))
    recent(incident(name="b"))
    recent(incident(name="a", new="0", at=NOW + timedelta(seconds=1)))
    first, second = recent.snapshot()
    assert (first.latest.name, first.latest.new, first.count, first.first) == ("a", "0", 2, NOW)
    assert (second.latest.name, second.count) == ("b", 1)


def test_another_field_or_writer_is_another() -> None:
    recent = Recent()
    for fields in ({}, {"field": "status.b"}, {"writer": "v"}):
        recent(incident(**fields))
    assert [each.count for each in recent.snapshot()] == [1, 1, 1]


def test_a_storm_leaves_a_bounded_number() -> None:
    recent = Recent()
    for number in range(10_000):
        recent(incident(name=f"w-{number}"))
    found = recent.snapshot()
    assert len(found) == MOST
    assert found[0].latest.name == "w-9999"


def test_a_storm_of_long_texts_leaves_a_bounded_number_of_characters() -> None:
    recent = Recent()
    for number in range(100):
        recent(incident(name=f"w-{number}", problem="\U0001f600" * 100_000))
        recent(incident(name=f"w-{number}", problem="\U0001f600" * 90_000))
    found = recent.snapshot()
    assert sum(len(each.latest.problem) for each in found) <= MAX_CHARACTERS
    assert len(found) == 10
    assert found[0].latest.name == "w-99"


def test_one_that_is_too_long_by_itself_is_forgotten_and_counts_no_more() -> None:
    recent = Recent()
    recent(incident(problem="x" * (MAX_CHARACTERS + 1)))
    assert recent.snapshot() == ()
    recent(incident())
    assert len(recent.snapshot()) == 1
