"""No function makes more than its price says: otherwise what is affordable would not be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.cel.cost import _Estimate
from rules.cel.functions import PRICES
from rules.cel.program import CelRuntimeError, CelSyntaxError, compile_cel
from rules.cel.size import Size
from rules.cel.tree import Literal
from rules.cel.variables import collect
from rules.write import Request, Resource, Roots, Write

TEXTS = st.text(alphabet='ab é😀"\\\n\x01%', max_size=12)
OBJECTS = st.fixed_dictionaries(
    {"a": TEXTS, "b": TEXTS, "n": st.integers() | st.floats(), "list": st.lists(TEXTS, max_size=6)}
)


def _texts(depth: int) -> st.SearchStrategy[str]:
    if depth == 0:
        return st.sampled_from(["object.a", "object.b", "'a'", "''", "'ab'", "string(object.n)"])
    inner = _texts(depth - 1)
    two, three = st.tuples(inner, inner), st.tuples(inner, inner, inner)
    return inner | st.one_of(
        two.map(lambda each: f"({each[0]} + {each[1]})"),
        three.map(lambda each: f"{each[0]}.replace({each[1]}, {each[2]})"),
        two.map(lambda each: f"{each[0]}.replace('a', {each[1]})"),
        two.map(lambda each: f"{each[0]}.replace('', {each[1]})"),
        three.map(lambda each: f"{each[0]}.split({each[1]}).join({each[2]})"),
        three.map(lambda each: f"{each[0]}.split('').map(x, x + {each[1]}).join({each[2]})"),
        two.map(lambda each: f"object.list.map(x, x + {each[0]}).join({each[1]})"),
        two.map(lambda each: f"[{each[0]}, {each[1]}].join('ab')"),
        two.map(lambda each: f"'%s%s'.format([{each[0]}, [{each[1]}, object.list]])"),
        inner.map(lambda each: f"'%x'.format([{each}])"),
        inner.map(lambda each: f"'%s%s'.format([object, {{'a': {each}}}])"),
        st.just("'%.100f%e%b'.format([1e300, 1.5, -9223372036854775807])"),
        inner.map(lambda each: f"strings.quote({each})"),
        inner.map(lambda each: f"{each}.upperAscii().reverse().trim()"),
        inner.map(lambda each: f"string(bytes({each}))"),
        two.map(lambda each: f"optional.of({each[0]}).optMap(v, v + {each[1]} + v).orValue('')"),
        three.map(lambda each: f"({each[0]}.contains({each[1]}) ? {each[0]} : {each[2]})"),
        inner.map(lambda each: f"{{'k': {each}}}['k']"),
        inner.map(lambda each: f"dyn([{each}])[0]"),
    )


@given(_texts(1) | _texts(2) | _texts(3), OBJECTS)
def test_no_text_is_longer_than_its_price_says(expression: str, status: dict[str, Any]) -> None:
    try:
        program = compile_cel(f"dyn({expression})", "string")
    except CelSyntaxError as error:
        assume("too expensive" not in error.message and "too deeply" not in error.message)
        raise
    write = Write(Request(Resource("g", "v1", "xs")), Roots(status))
    try:
        made = program.evaluate(write)
    except CelRuntimeError:
        return
    size = _Estimate(collect(program.reads, write).sizes).size(program._compiled.tree, {}, 1)
    assert len(made.encode()) <= size.text


@pytest.mark.parametrize("function", sorted(PRICES))
def test_every_price_grows_with_what_is_given(function: str) -> None:
    count = 2 if function == "_+_" else 3
    nodes = [Literal("%s")] * count
    price = PRICES[function]
    small, size = price(nodes, [Size(600, 1, 300, 10)] * count)
    large, larger = price(nodes, [Size(60_000, 100, 3_000, 1_000)] * count)
    assert 0 < small <= large
    assert size.within(larger)
