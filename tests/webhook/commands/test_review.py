from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import Ran, in_a_process, statusguard
from tests.widgets import review, rule
from webhook import json_stream

ALLOWED = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "u-1", "allowed": True}}


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "rules.yaml"
    file.write_text(rule("r"))
    return file


def responses(ran: Ran) -> list[Any]:
    return [json.loads(line)["response"] for line in ran.out.splitlines()]


def pretty(review: bytes) -> str:
    return json.dumps(json.loads(review), indent=2)


def test_reviews_of_all_forms_are_answered_one_a_line_in_order(rules: Path, tmp_path: Path) -> None:
    lines = b"\n".join(review(1, 2, uid=uid) for uid in ("a", "b"))
    (tmp_path / "lines.jsonl").write_bytes(lines)
    (tmp_path / "pretty.json").write_text(f"{pretty(review(1, 2, uid='c'))}\n\n{pretty(review(2, 1, uid='d'))}\n")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(review(1, 2, uid="e")))
    files = [tmp_path / name for name in ("lines.jsonl", "pretty.json", "packed.gz")]
    ran = statusguard("review", "--rules", rules, *files)
    assert (ran.code, ran.err) == (0, "")
    assert [each["uid"] for each in responses(ran)] == ["a", "b", "c", "d", "e"]
    assert [each["uid"] for each in responses(ran) if not each["allowed"]] == ["d"]


def test_an_answer_is_compact_json(rules: Path, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(review(1, 2))
    ran = statusguard("review", "--rules", rules, tmp_path / "r.json")
    assert ran.out == json.dumps(ALLOWED, separators=(",", ":")) + "\n"


@pytest.mark.parametrize("stdin", [review(2, 1), gzip.compress(review(2, 1))], ids=["plain", "packed"])
def test_standard_input(rules: Path, stdin: bytes) -> None:
    ran = in_a_process("review", "--rules", rules, "-", stdin=stdin)
    assert (ran.code, ran.err) == (0, "")
    assert [each["allowed"] for each in responses(ran)] == [False]


def test_a_bad_review_is_a_line_with_its_place_and_the_rest_go_on(rules: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    good = review(1, 2)
    file.write_bytes(b"\n".join([good, b"{", good, b"", b"[1]", b"{}", good.replace(b"u-1", b""), good]))
    ran = statusguard("review", "--rules", rules, file)
    assert ran.code == 2
    assert len(responses(ran)) == 3
    assert [line.removeprefix(f"{file}:") for line in ran.err.splitlines()] == [
        "2: the body is not JSON: Input data was truncated",
        "5: the body is no AdmissionReview: Expected `object`, got `array`",
        "6: the body has no kind and no apiVersion, expected AdmissionReview of admission.k8s.io/v1",
        "7: the request has no uid",
    ]


def test_a_file_that_cannot_be_read_is_a_line_and_the_others_go_on(rules: Path, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(review(1, 2))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(review(1, 2))[:-9])
    names = [tmp_path / name for name in ("missing", ".", "cut.gz", "r.json")]
    for output in ("json", "table"):
        ran = statusguard("review", "--rules", rules, "--output", output, *names)
        assert ran.code == 2
        assert "u-1" in ran.out
        assert ran.err.splitlines() == [
            f"{tmp_path}/missing: No such file or directory",
            f"{tmp_path}: Is a directory",
            f"{tmp_path}/cut.gz: Compressed file ended before the end-of-stream marker was reached",
        ]


def test_a_document_that_is_too_large_is_a_line(rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "MAX_DOCUMENT", 1024 * 1024)
    (tmp_path / "r.json").write_bytes(b"\n" + b"[" * (1024 * 1024 + 1))
    ran = statusguard("review", "--rules", rules, tmp_path / "r.json")
    assert ran == Ran(2, "", f"{tmp_path}/r.json:2: larger than 1 MiB\n")


def test_table(rules: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_bytes(b"\n".join([review(1, 2), review(2, 1, uid="\u202e")]))
    ran = statusguard("review", "--rules", rules, "--output", "table", "--action", "Warn", file)
    assert (ran.code, ran.err) == (0, "")
    assert [line.split(maxsplit=3) for line in ran.out.splitlines()] == [
        ["REVIEW", "UID", "ALLOWED", "MESSAGE"],
        [f"{file}:1", "u-1", "yes"],
        [
            f"{file}:2",
            "\\u202e",
            "yes",
            "statusguard: r/generation: status.observedGeneration went back from 2 to 1",
        ],
    ]


def test_a_sensitive_value_is_not_printed(rules: Path, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(review("secret", 1))
    (tmp_path / "rules.yaml").write_text(rule("r").replace("observedGeneration: {}", "frozen: {fields: [status]}"))
    words: list[str | Path] = ["review", "--rules", rules, tmp_path / "r.json"]
    assert "secret" in statusguard(*words).out
    ran = statusguard(*words, "--sensitive-path", "status.observedGeneration")
    assert "secret" not in ran.out
    assert "<hidden>" in ran.out
