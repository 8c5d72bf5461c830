from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.write import Resource
from tests import golden
from webhook.observe.incident import Incident
from webhook.observe.report_apis import APIS
from webhook.observe.report_backlog import Backlog
from webhook.observe.report_body import BATCHES, MOST_BATCHES, MOST_BYTES, MOST_ENTRIES, Batch, has_aged, report

from .incidents import incident

OPEN_REPORTS, POLICY_REPORTS = APIS
START = datetime(2026, 1, 1, tzinfo=UTC)
LONG_AGO = START - timedelta(days=1)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def batch(*incidents: Incident, name: str = "b1") -> Batch:
    backlog = Backlog()
    for each in incidents:
        backlog.add(each)
    return Batch(name, backlog.pop(incidents[0].namespace).entries if incidents else {})


def merged(found: dict[str, Any] | None, *incidents: Incident, oldest: datetime = LONG_AGO) -> dict[str, Any]:
    return report(OPEN_REPORTS, "n", found, batch(*incidents), oldest)


def counts(found: dict[str, Any]) -> list[int]:
    return [int(each["properties"]["count"]) for each in found["results"]]


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.api_version.partition(".")[0])
def test_the_whole_of_a_report(api: Any) -> None:
    happened = [incident(at=at(second)) for second in range(3)]
    audited = incident(at=at(4.5), action="Audit", denied=False, invariant="counters", manager="", last_writer="")
    found = report(api, "n", None, batch(*happened, audited), LONG_AGO)
    golden.compare(f"report.{api.of_namespace.plural}.json", json.dumps(found, indent=2) + "\n")


def test_what_is_in_no_namespace_has_a_report_of_the_cluster() -> None:
    node = incident(resource=Resource("", "v1", "nodes", "status"), kind="Node", namespace="", name="node-1")
    found = report(POLICY_REPORTS, "", None, batch(node), LONG_AGO)
    assert (found["apiVersion"], found["kind"]) == ("wgpolicyk8s.io/v1alpha2", "ClusterPolicyReport")
    assert "namespace" not in found["metadata"]
    assert found["results"][0]["resources"] == [{"apiVersion": "v1", "kind": "Node", "name": "node-1", "uid": "o-1"}]


def test_what_repeats_is_one_entry_that_says_what_happened_last() -> None:
    first = merged(None, incident(at=at(0), new="1"), incident(at=at(1), new="0"))
    second = merged(first, incident(at=at(2), new="-1"))
    (entry,) = second["results"]
    said = entry["properties"]
    assert (said["count"], said["new"], said["firstSeen"]) == ("3", "-1", "2026-01-01T00:00:00Z")
    assert entry["timestamp"]["seconds"] == int(at(2).timestamp())


def test_what_another_replica_saw_later_is_kept() -> None:
    newer = merged(None, incident(at=at(10), new="0"))
    (entry,) = merged(newer, incident(at=at(5), new="1"))["results"]
    said = entry["properties"]
    assert (said["count"], said["new"], said["firstSeen"]) == ("2", "0", "2026-01-01T00:00:05Z")
    assert entry["timestamp"]["seconds"] == int(at(10).timestamp())


def test_the_newest_stands_first() -> None:
    found = merged(
        merged(None, incident(name="a", at=at(1))), incident(name="b", at=at(0)), incident(name="c", at=at(2))
    )
    assert [each["resources"][0]["name"] for each in found["results"]] == ["c", "a", "b"]


def test_the_newest_entries_stay() -> None:
    found = None
    for number in range(MOST_ENTRIES + 20):
        found = merged(found, incident(name=f"w{number}", at=at(number)))
    assert found is not None
    assert len(found["results"]) == found["summary"]["fail"] == MOST_ENTRIES
    assert found["results"][-1]["resources"][0]["name"] == "w20"


