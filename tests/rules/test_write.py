from __future__ import annotations

from typing import Any

from rules.write import Roots

from .judging import write


def test_what_an_object_does_not_have_is_absent() -> None:
    roots = Roots({"status": {"a": 1}})
    assert roots["status"] == {"a": 1}
    assert roots["spec"] is None


def test_a_root_is_decoded_once() -> None:
    calls: list[str] = []

    def decode(name: str) -> Any:
        calls.append(name)
        return None

    roots = Roots(decode=decode)
    assert [roots["status"], roots["status"], roots["metadata"]] == [None] * 3
    assert calls == ["status", "metadata"]


def test_a_write_without_an_object_before_creates_it() -> None:
    assert write(None, "{status: {}}").creates
    assert not write("{}", "{status: {}}").creates
