from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.scalars import MAX_DIGITS, decimal, integer, plain_scalar


@pytest.mark.parametrize(
    "text", ["yes", "no", "on", "off", "Yes", "2026-01-01", "1:30", "v1", "-", ".", "0x_", "1.2.3", "_1"]
)
def test_what_older_yaml_would_convert_is_a_string(text: str) -> None:
    assert plain_scalar(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("FALSE", False),
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("0x1F", 31),
        ("9" * MAX_DIGITS, int("9" * MAX_DIGITS)),
        ("1.10", Decimal("1.10")),
        (".5", Decimal("0.5")),
        ("1e3", Decimal(1000)),
        ("0.1000000000000000055511151231257827", Decimal("0.1000000000000000055511151231257827")),
    ],
)
def test_core_schema(text: str, value: object) -> None:
    scalar = plain_scalar(text)
    assert (scalar, type(scalar)) == (value, type(value))


@pytest.mark.parametrize("text", ["012", "-012", "00", "0o14", "0b11", "1_000", "1_000.5", "0x1_0", "-0x1F", "1_0e3"])
def test_numbers_that_readers_disagree_about_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not the same number to every YAML reader"):
        plain_scalar(text)


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.Inf", ".nan", ".NaN"])
def test_numbers_that_are_not_finite_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no finite number"):
        plain_scalar(text)


@pytest.mark.parametrize(
    "text",
    ["1" * (MAX_DIGITS + 1), "0x" + "f" * MAX_DIGITS, "1e4301", "1e-4301", "1e" + "9" * 99, "0." + "0" * 5000],
)
def test_numbers_of_too_many_digits_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="more than 4300 digits"):
        plain_scalar(text)


@given(st.integers())
def test_integers_are_exact(number: int) -> None:
    assert plain_scalar(str(number)) == integer(str(number)) == number


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_decimals_are_exact(number: Decimal) -> None:
    assert decimal(str(number)).compare_total(number) == 0


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1e", "٣", " 1", ""])
def test_what_is_no_number_is_no_decimal(text: str) -> None:
    with pytest.raises(ValueError, match="is no number"):
        decimal(text)


@given(st.text(alphabet="0123456789+-._eExobfinaN:", max_size=12))
def test_any_text_is_a_value_or_refused(text: str) -> None:
    try:
        scalar = plain_scalar(text)
    except ValueError:
        return
    assert scalar is None or scalar == text or isinstance(scalar, int | Decimal)
