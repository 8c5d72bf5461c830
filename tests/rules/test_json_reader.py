from __future__ import annotations

from decimal import Decimal

import pytest

from rules.documents import DocumentError, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\ude00\/\n"', "😀/\n"),
        ('"\x7f\u2028"', "\x7f\u2028"),
        ("-0", 0),
        ("1.10", Decimal("1.10")),
        ("1E400", Decimal("1E400")),
        (' {"yes": [true, false, null, {}], "": []}\n', {"yes": [True, False, None, {}], "": []}),
        ('{"a:,]}\\"": "\\\\"}', {'a:,]}"': "\\"}),
    ],
)
def test_values(text: str, value: object) -> None:
    (document,) = parse(text.encode(), "r.json")
    assert document.data == value


def test_the_suffix_says_that_a_file_is_json() -> None:
    assert parse(b"a: 1", "json")
    assert parse(b'"\\ud83d\\ude00"', "R.JSON")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: not JSON: Expecting value"),
        ("{", "1:2: not JSON: Expecting property name enclosed in double quotes"),
        ('{"é": 1\n 2}', "2:2: not JSON: Expecting ',' delimiter"),
        ('"abc', "1:1: not JSON: Unterminated string"),
        ('"a\tb"', "1:3: not JSON: Invalid control character"),
        ("{} {}", "1:4: not JSON: Extra data"),
        ("a: 1", "1:1: not JSON: Expecting value"),
        ("[NaN]", "1:2: 'NaN' is no number"),
        ("[1, -Infinity]", "1:5: '-Infinity' is no number"),
        ('{"a": 1,\n "b": 2, "a": 3}', "2:10: key 'a' is there twice in one mapping"),
        ('{"a": 1, "\\u0061": 3}', "1:10: key 'a' is there twice in one mapping"),
        ('["\\ud800"]', "1:2: a string with half of a surrogate pair, which is no character"),
        ("[1e99999]", "1:2: a number of more than 4300 digits"),
        ("[" * 100_000, "1:201: nested deeper than 200 levels"),
        ('{"a":' * 100_000, "1:1001: nested deeper than 200 levels"),
    ],
)
def test_bad_json(text: str, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse(text.encode(), "r.json")
    assert str(caught.value) == f"r.json:{message}"
