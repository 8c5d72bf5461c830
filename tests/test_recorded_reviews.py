"""What the server answers to everything that a real API server has sent, by the library's rules: golden files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest

from rules.api import Action
from webhook.commands.demo import RecordedWrite, recorded_writes

from .golden import DATA, compare
from .library import LIBRARY
from .recordings import Recorded, recorded
from .webhook.serving_process import ServeProcess, serve_process

REVIEWS = tuple(recorded("recorded-reviews.jsonl.gz"))
HISTORIES = tuple(recorded_writes())


@pytest.fixture(scope="module", params=get_args(Action))
def action(request: pytest.FixtureRequest) -> str:
    action: str = request.param
    return action


@pytest.fixture(scope="module")
def server(action: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    folder = tmp_path_factory.mktemp("certificates")
    with serve_process("--rules", LIBRARY, "--action", action, certificates=folder) as server:
        yield server


def answers(server: ServeProcess, writes: tuple[Recorded | RecordedWrite, ...]) -> str:
    """Return the answers to writes, a line each, after checking that each is a valid one to its request."""
    lines = []
    for write, reply in zip(writes, server.replies(bytes(each.review) for each in writes), strict=True):
        assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json")
        check(json.loads(bytes(write.review))["request"]["uid"], json.loads(reply.body))
        lines.append(json.dumps({"write": write.write, "answer": json.loads(reply.body)}, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


class Cause(msgspec.Struct, forbid_unknown_fields=True):
    reason: str
    message: str
    field: str


class Details(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    group: str
    kind: str
    causes: list[Cause]


class Status(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    api_version: str
    kind: str
    metadata: dict[str, str]
    status: str
    message: str
    reason: str
    code: int
    details: Details


class Response(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """`admission.k8s.io/v1` AdmissionResponse, without what mutates."""

    uid: str
    allowed: bool
    status: Status | None = None
    warnings: list[str] = []
    audit_annotations: dict[str, str] = {}


def check(uid: str, answer: object) -> None:
    """Check that an answer is one that the API server takes."""
    assert isinstance(answer, dict)
    response = msgspec.convert(answer.pop("response"), Response)
    assert answer == {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
    assert response.uid == uid
    assert response.allowed == (response.status is None)
    assert all(len(warning) <= 120 for warning in response.warnings)
    if response.status is not None:
        assert response.status.code in {409, 422}
        assert len(response.status.message.encode()) <= 1024


def test_every_recorded_review_gets_its_answer(server: ServeProcess, action: str) -> None:
    compare(f"recorded-reviews.{action.lower()}.jsonl", answers(server, REVIEWS))


def test_every_write_of_the_three_systems_gets_its_answer(server: ServeProcess, action: str) -> None:
    compare(f"demo-writes.{action.lower()}.jsonl", answers(server, HISTORIES))


def test_the_bad_writes_are_refused_and_the_honest_ones_are_not_even_mentioned() -> None:
    answered = list(responses("demo-writes.deny.jsonl"))
    assert [response["allowed"] for response in answered] == [write.expected == "allowed" for write in HISTORIES]
    assert [response["allowed"] for response in answered].count(False) == 5
    assert all(response.keys() == {"uid", "allowed"} for response in answered if response["allowed"])


def test_a_denial_says_what_happened_who_did_it_and_what_to_do() -> None:
    message = list(responses("demo-writes.deny.jsonl"))[-1]["status"]["message"]
    assert message.startswith("status.observedGeneration went back from 2 to 1 (rule ")
    account = "system:serviceaccount:pulumi-kubernetes-operator:controller-manager"
    manager = "pulumi-kubernetes-operator/stack-status"
    assert f'Written by "{account}" with field manager "{manager}"; ' in message
    assert f'status.observedGeneration was last written by "{manager}" at 2026-12-01T02:18:46Z. ' in message
    assert "The writer most likely worked from a stale copy: read the object again, recompute the status" in message
    assert message.endswith("this is no field-manager conflict, do not force it.")


def responses(name: str) -> Iterator[Any]:
    """Yield the responses in a golden file, which the tests above compare with the server's."""
    for line in (DATA / name).read_text().splitlines():
        yield json.loads(line)["answer"]["response"]
