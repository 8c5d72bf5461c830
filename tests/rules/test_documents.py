from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import document_tree
from rules.documents import MAX_BYTES, Document, DocumentError, parse
from rules.problem import Location

RULE = """\
# a rule
kind: StatusRule
spec:
  fields: [status.replicas, 'it''s', "a\\"b\\u00e9c"]
  more:
  - &one
    name: x
  - *one
"""

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def document(text: str, source: str = "r.yaml") -> Document:
    (only,) = parse(text.encode(), source)
    return only


def error(text: str | bytes, source: str = "r.yaml") -> str:
    with pytest.raises(DocumentError) as caught:
        parse(text if isinstance(text, bytes) else text.encode(), source)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("location", "offset", "expected"),
    [
        ((), None, "2:1"),
        (("kind",), None, "2:7"),
        (("kind",), 6, "2:13"),
        (("spec",), None, "4:3"),
        (("spec", "fields", 0), 7, "4:19"),
        (("spec", "fields", 1), None, "4:29"),
        (("spec", "fields", 1), 3, "4:34"),
        (("spec", "fields", 2), 1, "4:40"),
        (("spec", "fields", 2), 4, "4:49"),
        (("spec", "fields", 7), None, "4:11"),
        (("spec", "missing", "deeper"), None, "4:3"),
        (("kind", "deeper", 0), None, "2:7"),
        (("spec", "more", 1, "name"), None, "7:11"),
    ],
)
def test_places_of_values(location: Location, offset: int | None, expected: str) -> None:
    assert str(document(RULE).place(location, offset)) == f"r.yaml:{expected}"


@pytest.mark.parametrize(
    ("location", "expected"),
    [(("spec",), "3:1"), (("spec", "fields"), "4:3"), (("spec", "fields", 0), "4:12"), (("spec", "missing"), "4:3")],
)
def test_places_of_keys(location: Location, expected: str) -> None:
    assert str(document(RULE).place(location, of_key=True)) == f"r.yaml:{expected}"


@pytest.mark.parametrize(
    ("written", "offset", "column"),
    [
        ("abc", 2, 3),
        ("abc", 99, 4),
        ("'abc'", 2, 4),
        ("'a''b'", 2, 5),
        ("'abc'", 3, 5),
        ("'abc'", 99, 6),
        ('"abc"', 2, 4),
        (r'"\x41\u0041\U00000041b"', 3, 22),
        ("&a !!str abc", 1, 11),
        ('!!str "abc"', 1, 9),
        ('"a\n  b"', 2, 1),
        ("abc\n def", 5, 1),
        ("[abc]", 2, 1),
    ],
)
def test_offsets_in_strings(written: str, offset: int, column: int) -> None:
    place = document(written).place((), offset)
    assert (place.line, place.column) == (1, column)


def test_offset_behind_an_escaped_surrogate_pair() -> None:
    assert document(r'["\ud83d\ude00b"]', "r.json").place((0,), 1).column == 15


@given(st.text(alphabet=st.sampled_from("abé😀'\"\\ ."), min_size=1), st.data())
def test_offset_in_a_quoted_string_is_where_its_character_is_written(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text) - 1))
    single, double = "'" + text.replace("'", "''") + "'", json.dumps(text, ensure_ascii=False)
    for written, escape in ((single, "'"), (double, "\\")):
        column = document(written).place((), offset).column
        shown = written[column - 1]
        assert shown == text[offset] or (shown == escape and written[column] == text[offset])


@given(JSON_VALUES)
def test_json_is_read_alike_as_json_and_as_yaml(value: Any) -> None:
    written = json.dumps(value)
    assert document(written, "r.json").data == value
    if r"\ud" not in written and "\x7f" not in written:
        assert document(written).data == value


@given(JSON_VALUES)
def test_every_value_has_its_place(value: Any) -> None:
    written = json.dumps(value, indent=1)
    read = document(written, "r.json")
    lines = written.splitlines()

    def check(part: Any, location: Location) -> None:
        place = read.place(location)
        rest = "\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])
        assert json.JSONDecoder().raw_decode(rest)[0] == part
        steps = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for step, inner in steps:
            check(inner, (*location, step))

    check(value, ())


def test_several_documents_keep_their_places() -> None:
    first, second = parse(b"a: 1\n---\n# empty\n---\n\nb: 2\n...\n", "r.yaml")
    assert first.source == second.source == "r.yaml"
    assert (first.data, second.data) == ({"a": 1}, {"b": 2})
    assert str(second.place(("b",))) == "r.yaml:6:4"


@pytest.mark.parametrize("text", [b"", b"# nothing\n", b"---\n---\n", b"\xef\xbb\xbf"])
def test_empty_documents_are_left_out(text: bytes) -> None:
    assert parse(text, "r.yaml") == []


def test_line_ends_of_all_systems_count() -> None:
    assert str(document("a: 1\r\nb: 2\rc: 3\nd: 4").place(("d",))) == "r.yaml:4:4"


def test_a_byte_order_mark_has_no_column() -> None:
    assert str(document("\ufeffa: 1").place(("a",))) == "r.yaml:1:4"


def test_columns_count_characters() -> None:
    assert str(document("{é😀: ä, b: x}").place(("b",))) == "r.yaml:1:12"


@pytest.mark.parametrize("source", ["r.yaml", "r.json"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a":\n "\xff"}', "2:3: not in UTF-8"),
        ("a: 1".encode("utf-16"), "1:1: in UTF-16: save it as UTF-8"),
        (b" " * (MAX_BYTES + 1), "1:1: larger than 4 MiB"),
        (b"[" * 300 + b"]" * 300, "1:201: nested deeper than 200 levels"),
        (b'{"a": 1, "b": 2,\n "a": 3}', "2:2: key 'a' is there twice in one mapping"),
        (b"[" + b"1" * 5000 + b"]", "1:2: a number of more than 4300 digits"),
    ],
)
def test_bad_files(source: str, text: bytes, message: str) -> None:
    assert error(text, source) == f"{source}:{message}"


@given(st.binary(max_size=200), st.sampled_from(["r.yaml", "r.json"]))
def test_any_bytes_are_read_or_refused_in_one_line(text: bytes, source: str) -> None:
    try:
        parse(text, source)
    except DocumentError as refused:
        assert "\n" not in str(refused)  # noqa: PT017


@pytest.mark.parametrize("source", ["r.yaml", "r.json"])
def test_a_file_of_too_many_values(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_tree, "MAX_NODES", 4)
    assert parse(b'{"a": [1]}', source)
    assert error('{"a": [1, 2]}', source).startswith(f"{source}:1:11: more than 4 values")


def test_a_thousand_rules_are_read_in_linear_time() -> None:
    text = f"---\n{RULE}".encode() * 3000  # each has a third of the values of a usual rule
    started = time.process_time()
    assert len(parse(text, "r.yaml")) == 3000
    assert time.process_time() - started < 10  # 0.5 s on an idle machine, without coverage
