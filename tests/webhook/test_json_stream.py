from __future__ import annotations

import gzip
import io
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook import json_stream
from webhook.errors import InputError
from webhook.json_stream import Chunk, _split, chunks

TEXT = st.text('{}[]"\\:,\nx\u2028', max_size=4)
JSON = st.recursive(
    st.none() | TEXT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=3)


def split(text: bytes) -> list[tuple[int, bytes]]:
    return [(chunk.line, chunk.text.strip()) for chunk in _split(io.BytesIO(text), "s")]


@given(st.lists(st.tuples(OBJECT, st.sampled_from([None, 1, 4])), max_size=4), st.data())
def test_documents_are_found_however_they_are_written(
    documents: list[tuple[Any, int | None]], data: st.DataObject
) -> None:
    texts = [json.dumps(document, indent=indent, ensure_ascii=False) for document, indent in documents]
    joined = ""
    expected = []
    for text in texts:
        joined += data.draw(st.sampled_from(["", "\n", " \r\n\n"]))
        expected.append((joined.count("\n") + 1, text.encode()))
        joined += f"{text}\n"
    assert split(joined.encode()) == expected


@given(st.lists(OBJECT, max_size=4))
def test_documents_without_indentation_are_found(documents: list[Any]) -> None:
    text = "\n".join(json.dumps(document, indent=0) for document in documents)
    assert [json.loads(chunk) for _, chunk in split(text.encode())] == documents


@given(st.binary(max_size=200) | st.text('{}[]"\\\n a,:', max_size=200).map(str.encode))
def test_nothing_is_lost_of_any_bytes_but_blank_lines(text: bytes) -> None:
    found = [chunk.text for chunk in _split(io.BytesIO(text), "s")]
    assert b"".join(found).split() == text.split()
    assert all(chunk.strip() for chunk in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"a":\n{"b":1}\n{"c":1}', [(1, b'{"a":'), (2, b'{"b":1}'), (3, b'{"c":1}')]),
        (b'{\n{"b":1}', [(1, b"{"), (2, b'{"b":1}')]),
        (b'{\n  "a": {\n    "x": 1\n{\n  "b": 1\n}\n', [(1, b'{\n  "a": {\n    "x": 1'), (4, b'{\n  "b": 1\n}')]),
        (b'{"a":"}\n{"b":1}', [(1, b'{"a":"}'), (2, b'{"b":1}')]),
        (b'{"a":1}}\n{"b":1}', [(1, b'{"a":1}}'), (2, b'{"b":1}')]),
        (b"nonsense\n{}", [(1, b"nonsense"), (2, b"{}")]),
        (b'[\n{"a":1}\n]\n{}', [(1, b'[\n{"a":1}\n]'), (4, b"{}")]),
        (b'{"a":[', [(1, b'{"a":[')]),
        (b'{"a":"\\"}{[\\\\"}\n{}', [(1, b'{"a":"\\"}{[\\\\"}'), (2, b"{}")]),
    ],
)
def test_a_broken_document_does_not_swallow_the_next(text: bytes, expected: list[tuple[int, bytes]]) -> None:
    assert split(text) == expected


def test_a_line_of_quotes_takes_linear_time() -> None:
    start = time.process_time()
    split(b'"' + rb"\"" * 1_000_000)
    split(b'"' * 999_999)
    assert time.process_time() - start < 20  # measured 0.1 s; in quadratic time it would be an hour


def test_places(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'\n{"a": 1}\n{\n}\n')
    assert [chunk.place for chunk in chunks(str(file))] == [f"{file}:2", f"{file}:3"]


def test_a_packed_file_of_several_parts(tmp_path: Path) -> None:
    file = tmp_path / "a.gz"
    file.write_bytes(gzip.compress(b'{"a": 1}\n') + gzip.compress(b'{"b": 1}\n'))
    assert [chunk.text for chunk in chunks(str(file))] == [b'{"a": 1}\n', b'{"b": 1}\n']


def test_standard_input_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(gzip.compress(b"{}")))))
    assert list(chunks("-")) == [Chunk(b"{}", "<stdin>", 1)]


@pytest.mark.parametrize("damage", [slice(None, -9), slice(None, 15)])
def test_a_packed_file_that_was_cut(tmp_path: Path, damage: slice) -> None:
    file = tmp_path / "a.gz"
    file.write_bytes(gzip.compress(json.dumps(list(range(100))).encode())[damage])
    with pytest.raises(
        InputError, match=f"^{file}: Compressed file ended before the end-of-stream marker was reached$"
    ):
        list(chunks(str(file)))


def test_a_packed_file_that_was_changed(tmp_path: Path) -> None:
    file = tmp_path / "a.gz"
    content = bytearray(gzip.compress(b"{}" * 100))
    content[-8] ^= 1
    file.write_bytes(content)
    with pytest.raises(InputError, match=f"^{file}: CRC check failed "):
        list(chunks(str(file)))


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path}/x: No such file or directory$"):
        list(chunks(str(tmp_path / "x")))
    with pytest.raises(InputError, match=f"^{tmp_path}: Is a directory$"):
        list(chunks(str(tmp_path)))


@pytest.mark.parametrize("text", [b"[" * 2000, b"{\n" + b" \n" * 2000])
def test_a_document_without_end_is_given_up(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "MAX_DOCUMENT", 1000)
    with pytest.raises(InputError, match=r"^s:2: larger than \d+ MiB$"):
        list(_split(io.BytesIO(b"{}\n" + text), "s"))
