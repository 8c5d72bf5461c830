from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.quantities import quantity
from rules.values import MAX_EXPONENT


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("0", 0),
        ("1", 1),
        ("+1", 1),
        ("-1", -1),
        ("007", 7),
        ("1.5", Fraction(3, 2)),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("500m", Fraction(1, 2)),
        ("1000m", 1),
        ("1n", Fraction(1, 10**9)),
        ("1u", Fraction(1, 10**6)),
        ("1k", 1000),
        ("1M", 10**6),
        ("1G", 10**9),
        ("1T", 10**12),
        ("1P", 10**15),
        ("1E", 10**18),
        ("1Ki", 1024),
        ("0.5Mi", 512 * 1024),
        ("1Gi", 1024**3),
        ("1Ti", 1024**4),
        ("1Pi", 1024**5),
        ("9Ei", 9 * 1024**6),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1e+3", 1000),
        ("15e-1", Fraction(3, 2)),
        (f"1e{MAX_EXPONENT}", 10**MAX_EXPONENT),
    ],
)
def test_quantity(written: str, expected: int | Fraction) -> None:
    assert quantity(written) == expected


@pytest.mark.parametrize(
    "written",
    [
        *(
            "",
            ".",
            "m",
            "1 Gi",
            " 1",
            "1\n",
            "1K",
            "1g",
            "1ki",
            "1mi",
            "1e",
            "1ee3",
            "1e1.5",
            "1e3k",
            "0x10",
            "--1",
            "1,5",
        ),
        *("Infinity", "NaN", "\u0661", f"1e{MAX_EXPONENT + 1}", f"1e-{MAX_EXPONENT + 1}", "1e999999999", "1" * 5000),
    ],
)
def test_what_is_no_quantity(written: str) -> None:
    assert quantity(written) is None


@pytest.mark.parametrize("value", [None, 1, True, [], {}])
def test_only_strings_are_quantities(value: Any) -> None:
    assert quantity(value) is None


@given(st.integers())
def test_a_milli_unit_is_a_thousandth(amount: int) -> None:
    assert quantity(f"{amount * 1000}m") == amount == quantity(str(amount))
