from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.fieldpath import parse
from webhook.display import MAX_NAME, MAX_VALUE, Display, cut, cut_bytes, escape, name

ANY_TEXT = st.text(st.characters() | st.sampled_from("\u202e\u2066\x00\x1b\n\ud800\u200b\xa0\u3000\ue000\\"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.decimals(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
    max_leaves=20,
)


@given(ANY_TEXT)
def test_escaped_text_is_printable_and_tells_what_it_was(words: str) -> None:
    escaped = escape(words)
    assert escaped.isprintable()
    if words.isprintable():
        assert escaped == words


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("plain", "plain"),
        ("größe 😀", "größe 😀"),
        ("a\nb\tc\x00", r"a\u000ab\u0009c\u0000"),
        ("\x7f\x85", r"\u007f\u0085"),
        ("\u202euser\u2066\u200f", r"\u202euser\u2066\u200f"),
        ("\u200b\ufeff\xad", r"\u200b\ufeff\u00ad"),
        ("\u2028\u2029\xa0", r"\u2028\u2029\u00a0"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_escape(words: str, expected: str) -> None:
    assert escape(words) == expected


@given(ANY_TEXT, st.integers(1, 20))
def test_cut(words: str, limit: int) -> None:
    shown = cut(words, limit)
    assert len(shown) <= limit
    assert shown == words if len(words) <= limit else shown.endswith("…")


@given(ANY_TEXT.map(escape), st.integers(3, 40))
def test_cut_bytes(words: str, limit: int) -> None:
    shown = cut_bytes(words, limit)
    assert len(shown.encode()) <= limit
    assert shown == words if len(words.encode()) <= limit else (shown.endswith("…") and words.startswith(shown[:-1]))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "unset"),
        (3, "3"),
        (Decimal("3.50"), "3.5"),
        (True, "true"),
        ("", '""'),
        ("a\n\u202e", r'"a\n\u202e"'),
        ("unset", '"unset"'),
        ([], "[]"),
        ({}, "{}"),
        ({"a": None}, "{}"),
        ([None, 1], "[null,1]"),
        ({"b": [1, {"c": "d"}], "a": True, "n": None}, '{"b":[1,{"c":"d"}],"a":true}'),
        ("x" * 63, f'"{"x" * 62}…'),
        (list(range(100)), "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,…"),
    ],
)
def test_values(value: Any, expected: str) -> None:
    assert Display().value("status.a", value) == expected


@given(VALUES, st.integers(8, MAX_VALUE))
def test_values_are_one_short_printable_line(value: Any, limit: int) -> None:
    shown = Display().value("status.a", value, limit)
    assert len(shown) <= limit
    assert shown.isprintable()


@given(VALUES)
def test_plain_values_are_short_and_json(value: Any) -> None:
    shown = Display().plain("status.a", value)
    assert len(json.dumps(shown, ensure_ascii=False)) <= 2 * MAX_VALUE + 2
    assert not isinstance(shown, str) or shown.isprintable()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (False, False),
        (2**53 - 1, 2**53 - 1),
        (2**53, "9007199254740992"),
        (-(2**53), "-9007199254740992"),
        (Decimal("1E+2"), "100"),
        (Decimal("0.50"), "0.5"),
        ("a\nb", r"a\u000ab"),
        ("x" * 65, "x" * 63 + "…"),
        ([1], "[1]"),
    ],
)
def test_plain_values(value: Any, expected: object) -> None:
    assert Display().plain("status.a", value) == expected


class Endless(list[Any]):
    """A list that nobody may read to its end."""

    def __iter__(self) -> Iterator[Any]:
        return iter(itertools.chain(range(1_000), map(self.fail, itertools.count())))

    def fail(self, index: int) -> Any:
        raise AssertionError(f"read item {index}")


def test_only_what_is_shown_of_a_value_is_written_out() -> None:
    assert len(Display().value("status.a", Endless())) == MAX_VALUE
    assert len(Display().value("status.a", {"k" * 10**7: 1})) == MAX_VALUE
    assert len(Display().value("status.a", "v" * 10**7)) == MAX_VALUE


def test_any_depth_is_shown() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = {"a": [deep]}
    assert Display().value("status.a", deep) == '{"a":[' * 10 + '{"a…'


@pytest.mark.parametrize("value", [True, 1, "s3cret", ["s3cret"], {"a": "s3cret"}])
def test_sensitive_values_are_hidden(value: Any) -> None:
    display = Display([parse("status.token")])
    assert display.value("status.token", value) == display.plain("status.token", value) == "<hidden>"
    assert display.value("status.token", None) == "unset"
    assert display.plain("status.token", None) is None
    assert display.value("status.other", "x") == '"x"'


def test_names_are_escaped_and_cut() -> None:
    assert name("a\u202eb") == r"a\u202eb"
    assert len(name("\n" * 10**6)) == MAX_NAME
    assert Display([parse("status.secrets")]).field("status.secrets.a") == "status.secrets.<hidden>"
    assert len(Display().field("status." + "a" * 10**6)) == MAX_NAME
