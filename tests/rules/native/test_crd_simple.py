from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.native.crd_conditions import WIDTH, in_lines
from rules.native.crd_simple import simplified
from rules.native.expression import Expression, all_of, any_of, choose, name, negate

from .engine import evaluate

ATOMS = ["a", "b", "c"]
CONDITIONS: st.SearchStrategy[Expression] = st.recursive(
    st.sampled_from(ATOMS).map(name),
    lambda below: st.one_of(
        below.map(negate),
        st.lists(below, min_size=1, max_size=3).map(lambda parts: all_of(*parts)),
        st.lists(below, min_size=1, max_size=3).map(lambda parts: any_of(*parts)),
        st.tuples(below, below, below).map(lambda parts: choose(*parts)),
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("!has(a) || has(a) && a > 0", "!has(a) || a > 0"),
        ("!has(o) || (has(n) ? has(o) && o == n : !has(o))", "!has(o) || has(n) && o == n"),
        ("!(a == 'x || y') && a == 'x || y'", "false"),
        ("!(a in ['x'])", "!(a in ['x'])"),
        ("a ? b : !a ? c : d", "a ? b : c"),
        ("a || !a", "true"),
        ("!!a && a", "a"),
        ("has(a) && (has(a) ? a.b : 0) > 1", "has(a) && a.b > 1"),
        ("has(a) && (has(b) ? a.b : 0) > 1", "has(a) && (has(b) ? a.b : 0) > 1"),
        ("x.all(v, has(v) || !has(v))", "true"),
        ("has(a) || x.all(v, has(a) || has(v))", "has(a) || x.all(v, has(v))"),
        ("[a].all(v, b && b)", "[a].all(v, b)"),
    ],
)
def test_what_has_been_asked_is_not_asked_again(written: str, expected: str) -> None:
    assert simplified(Expression(written)).text == expected


@given(CONDITIONS)
def test_it_means_the_same_on_one_line_or_several(condition: Expression) -> None:
    short = simplified(condition)
    for values in product([False, True], repeat=len(ATOMS)):
        known = dict(zip(ATOMS, values, strict=True))
        expected = evaluate(condition.text, known)
        assert evaluate(short.text, known) == expected
        assert evaluate(in_lines(condition).replace("\n", " "), known) == expected


def test_long_conditions_stand_on_several_lines() -> None:
    atoms = [f"has(self.a_rather_long_name_{index})" for index in range(6)]
    condition = any_of(negate(all_of(*map(Expression, atoms))), choose(*map(Expression, atoms[:3])))
    written = in_lines(condition)
    assert max(map(len, written.split("\n"))) <= WIDTH + len("|| ")
    assert len(written.split("\n")) > 3
    assert " ".join(written.split()).replace("( ", "(").replace(" )", ")") == condition.text
