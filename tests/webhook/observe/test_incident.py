from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pytest

from rules.fieldpath import parse
from rules.ruleset import judge
from rules.write import Resource, Roots, UndecodableError, Write
from tests.rules.judging import rule, write
from webhook.display import Display
from webhook.message import Wording
from webhook.observe.incident import MAX_IDENTIFIER, Incident, incidents
from webhook.verdict import decide

OLD = """
apiVersion: example.test/v1
metadata:
  uid: o-1
  managedFields:
  - manager: kubelet
    operation: Update
    apiVersion: example.test/v1
    time: "2026-01-01T00:00:00Z"
    fieldsV1: {"f:status": {"f:observedGeneration": {}}}
status: {observedGeneration: 2, id: a}
"""
BACK = "{apiVersion: example.test/v1, status: {observedGeneration: 1, id: a}}"
BOTH = "{apiVersion: example.test/v1, status: {observedGeneration: 1, id: b}}"
HOSTILE = "\u202e\x1b[2J\n\ud800" + "x" * 1_000_000


def told(new: str = BACK, *, sensitive: str = "", action: str = "Deny", **request: Any) -> list[Incident]:
    guarded = rule("observedGeneration: {}", "{name: id, writeOnce: {fields: [status.id]}}", validationActions=[action])
    to_judge = write(OLD, new, **{"namespace": "n", "username": "u", "field_manager": "m", "kind": "Widget", **request})
    return of(to_judge, guarded, sensitive=sensitive)


def of(to_judge: Write, *rules: Any, sensitive: str = "") -> list[Incident]:
    verdict = decide(judge(rules, to_judge), to_judge)
    return incidents(verdict, to_judge, Wording(Display([parse(sensitive)] if sensitive else [])))


def test_an_incident_says_all_of_a_violation() -> None:
    before = datetime.now(UTC)
    (incident,) = told()
    assert before <= incident.at <= datetime.now(UTC)
    assert incident == Incident(
        at=incident.at,
        rule="r",
        invariant="i",
        field="status.observedGeneration",
        old="2",
        new="1",
        action="Deny",
        denied=True,
        problem="went back from 2 to 1",
        resource=Resource("example.test", "v1", "widgets", "status"),
        kind="Widget",
        namespace="n",
        name="w",
        object_uid="o-1",
        writer="u",
        manager="m",
        last_writer="kubelet",
        last_written="2026-01-01T00:00:00Z",
        request_uid="u-1",
    )
    assert incident.object == "n/w"


def test_each_violation_is_an_incident_of_the_same_time() -> None:
    first, second = told(BOTH)
    assert (first.invariant, second.invariant) == ("i", "id")
    assert (second.old, second.new) == ('"a"', '"b"')
    assert first.at == second.at


def test_an_honest_write_is_no_incident() -> None:
    assert told(OLD) == []


@pytest.mark.parametrize(("action", "denied"), [("Deny", True), ("Warn", False), ("Audit", False)])
def test_it_says_what_was_done(action: str, *, denied: bool) -> None:
    (incident,) = told(action=action)
    assert (incident.action, incident.denied) == (action, denied)


def test_a_value_that_is_absent_is_told_from_a_string() -> None:
    gone, same = "{apiVersion: example.test/v1, status: {observedGeneration: 2}}", '"unset"'
    (incident,) = told(gone)
    assert (incident.old, incident.new) == ('"a"', "unset")
    (incident,) = told(f"{{apiVersion: example.test/v1, status: {{observedGeneration: 2, id: {same}}}}}")
    assert incident.new == same


def test_what_is_sensitive_is_nowhere_in_an_incident() -> None:
    new = "{apiVersion: example.test/v1, status: {observedGeneration: 2, id: secret-b}}"
    (incident,) = told(new, sensitive="status.id")
    assert (incident.old, incident.new) == ("<hidden>", "<hidden>")
    assert "secret" not in repr(incident)


def test_text_from_outside_is_short_and_harmless() -> None:
    named = dict.fromkeys(("namespace", "name", "username", "field_manager", "kind", "uid"), HOSTILE)
    resource = Resource(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    (incident,) = told(resource=resource, **named)
    for field in fields(Incident):
        value = getattr(incident, field.name)
        for text in (
            (value.group, value.version, value.resource, value.subresource) if field.name == "resource" else (value,)
        ):
            assert len(str(text)) <= MAX_IDENTIFIER, field.name
            assert str(text).isprintable(), field.name


def test_names_of_kubernetes_are_never_cut() -> None:
    (incident,) = told(namespace="n" * 63, name="w" * 253)
    assert incident.object == f"{'n' * 63}/{'w' * 253}"


def test_a_namespace_is_in_no_namespace() -> None:
    (incident,) = told(resource=Resource("", "v1", "namespaces", "status"), namespace="prod", name="prod")
    assert (incident.namespace, incident.object) == ("", "prod")


def undecodable(name: str) -> Any:
    raise UndecodableError(f"{name} cannot be decoded")


@pytest.mark.parametrize(
    ("old", "new", "uid"),
    [
        ({}, {"metadata": {"uid": "o-2"}}, "o-2"),
        ({"metadata": {"uid": 1}}, {"metadata": []}, ""),
        (None, {"metadata": {"uid": "o-2"}}, "o-2"),
        ({"metadata": {"uid": "o-1"}}, None, "o-1"),
    ],
)
def test_the_uid_is_what_either_side_says(old: Any, new: Any, uid: str) -> None:
    made = write(OLD, BACK)
    status = ({"status": {"id": "a"}}, {"status": {"id": "b"}})
    sides = [
        Roots({**part, **(side or {})}, decode=undecodable if side is None else None)
        for side, part in zip((old, new), status, strict=True)
    ]
    (incident,) = of(Write(made.request, sides[1], sides[0]), rule("{name: id, writeOnce: {fields: [status.id]}}"))
    assert incident.object_uid == uid
