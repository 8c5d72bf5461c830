from __future__ import annotations

from rules.native.expression import Expression, compare, literal, member
from rules.native.limits import MAX_TURNS
from rules.native.loops import ITEM, Loops

ITEMS = Expression("object.status.items")
ONE = compare(member(ITEM, "a"), "==", literal(1))
TWO = compare(member(ITEM, "b"), "==", literal(2))
PAIRED = compare(Expression("old[i].k"), "==", member(ITEM, "k"))


def test_a_list_is_gone_through_once_whoever_asks() -> None:
    loops = Loops()
    items = loops.named("items", ITEMS)
    loops.each(items, ONE)
    loops.each(items, TWO)
    assert loops.bound_around(compare(items, "!=", literal("x"))).text == (
        "[object.status.items].all(items, items.all(e, type(e) == map && e.a == 1 && e.b == 2) && items != 'x')"
    )


def test_items_are_paired_if_one_asks_for_it() -> None:
    loops = Loops()
    loops.each(ITEMS, ONE)
    loops.each_pair(ITEMS, PAIRED, TWO, MAX_TURNS)
    loops.each_pair(ITEMS, PAIRED, TWO, MAX_TURNS)
    assert loops.bound_around(Expression("x")).text == (
        "object.status.items.all(i, e, old[i].k == e.k && e.a == 1 && e.b == 2) && x"
    )


def test_by_two_keys_they_are_paired_twice() -> None:
    loops = Loops()
    other = compare(Expression("old[i].l"), "==", member(ITEM, "l"))
    loops.each_pair(ITEMS, PAIRED, ONE, MAX_TURNS)
    loops.each_pair(ITEMS, other, TWO, MAX_TURNS)
    assert "old[i].k == e.k && old[i].l == e.l && e.a == 1 && e.b == 2" in loops.bound_around(Expression("x")).text


def test_the_shortest_bound_of_a_list_counts() -> None:
    def cost(*turns: int) -> int:
        loops = Loops()
        for each in turns:
            loops.each_pair(ITEMS, PAIRED, ONE, each)
        return loops.bound_around(Expression("x")).cost

    assert cost(MAX_TURNS, 24) == cost(24) < cost(MAX_TURNS)
