from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from rules.write import Resource
from tests import golden
from webhook.observe.event_body import MAX_NOTE, collection, event, micro_time, note

from .incidents import incident

LATER = datetime(2026, 1, 1, 0, 5, 0, 250, tzinfo=UTC)
NODE = incident(resource=Resource("", "v1", "nodes", "status"), kind="Node", namespace="", name="node-1")


def test_the_whole_of_an_event() -> None:
    found = event(incident(at=datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)), "statusguard.1", "pod-1", 3, LATER)
    golden.compare("event.json", json.dumps(found, indent=2) + "\n")


def test_what_happened_once_is_no_series() -> None:
    assert "series" not in event(incident(), "a", "pod-1", 1, LATER)


def test_what_was_let_pass_has_another_reason() -> None:
    found = event(incident(denied=False, action="Audit"), "a", "pod-1", 1, LATER)
    assert (found["reason"], found["action"], found["type"]) == ("StatusViolation", "Audit", "Warning")
    assert "The write was not refused." in found["note"]


def test_what_is_in_no_namespace_has_its_events_in_default() -> None:
    found = event(NODE, "a", "pod-1", 1, LATER)
    assert found["metadata"]["namespace"] == "default"
    assert found["regarding"] == {"apiVersion": "v1", "kind": "Node", "name": "node-1", "uid": "o-1"}
    assert collection(NODE) == "/apis/events.k8s.io/v1/namespaces/default/events"


def test_a_long_name_of_a_pod_is_cut_to_what_the_api_server_takes() -> None:
    assert len(event(incident(), "a", "p" * 200, 1, LATER)["reportingInstance"]) == 128


@pytest.mark.parametrize(
    "fields",
    [
        {"problem": "x" * 5_000},
        {"problem": "\N{SNOWMAN}" * 2_000, "writer": "\N{SNOWMAN}" * 200},
        dict.fromkeys(("writer", "manager", "last_writer", "rule", "field", "problem"), "☃" * 320),
    ],
    ids=["problem", "not ASCII", "everything"],
)
def test_a_note_is_never_longer_than_the_api_server_takes(fields: dict[str, str]) -> None:
    assert len(note(incident(**fields)).encode()) <= MAX_NOTE


def test_a_long_problem_leaves_room_for_the_writer() -> None:
    assert note(incident(problem="x" * 5_000)).endswith(
        '…. The write was refused. Written by "u" with field manager "m"; last written by "kubelet" at 2026-01-01T00:00:00Z.'
    )


def test_what_is_not_known_of_writers_is_left_out() -> None:
    assert note(incident(manager="", last_writer="")).endswith('Written by "u"; who wrote it last is unknown.')
    assert note(incident(last_written="")).endswith('last written by "kubelet".')


def test_a_time_has_six_digits_even_if_they_are_zero() -> None:
    assert micro_time(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2026-01-02T03:04:05.000000Z"
