from __future__ import annotations

from webhook.observe.report_backlog import MOST_WAITING, Backlog
from webhook.observe.report_body import MOST_ENTRIES

from .incidents import incident


def test_what_repeats_is_one_entry() -> None:
    backlog = Backlog()
    assert all(backlog.add(incident(new=str(number))) for number in range(1_000))
    assert len(backlog) == 1
    (entry,) = backlog.pop("n").entries.values()
    assert (entry.count, entry.latest.new) == (1_000, "999")
    assert len(backlog) == 0


def test_of_one_namespace_no_more_waits_than_a_report_holds() -> None:
    backlog = Backlog()
    for number in range(2 * MOST_ENTRIES):
        backlog.add(incident(name=f"w{number}"))
    assert len(backlog) == MOST_ENTRIES
    assert [entry.latest.name for entry in backlog.pop("n").entries.values()][-1] == f"w{2 * MOST_ENTRIES - 1}"


def test_in_all_it_is_bounded_and_says_what_it_does_not_take() -> None:
    backlog = Backlog()
    taken = sum(backlog.add(incident(namespace=f"n{number}")) for number in range(MOST_WAITING + 10))
    assert taken == len(backlog) == MOST_WAITING
    assert backlog.add(incident(namespace="n0")), "what is known is counted still"
    assert backlog.pop("n0").entries
    assert backlog.add(incident(namespace="new"))


def test_what_failed_keeps_its_name_and_is_before_what_is_new() -> None:
    backlog = Backlog()
    backlog.add(incident())
    failed = backlog.pop("n")
    backlog.give_back("n", failed)
    backlog.add(incident(new="0"))
    assert backlog.pop("n") is failed
    assert backlog.pop("n").name != failed.name
    assert backlog.namespaces(10) == []


def test_those_that_wait_longest_are_first_and_those_that_failed_last() -> None:
    backlog = Backlog()
    for namespace in "abc":
        backlog.add(incident(namespace=namespace))
    backlog.give_back("a", backlog.pop("a"))
    assert backlog.namespaces(10) == ["b", "c", "a"]
    backlog.add(incident(namespace="a"))
    backlog.give_back("b", backlog.pop("b"))
    assert backlog.namespaces(2) == ["c", "a"]


def test_it_can_be_cleared() -> None:
    backlog = Backlog()
    for namespace in "ab":
        backlog.add(incident(namespace=namespace))
    backlog.give_back("a", backlog.pop("a"))
    backlog.clear()
    assert (len(backlog), backlog.namespaces(10)) == (0, [])
