from __future__ import annotations

import pytest

from rules.native.expression import NULL, literal, name
from rules.native.optionals import member_or, optional_of, or_else


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["a"], "object.?a.orValue(null)"),
        (["a", "b"], "object.?a.?b.orValue(null)"),
        (["a", "b/c"], "object.?a[?'b/c'].orValue(dyn(null))"),
        (["in"], "object[?'in'].orValue(dyn(null))"),
    ],
)
def test_members_are_read_one_after_the_other(keys: list[str], text: str) -> None:
    assert member_or(name("object"), keys, NULL).text == text


def test_what_is_read_can_be_an_optional_or_something_else() -> None:
    read = member_or(name("object"), ["a", "b"], NULL)
    assert optional_of(read).text == "object.?a.?b"
    assert or_else(read, literal("")).text == "object.?a.?b.orValue('')"
    assert or_else(member_or(name("object"), ["b/c"], NULL), literal(0)).text == "object[?'b/c'].orValue(dyn(0))"
