"""Every metric is in docs/metrics.md, with its type and labels, and no other is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from prometheus_client.parser import text_string_to_metric_families

from tests.webhook.observe.everything import everything
from webhook.observe.turns import MAX_BREACHES, MAX_OBJECTS

PAGE = (Path(__file__).parents[2] / "docs/metrics.md").read_text("utf-8")
ROW = re.compile(
    r"^\| `(?P<name>\w+)` \| (?P<type>\w+) \| (?P<labels>[^|]*)\| (?P<meaning>[^|]+) \| (?P<moves>[^|]+) \|$",
    re.MULTILINE,
)
FROM_THE_API_SERVER = {
    "apiserver_admission_match_condition_exclusions_total",
    "apiserver_admission_match_condition_evaluation_errors_total",
    "apiserver_admission_webhook_admission_duration_seconds",
    "apiserver_admission_webhook_fail_open_count",
}


class Described(NamedTuple):
    type: str
    labels: frozenset[str]


def described() -> dict[str, Described]:
    """Return what the tables say."""
    rows = [row.groupdict() for row in ROW.finditer(PAGE)]
    assert len(rows) == len({row["name"] for row in rows})
    return {row["name"]: Described(row["type"], frozenset(re.findall(r"`(\w+)`", row["labels"]))) for row in rows}


def exported() -> dict[str, Described]:
    """Return what a scrape says."""
    found = {}
    for family in text_string_to_metric_families(everything().exposition().decode()):
        assert family.samples, family.name
        labels = frozenset(label for sample in family.samples for label in sample.labels) - {"le"}
        name = f"{family.name}_total" if family.type == "counter" else family.name
        found[name] = Described(family.type, labels)
    return found


def test_the_tables_are_of_the_metrics_that_there_are() -> None:
    ours = {name: row for name, row in described().items() if name not in FROM_THE_API_SERVER}
    assert ours == exported()


def test_the_metrics_of_the_api_server_that_are_used_are_described() -> None:
    assert set(described()) >= FROM_THE_API_SERVER


def test_every_row_is_read() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(rows) == len(described())


def test_every_metric_that_a_page_names_is_there() -> None:
    names = set(described())
    for page in Path(__file__).parents[2].glob("docs/**/*.md"):
        for name in re.findall(r"`(statusguard_[a-z_]+)", page.read_text("utf-8")):
            assert name in names, f"{page.name}: {name}"


def test_the_bounds_of_the_log_are_those_of_the_code() -> None:
    log = PAGE.partition("## Log lines")[2]
    assert f"breaks one invariant {MAX_OBJECTS} objects are named" in log
    assert f"Of {MAX_BREACHES} combinations of rule, invariant and writer" in log
