from __future__ import annotations

import pytest

from rules.fieldpath import parse
from rules.native.expression import Expression, all_of, compare, literal, name
from rules.native.names import Names
from rules.native.variables import Variables, stem_of


def expression(text: str) -> Expression:
    return Expression(text)


def test_an_expression_has_one_name() -> None:
    variables = Variables("variables.")
    first = variables.named("replicas", expression("f(x)"))
    assert str(first) == "variables.replicas"
    assert str(variables.named("other", expression("f(x)"))) == "variables.replicas"
    assert str(variables.named("replicas", expression("g(x)"))) == "variables.replicas_2"
    assert variables.has(first)


def test_what_is_a_name_already_needs_none() -> None:
    variables = Variables()
    assert str(variables.named("x", name("object"))) == "object"
    assert variables.values == {}


@pytest.mark.parametrize(
    ("stem", "given"),
    [
        ("a.b/c", "a_b_c"),
        ("", "aa"),
        ("o", "o_"),
        ("n2", "n2_"),
        ("int", "int_"),
        ("object", "object_"),
        ("namespace", "namespace_"),
        ("3x", "_3x"),
        ("größe", "gr_e"),
    ],
)
def test_a_name_is_one_of_cel_and_of_nothing_else(stem: str, given: str) -> None:
    assert str(Variables().named(stem, expression("f(x)"))) == given


def test_short_names_are_used_for_large_expressions() -> None:
    variables = Variables(short=True)
    names = [str(variables.named("replicas", expression(f"f({number})"))) for number in range(30)]
    assert len(set(names)) == 30
    assert max(map(len, names)) <= len("aa_")


def test_variables_are_bound_in_the_order_in_which_they_are_known() -> None:
    variables = Variables()
    outer = variables.named("outer", expression("f(object)"))
    inner = variables.named("inner", expression(f"g({outer})"))
    variables.named("unused", expression("h(object)"))
    holds = all_of(compare(inner, "==", literal(1)), compare(outer, "==", literal(2)))
    assert str(variables.bound_around(holds)) == (
        "[f(object)].all(outer, [g(outer)].all(inner, inner == 1 && outer == 2))"
    )


def test_what_is_read_once_is_not_bound_twice() -> None:
    variables = Variables()
    value = variables.named("replicas", expression("f(object)"))
    bound = Names(shortest=True).let(value, "o", lambda o: compare(o, "==", literal(1)))
    assert str(variables.bound_around(bound)) == "[f(object)].all(o, o == 1)"


def test_what_is_required_comes_first() -> None:
    variables = Variables()
    variables.require(compare(name("x"), "<=", literal(1)))
    variables.require(compare(name("x"), "<=", literal(1)))
    assert str(variables.bound_around(name("y"))) == "x <= 1 && y"


@pytest.mark.parametrize(
    ("path", "side", "stem"),
    [
        ("status.replicas", "new", "replicas"),
        ("status.replicas", "old", "oldReplicas"),
        ("status", "old", "oldStatus"),
        ("spec.replicas", "new", "spec_replicas"),
        ("status.conditions[type=Ready].status", "old", "oldConditions_Ready_status"),
        ("status.conditions[type].status", "new", "conditions_status"),
    ],
)
def test_a_value_is_called_by_its_path(path: str, side: str, stem: str) -> None:
    assert stem_of(side, parse(path).segments) == stem


def test_what_is_required_comes_before_what_relies_on_it() -> None:
    variables = Variables()
    items = variables.named("items", expression("object.status.items"))
    first = variables.named("first", expression(f"{items}[0]"))
    variables.require(expression(f"type({items}) == list"))
    variables.require(expression("type(object.status.first) == map"))
    assert variables.bound_around(compare(first, "==", expression(f"{items}[1]"))).text == (
        "type(object.status.first) == map && "
        "[object.status.items].all(items, type(items) == list && [items[0]].all(first, first == items[1]))"
    )
