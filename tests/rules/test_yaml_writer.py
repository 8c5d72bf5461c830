from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.documents import parse
from rules.yaml_writer import write_yaml

_CHARACTERS = st.characters(exclude_categories=["Cs"])
_DISPUTED = (
    "True yes null ~ 012 0o7 0b1 1_000 1e3 -.5 .inf 0x10 1:30 2026-01-01 << = %x !x &a *a ' \" \x85 \u2028 \ufeff \x07"
)
_TEXTS = st.text(_CHARACTERS) | st.sampled_from(
    [*_DISPUTED.split(" "), "", " a", "a ", "- a", "a: b", "#a", "a #b", "a\nb\n"]
)
_NUMBERS = st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=3)
_SCALARS = _TEXTS | _NUMBERS | st.booleans() | st.none()
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3), max_leaves=12
)


@given(st.dictionaries(_TEXTS, _VALUES, min_size=1))
def test_what_is_written_is_read_back(value: dict[str, Any]) -> None:
    written = write_yaml(value)
    (document,) = parse(written.encode(), "x.yaml")
    assert document.data == value
    assert written.isascii()


def test_it_is_compact_and_keeps_the_order() -> None:
    value = {"z": {"status": "True", "n": 1}, "a": [{"x": "1e3"}, "b"], "same": [[1], [1]]}
    assert write_yaml(value) == "z: {status: 'True', n: 1}\na:\n- x: \"1e3\"\n- b\nsame:\n- [1]\n- [1]\n"


def test_text_of_several_lines_stands_on_as_many() -> None:
    assert write_yaml({"a": {"b": "x: 1\n|| y", "c": 1}}) == "a:\n  b: |-\n    x: 1\n    || y\n  c: 1\n"


def test_what_is_there_twice_is_written_twice() -> None:
    part = {"a": 1}
    assert write_yaml([part, part]) == "- {a: 1}\n- {a: 1}\n"


@pytest.mark.parametrize("number", ["1E+30", "0.1", "-2.50", "1E-7"])
def test_decimals_stay_exact(number: str) -> None:
    (document,) = parse(write_yaml([Decimal(number)]).encode(), "x.yaml")
    assert document.data == [Decimal(number)]
