from __future__ import annotations

import tracemalloc

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from webhook.observe.writer_counts import MAX_WRITERS, OTHER, WriterCounts

from .everything import HOSTILE


class Counting:
    """The metric with what a scrape gets."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.counts = WriterCounts(self._registry)

    def scrape(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for family in text_string_to_metric_families(generate_latest(self._registry).decode()):
            assert family.name == "statusguard_writer_violations"
            for sample in family.samples:
                assert sample.name == "statusguard_writer_violations_total"
                writer = sample.labels["writer"]
                assert writer not in found
                found[writer] = sample.value
        return found


def test_the_rest_is_there_from_the_start() -> None:
    assert Counting().scrape() == {OTHER: 0}


def test_each_writer_has_its_count() -> None:
    counting = Counting()
    for writer in ("a", "b", "a"):
        counting.counts.count(writer)
    assert counting.scrape() == {"a": 2, "b": 1, OTHER: 0}


def test_ten_thousand_names_make_no_more_series_and_the_sum_is_exact() -> None:
    counting = Counting()
    for _ in range(500):
        counting.counts.count("busy")
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for number in range(10_000):
        counting.counts.count(f"user-{number}")
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    series = counting.scrape()
    assert len(series) == MAX_WRITERS + 1
    assert sum(series.values()) == 10_500
    assert series["busy"] == 500
    assert grown < 100_000


def test_hostile_names_are_escaped_and_cut() -> None:
    counting = Counting()
    for name in (HOSTILE, "x" * 1_000_000, ""):
        counting.counts.count(name)
    series = counting.scrape()
    assert sum(series.values()) == 3
    assert all(writer.isprintable() and len(writer) <= 200 for writer in series)


def test_a_writer_called_other_is_no_second_series() -> None:
    counting = Counting()
    counting.counts.count(OTHER)
    assert counting.scrape() == {OTHER: 1}
