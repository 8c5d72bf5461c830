from __future__ import annotations

import re

import pytest

from rules.native.layout import LONG, laid_out

LONG_NAME = "x" * 60


def test_a_short_expression_is_one_line() -> None:
    assert list(laid_out("a && b")) == ["a && b"]


def test_a_long_one_is_broken_before_its_operators() -> None:
    assert list(laid_out(f"{LONG_NAME} && {LONG_NAME} == 1")) == [LONG_NAME, f"&& {LONG_NAME} == 1"]
    assert list(laid_out(f"{LONG_NAME} && b || {LONG_NAME}")) == [f"{LONG_NAME} && b", f"|| {LONG_NAME}"]


def test_what_is_bound_stays_with_its_name() -> None:
    found = list(laid_out(f"![{LONG_NAME}].all(o, {LONG_NAME} && (a || b))"))
    assert found == [f"![{LONG_NAME}].all(o,", f"  {LONG_NAME} && (a || b)", ")"]


@pytest.mark.parametrize(
    "expression",
    [
        f"a == ' && ' && {LONG_NAME} == '(' && {LONG_NAME}",
        f"a.all(i, e, {LONG_NAME} || e.matches('\\\\A(x|y)\\\\z') || {LONG_NAME})",
        f"({LONG_NAME} || b) && ({LONG_NAME} ? c : d)",
        "x" * (LONG + 1),
        f"f({LONG_NAME}, {LONG_NAME}, {LONG_NAME})[0]",
    ],
)
def test_nothing_but_white_space_is_changed(expression: str) -> None:
    bare = re.compile(r"\s+")
    assert bare.sub("", "\n".join(laid_out(expression))) == bare.sub("", expression)
