"""No expression that is accepted can take long: what would is refused beforehand, or for the objects that are too large."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.cel.cost import BUDGET, USUAL, affordable, cost
from rules.cel.program import CelSyntaxError, compile_cel
from rules.cel.size import Size

TOO_EXPENSIVE = "too expensive: with lists of 32 items it might take too long, or too much memory"

BOMBS = {
    "texts are squared": "['aaaaaaaaaa']" + ".map(x, x.replace('', x))" * 6 + ".size() == 1",
    "texts are doubled": "['aaaaaaaaaa']" + ".map(x, x + x)" * 28 + ".size() == 1",
    "texts in texts": "'aaaaaaaaaaaaaaaaaaaa'" + ".replace('', 'bbbbbbbbbbbbbbbbbbbb')" * 8 + " == ''",
    "lists of one list compared": "[[1]]" + ".map(x, [x, x])" * 25 + " == [[1]]" + ".map(x, [x, x])" * 25,
    "lists of one list written": "'%s'.format([[1]" + ".map(x, [x, x])" * 26 + "]) == ''",
    "lists are doubled": "[[1]]" + ".map(x, x + x)" * 26 + ".size() == 1",
    "lists joined": "[['a', 'a']]" + ".map(x, [x.join('aaaa'), x.join('aaaa')])" * 20 + ".size() == 1",
    "maps of one map searched": "[{'a': 1}]" + ".map(x, {'a': x, 'b': x})" * 26 + ".exists(x, dyn(1) in dyn([x]))",
    "classes of Unicode": r"object.a.matches('\\pL{100}')",
    "patterns in loops": "object.a.all(x, x.matches('[^a]{900}'))",
    "loops in loops in loops": "object.a.all(x, object.a.all(y, object.a.all(z, [x, y, z].map(w, object.b == w) == [])))",
    "texts searched for texts": "object.a.all(x, object.b.replace('', object.c).contains(object.d.replace('', object.e)))",
}


@pytest.mark.parametrize("expression", BOMBS.values(), ids=BOMBS)
def test_bombs_are_refused(expression: str) -> None:
    assert len(expression) <= 1_024
    with pytest.raises(CelSyntaxError) as caught:
        compile_cel(expression, "bool")
    assert caught.value.message == TOO_EXPENSIVE


HONEST = {
    "everything": "object == oldObject",
    "a condition": "object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')",
    "conditions paired": "object.status.conditions.all(c, !oldObject.status.conditions.exists(o, o.type == c.type && "
    "o.status != c.status && timestamp(o.lastTransitionTime) > timestamp(c.lastTransitionTime)))",
    "names": r"object.spec.names.all(n, n.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'))",
    "a message": "'%s and %s'.format([object.status.conditions.map(c, c.type).join(', '), object.metadata.name]) == ''",
    "a sum by hand": "object.status.versions.map(v, v.replicas).filter(n, n > 0).size() == object.status.replicas",
    "optionals": "object.?status.?a.optMap(a, a + 1).orValue(0) > 0",
}


@pytest.mark.parametrize("expression", HONEST.values(), ids=HONEST)
def test_honest_expressions_are_affordable_for_usual_objects(expression: str) -> None:
    program = compile_cel(expression, "bool")
    found = affordable(program._compiled.tree, program.reads)
    assert USUAL.within(found)


def test_what_is_affordable_does_not_exceed_the_budget() -> None:
    program = compile_cel(HONEST["conditions paired"], "bool")
    tree = program._compiled.tree
    found = affordable(tree, program.reads)
    sizes = {(variable, part): found for variable, parts in program.reads.variables.items() for part in parts}
    assert BUDGET / 4 < cost(tree, sizes) <= BUDGET


SIZES = st.builds(
    Size,
    weight=st.integers(300, 10_000_000),
    longest=st.integers(0, 10_000),
    item=st.integers(0, 1_000_000),
    text=st.integers(0, 100_000),
)


@given(st.sampled_from(list(HONEST.values())), SIZES, SIZES)
def test_more_never_costs_less(expression: str, one: Size, other: Size) -> None:
    program = compile_cel(expression, "bool")

    def price(size: Size) -> float:
        sizes = {(variable, part): size for variable, parts in program.reads.variables.items() for part in parts}
        return cost(program._compiled.tree, sizes)

    assert price(one.or_else(other)) >= max(price(one), price(other))
