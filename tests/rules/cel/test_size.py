from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from rules.cel.language import CelRuntimeError
from rules.cel.size import VALUE, Conversion, Size
from tests.rules.strategies.expressions import OBJECTS


def size(value: Any) -> Size:
    conversion = Conversion("object")
    assert conversion.convert(value) == value
    return conversion.size


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, Size(2 * VALUE)),
        ("abc", Size(2 * VALUE + 3, text=3)),
        ("é😀", Size(2 * VALUE + 6, text=6)),
        ([1, [2, 3], "ab"], Size(7 * VALUE + 2, longest=3, item=3 * VALUE, text=2)),
        ({"a": 1, "bc": {"d": "efg"}}, Size(8 * VALUE + 7, longest=2, text=3)),
        ([{"a": "x" * 9}, {}], Size(6 * VALUE + 10, longest=2, item=3 * VALUE + 10, text=9)),
    ],
)
def test_sizes(value: Any, expected: Size) -> None:
    assert size(value) == expected


def test_parts_converted_together_are_measured_together() -> None:
    conversion = Conversion("object.status")
    conversion.convert([1])
    conversion.convert("abc")
    assert conversion.size == Size(4 * VALUE + 3, longest=1, item=VALUE, text=3)


@given(OBJECTS)
def test_a_part_is_never_larger_than_the_whole(value: dict[str, Any]) -> None:
    whole = size(value)
    assert all(size(member).within(whole) for member in value.values())


@pytest.mark.parametrize("levels", [501, 100_000])
def test_depth(levels: int) -> None:
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    with pytest.raises(CelRuntimeError, match="object is nested deeper than 500 levels"):
        Conversion("object").convert(value)


def test_the_size_of_either() -> None:
    assert Size(1, 2, 3, 4).or_else(Size(4, 3, 2, 1)) == Size(4, 3, 3, 4)
    assert not Size(1, 2, 3, 4).within(Size(4, 3, 2, 1))