def test_long_entries_are_bounded_by_their_bytes() -> None:
    long = dict.fromkeys(("writer", "manager", "last_writer", "old", "new", "field"), "☃" * 320)
    happened = [incident(name=f"w{number}", at=at(number), **long) for number in range(MOST_ENTRIES)]
    found = merged(None, *happened)
    assert 0 < len(found["results"]) < MOST_ENTRIES
    assert len(json.dumps(found["results"], ensure_ascii=False).encode()) <= 1.05 * MOST_BYTES


def test_old_entries_go() -> None:
    found = merged(None, incident(name="old", at=at(0)), incident(name="new", at=at(100)))
    assert not has_aged(found, at(0))
    assert has_aged(found, at(50))
    after = merged(found, oldest=at(50))
    assert [each["resources"][0]["name"] for each in after["results"]] == ["new"]
    assert after["summary"]["fail"] == 1
    assert merged(after, oldest=at(200))["results"] == []
    assert merged(None, incident(at=at(0)), oldest=at(1))["results"] == [], "it waited longer than it is kept"


@pytest.mark.parametrize(
    "change",
    [
        {"source": "somebody"},
        {"result": "pass"},
        {"policy": None},
        {"resources": []},
        {"resources": None},
        {"properties": {"count": "many", "firstSeen": "2026-01-01T00:00:00Z"}},
        {"properties": {"count": "1", "firstSeen": "2026-01-01T00:00:00"}},
        {"properties": {"count": "9" * 5_000, "firstSeen": "2026-01-01T00:00:00Z"}},
        {"properties": None},
        {"timestamp": {"seconds": "1", "nanos": 0}},
    ],
    ids=str,
)
def test_what_somebody_else_wrote_into_it_goes(change: dict[str, Any]) -> None:
    found = merged(None, incident())
    found["results"].append({**found["results"][0], **change})
    after = merged(found, incident(name="b"))
    assert len(after["results"]) == 2


@pytest.mark.parametrize("found", [{}, {"results": None, "metadata": {"annotations": None, "labels": None}}])
def test_a_report_with_nothing_in_it_is_one(found: dict[str, Any]) -> None:
    assert counts(merged(found, incident())) == [1]


def test_what_others_need_in_its_metadata_stays() -> None:
    metadata = {"name": "statusguard", "resourceVersion": "7", "labels": {"team": "a"}, "annotations": {"x": "y"}}
    after = merged({"metadata": metadata, "scope": {"kind": "Namespace"}}, incident())
    assert after["metadata"]["resourceVersion"] == "7"
    assert after["metadata"]["labels"] == {"team": "a", "app.kubernetes.io/managed-by": "statusguard"}
    assert after["metadata"]["annotations"] == {"x": "y", BATCHES: "b1"}
    assert after["scope"] == {"kind": "Namespace"}


def test_only_the_last_batches_are_named() -> None:
    found: dict[str, Any] | None = None
    for number in range(MOST_BATCHES + 5):
        found = report(OPEN_REPORTS, "n", found, batch(incident(), name=str(number)), LONG_AGO)
    assert found is not None
    assert found["metadata"]["annotations"][BATCHES].split() == [str(number) for number in range(5, MOST_BATCHES + 5)]


@given(
    batches=st.lists(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["Deny", "Warn", "Audit"]), st.integers(0, 100))),
        max_size=6,
    )
)
def test_nothing_is_lost_and_the_summary_is_that_of_the_entries(batches: list[list[tuple[str, str, int]]]) -> None:
    found = None
    for each in batches:
        found = merged(found, *(incident(name=name, action=action, at=at(second)) for name, action, second in each))
        found = json.loads(json.dumps(found))
        assert found["summary"]["fail"] == sum(entry["result"] == "fail" for entry in found["results"])
        assert found["summary"]["warn"] == sum(entry["result"] == "warn" for entry in found["results"])
        assert sum(found["summary"].values()) == len(found["results"])
    assert found is None or sum(counts(found)) == sum(map(len, batches))
