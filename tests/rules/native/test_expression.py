from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.native.expression import (
    FALSE,
    NULL,
    TRUE,
    Expression,
    add,
    all_of,
    any_of,
    choose,
    compare,
    constants,
    has,
    is_type,
    item,
    let,
    literal,
    macro,
    member,
    method,
    name,
    negate,
    one_of,
    quote,
)

from .engine import evaluate

A, B, C = name("a"), name("b"), name("c")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (all_of(A, any_of(B, C)), "a && (b || c)"),
        (any_of(A, all_of(B, C)), "a || b && c"),
        (negate(all_of(A, B)), "!(a && b)"),
        (negate(A), "!a"),
        (compare(add(A, "-", literal(-1)), "<=", B), "a - -1 <= b"),
        (compare(choose(A, B, C), "==", NULL), "(a ? b : c) == null"),
        (choose(any_of(A, B), B, choose(C, A, B)), "a || b ? b : c ? a : b"),
        (method(choose(A, B, C), "size"), "(a ? b : c).size()"),
        (is_type(member(A, "x"), "int"), "type(a.x) == int"),
        (item(A, literal(0)), "a[0]"),
        (let(A, B, compare(A, "==", C)), "[b].all(a, a == c)"),
    ],
)
def test_brackets_stand_where_they_must(expression: Expression, text: str) -> None:
    assert str(expression) == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (all_of(), "true"),
        (all_of(A, TRUE, A), "a"),
        (all_of(A, FALSE), "false"),
        (any_of(), "false"),
        (any_of(A, FALSE, B, A), "a || b"),
        (any_of(A, TRUE), "true"),
        (negate(TRUE), "false"),
        (negate(negate(compare(A, "<", B))), "a < b"),
        (compare(A, "<=", A), "true"),
        (compare(NULL, "==", literal("x")), "false"),
        (compare(literal(1), "!=", NULL), "true"),
        (compare(NULL, "==", NULL), "true"),
        (choose(TRUE, A, B), "a"),
        (choose(A, B, B), "b"),
        (choose(A, TRUE, B), "a || b"),
        (choose(compare(A, "==", B), C, TRUE), "a != b || c"),
        (choose(A, FALSE, B), "!a && b"),
        (choose(A, B, FALSE), "a && b"),
        (one_of(A, []), "false"),
        (one_of(A, ["x", "x"]), "a == 'x'"),
        (one_of(A, [1, 2]), "a in [1, 2]"),
        (one_of(NULL, ["x", "y"]), "false"),
        (let(A, B, TRUE), "true"),
    ],
)
def test_what_says_nothing_is_left_out(expression: Expression, text: str) -> None:
    assert str(expression) == text


@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("other", [1, 2, 3])
def test_a_comparison_is_negated_by_its_opposite(operator: str, other: int) -> None:
    comparison = compare(name("a"), operator, literal(other))
    assert "!(" not in str(negate(comparison))
    data = {"a": 2}
    assert evaluate(str(comparison), data) is not evaluate(str(negate(comparison)), data)


@pytest.mark.parametrize(
    ("key", "there", "value"),
    [
        ("replicas", "has(m.replicas)", "m.replicas"),
        ("a.b/c", "'a.b/c' in m", "m['a.b/c']"),
        ("in", "'in' in m", "m['in']"),
        ("namespace", "'namespace' in m", "m['namespace']"),
        ("x-y", "'x-y' in m", "m['x-y']"),
        ("it's", r"'it\'s' in m", r"m['it\'s']"),
    ],
)
def test_a_member_is_selected_or_looked_up(key: str, there: str, value: str) -> None:
    target = name("m")
    assert (str(has(target, key)), str(member(target, key))) == (there, value)
    data = {"m": {key: 1}}
    assert evaluate(there, data) is True
    assert evaluate(value, data) == 1
    assert evaluate(there, {"m": {}}) is False


# The engine cuts the texts that it is given at a NUL.
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20))
def test_any_text_is_a_literal(text: str) -> None:
    assert evaluate(f"a == {quote(text)}", {"a": text}) is True


def test_what_it_costs_is_bounded_by_its_turns() -> None:
    body = compare(name("x"), "==", literal(1))
    one, many = macro(name("a"), "all", "x", body, 1), macro(name("b"), "all", "x", body, 100)
    assert one.cost > body.cost
    assert 90 * body.cost < many.cost
    assert all_of(one, many).cost > one.cost + many.cost
    assert constants(["a", "b"]).cost > literal("a").cost
