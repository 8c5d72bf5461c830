from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from rules.values import MAX_EXPONENT, MISSING, canonical, equal, number, text

DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40)
SCALARS = st.none() | st.booleans() | st.integers() | DECIMALS | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
FEW: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 1, 0, Decimal("1.0"), Decimal("0.10"), Decimal("0.1"), "1", "", "true", "\ud800", 10**30]
)
SIMILAR = st.recursive(
    FEW,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


def respelled(value: Any) -> Any:
    """Return an equal value in another spelling: other keys' order, null members, integers as decimals."""
    if isinstance(value, dict):
        absent = "absent" if "absent" not in value else "absent as well"
        return {absent: None, **{key: respelled(value[key]) for key in reversed(value)}}
    if isinstance(value, list):
        return [respelled(item) for item in value]
    if type(value) is int:
        return Decimal(value).scaleb(2) / 100 if abs(value) < 10**20 else Decimal(value)
    return value


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(3, Decimal("3.0"), id="3 == 3.0"),
        pytest.param(3, 3.0, id="3 == 3.0, a float"),
        pytest.param(Decimal("1e2"), 100, id="an exponent"),
        pytest.param({"a": None}, {}, id="null members are dropped"),
        pytest.param({"a": {"b": None, "c": 1}}, {"a": {"c": 1}}, id="null members are dropped at any depth"),
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, id="the order of members does not count"),
        pytest.param(None, None, id="absent"),
        pytest.param([None], [None], id="null items"),
        pytest.param(10**400, Decimal("1e400"), id="integers at any size"),
    ],
)
def test_equal(old: Any, new: Any) -> None:
    assert equal(old, new)
    assert equal(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(True, 1, id="true != 1"),
        pytest.param(False, 0, id="false != 0"),
        pytest.param(1, "1", id="a number is no string"),
        pytest.param([1, 2], [2, 1], id="list order counts"),
        pytest.param([1], [1, 1], id="length"),
        pytest.param([], None, id="[] is not absent"),
        pytest.param({}, None, id="{} is not absent"),
        pytest.param("", None, id="'' is not absent"),
        pytest.param(0, None, id="0 is not absent"),
        pytest.param({"a": {}}, {}, id="an empty member is one"),
        pytest.param({}, [], id="{} is no []"),
        pytest.param([None], [], id="a null item is an item"),
        pytest.param(2**53 + 1, 2**53, id="beyond doubles"),
        pytest.param(Decimal("0.1"), Decimal("0.1000000000000000001"), id="decimals are exact"),
        pytest.param(MISSING, None, id="no place for a value is not an absent value"),
    ],
)
def test_not_equal(old: Any, new: Any) -> None:
    assert not equal(old, new)
    assert not equal(new, old)


def test_any_depth_compares() -> None:
    old: Any = 1
    new: Any = 2
    for _ in range(20_000):
        old, new = [old], [new]
    assert equal(old, old)
    assert not equal(old, new)


def test_an_absurd_exponent_compares_at_once() -> None:
    assert not equal(Decimal("1e999999999"), 10)
    assert equal(Decimal("1e999999999"), Decimal("10e999999998"))


@given(SIMILAR, SIMILAR)
def test_equal_values_and_no_others_have_the_same_canonical_form(a: Any, b: Any) -> None:
    assert equal(a, b) == (canonical(a) == canonical(b))


@given(VALUES)
def test_every_spelling_of_a_value_is_equal(value: Any) -> None:
    assert equal(value, respelled(value))
    assert canonical(value) == canonical(respelled(value))


@given(VALUES, VALUES)
def test_equality_is_symmetric(a: Any, b: Any) -> None:
    assert equal(a, b) == equal(b, a) == (canonical(a) == canonical(b))


RFC_8785_VALUES = st.recursive(
    st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e20, 1e20) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(RFC_8785_VALUES)
def test_canonical_is_rfc_8785(value: Any) -> None:
    assert canonical(value).encode() == rfc8785.dumps(value)


@given(VALUES)
def test_canonical_is_json_and_reads_back(value: Any) -> None:
    read = json.loads(canonical(value), parse_float=Decimal)
    assert equal(read, value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        ({"b": 1, "a": None, "": [True, None]}, '{"":[true,null],"b":1}'),
        ({"€": 1, "\r": 2, "\U0001f600": 3, "\ufb33": 4}, '{"\\r":2,"€":1,"😀":3,"\ufb33":4}'),
        (2**70, "1180591620717411303424"),
        (Decimal("1e21"), "1000000000000000000000"),
        (Decimal("0.000001"), "0.000001"),
        (Decimal("0.00000012"), "1.2e-7"),
        (Decimal("-1.50"), "-1.5"),
        (Decimal("-0.0"), "0"),
        (0.1, "0.1"),
        (Decimal(f"1e{MAX_EXPONENT + 1}"), "1e+4300"),
        (Decimal(f"-120e{MAX_EXPONENT}"), "-1.2e+4301"),
    ],
)
def test_canonical(value: Any, expected: str) -> None:
    assert canonical(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "true"),
        (False, "false"),
        ("a", "a"),
        ("", ""),
        (3, "3"),
        (10**30, "1" + "0" * 30),
        (Decimal("3.0"), "3"),
        (3.0, "3"),
        (Decimal("-0"), "0"),
        (Decimal("2.50"), "2.5"),
        (1e-7, "1e-7"),
        (None, None),
        ([], None),
        ({}, None),
        (["a"], None),
    ],
)
def test_text(value: Any, expected: str | None) -> None:
    assert text(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (Decimal("3.0"), 3),
        (Decimal("0.1"), Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (Decimal("0e999999999"), 0),
        (Decimal(f"1e{MAX_EXPONENT}"), 10**MAX_EXPONENT),
        (Decimal(f"1e{MAX_EXPONENT + 1}"), None),
        (Decimal(f"1e-{MAX_EXPONENT + 1}"), None),
        (Decimal("1e999999999"), None),
        (Decimal("NaN"), None),
        (Decimal("Infinity"), None),
        (float("inf"), None),
        (True, None),
        ("3", None),
        (None, None),
        ([3], None),
    ],
)
def test_number(value: Any, expected: int | Fraction | None) -> None:
    assert number(value) == expected


def test_missing_says_what_it_is() -> None:
    assert repr(MISSING) == "MISSING"
