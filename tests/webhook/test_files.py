from __future__ import annotations

import os
from pathlib import Path

import pytest

from rules.documents import MAX_BYTES, DocumentError
from webhook.errors import InputError
from webhook.files import read_documents


def test_every_document_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n---\nb: 1\n")
    (tmp_path / "a.json").write_text('{"a": "\\ud83d\\ude00"}')
    assert [document.data for document in read_documents(tmp_path / "a.yaml")] == [{"a": 1}, {"b": 1}]
    assert [document.data for document in read_documents(tmp_path / "a.json")] == [{"a": "\U0001f600"}]


def test_a_syntax_error_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": }')
    with pytest.raises(DocumentError, match=f"^{tmp_path}/a.json:1:7: not JSON: Expecting value$"):
        read_documents(tmp_path / "a.json")


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path: Path) -> None:
    with (tmp_path / "a.yaml").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(DocumentError, match=r"a\.yaml:1:1: larger than 4 MiB$"):
        read_documents(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "FOLDER/missing: No such file or directory"),
        (".", "FOLDER: not a file"),
        ("pipe", "FOLDER/pipe: not a file"),
        ("a\0b", "FOLDER/a\\u0000b: no file can have this name"),
        ("x" * 300, f"FOLDER/{'x' * 300}: File name too long"),
    ],
)
def test_what_is_no_file(tmp_path: Path, name: str, message: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError) as caught:
        read_documents(tmp_path / name)
    assert str(caught.value).replace(str(tmp_path), "FOLDER") == message
