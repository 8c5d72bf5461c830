from __future__ import annotations

from typing import Any

import pytest

from rules.fieldpath import parse
from rules.pairing import Pair, one_pair, pairs
from rules.reading import Tally
from rules.values import MISSING
from rules.write import Write

from .judging import write


def status(old: str, new: str) -> Write:
    return write(f"status: {old}", f"status: {new}")


def found(path: str, old: str, new: str) -> list[Pair]:
    return pairs(parse(path))(status(old, new), Tally())


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        pytest.param("status.a", "{a: 1}", "{a: 2}", [((), 1, 2)], id="plain"),
        pytest.param("status.a.b", "{a: {b: 1}}", "{}", [((), 1, None)], id="a plain name disappears"),
        pytest.param("status.c[k].v", "{c: [{k: x, v: 1}]}", "{c: [{k: x, v: 2}]}", [((("x",),), 1, 2)], id="keyed"),
        pytest.param(
            "status.c[k].v",
            "{c: [{k: x, v: 1}, {k: y, v: 2}]}",
            "{c: [{k: y, v: 3}, {k: z, v: 4}]}",
            [((("y",),), 2, 3), ((("z",),), MISSING, 4), ((("x",),), 1, MISSING)],
            id="items are paired by key, not by place",
        ),
        pytest.param(
            "status.c[k].v", "{c: [{k: x, v: 1}]}", "{c: [{k: x}]}", [((("x",),), 1, None)], id="a name after the item"
        ),
        pytest.param("status.c[k].v", "{c: [{k: x}]}", "{}", [((("x",),), None, MISSING)], id="the whole list is gone"),
        pytest.param(
            "status.c[k].v", "{c: [{k: x}]}", "{c: {k: x}}", [((("x",),), None, MISSING)], id="no list any more"
        ),
        pytest.param("status.c[k].v", "{}", "{c: []}", [], id="no items"),
        pytest.param(
            "status.c[k=x].v", "{c: [{k: x, v: 1}]}", "{c: [{k: y}]}", [((), 1, MISSING)], id="one item is gone"
        ),
        pytest.param("status.c[k=x].v", "{c: []}", "{c: [{k: x, v: 1}]}", [((), MISSING, 1)], id="one item is new"),
        pytest.param("status.c[k=x].v", "{c: [{k: y}]}", "{}", [], id="an item that never was"),
        pytest.param(
            "status.m.*.n", "{m: {a: {n: 1}, b: {n: 2}}}", "{m: {b: {n: 3}}}",
            [((("b",),), 2, 3), ((("a",),), 1, MISSING)], id="map",
        ),
        pytest.param("status.m.*", "{m: {a: 1}}", "{m: {a: null}}", [((("a",),), 1, MISSING)], id="a null entry"),
        pytest.param(
            "status.p[r,n].c[t].g",
            "{p: [{r: {b: 1, a: 2}, n: q, c: [{t: T, g: 5}]}]}",
            "{p: [{r: {a: 2, b: 1}, n: q, c: [{t: T, g: 4}]}]}",
            [((({"a": 2, "b": 1}, "q"), ("T",)), 5, 4)],
            id="several keys, an object as key, nested",
        ),
        pytest.param(
            "status.p[k].c[t].g",
            "{p: [{k: x, c: [{t: T, g: 5}]}]}",
            "{p: [{k: x}]}",
            [((("x",), ("T",)), 5, MISSING)],
            id="the inner list is gone",
        ),
        pytest.param(
            "status.p[k].c[t=T].g", "{p: [{k: x, c: [{t: T, g: 5}]}]}", "{p: []}", [((("x",),), 5, MISSING)], id="mixed"
        ),
    ],
)  # fmt: skip
def test_pairs(path: str, old: str, new: str, expected: list[tuple[Any, Any, Any]]) -> None:
    assert found(path, old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("{c: [{k: x, v: 1}]}", "{c: [{k: x, v: 2}]}", (1, 2)),
        ("{c: [{k: x, v: 1}]}", "{c: [{k: x}]}", (1, None)),
        ("{c: [{k: x, v: 1}]}", "{c: []}", (1, MISSING)),
        ("{c: [{k: x}]}", "{c: []}", (None, None)),
        ("{c: []}", "{c: [{k: x, v: 1}]}", (None, 1)),
        ("{c: []}", "{}", (None, None)),
    ],
)
def test_the_one_pair_of_a_single_value(old: str, new: str, expected: tuple[Any, Any]) -> None:
    assert one_pair(parse("status.c[k=x].v"))(status(old, new), Tally()) == expected


@pytest.mark.parametrize(
    ("path", "old", "new", "mismatches"),
    [
        ("status.c[k].v", "{c: 1}", "{c: text}", 2),
        ("status.c[k=x].v", "{c: {}}", "{c: []}", 1),
        ("status.m.*", "{m: []}", "{m: {}}", 1),
        ("status.m.*.n", "{m: {a: 1}}", "{m: {a: 2}}", 2),
        ("status.c[k].v", "{c: null}", "{}", 0),
    ],
)
def test_values_of_another_type_are_absent_and_counted(path: str, old: str, new: str, mismatches: int) -> None:
    tally = Tally()
    pairs(parse(path))(status(old, new), tally)
    assert tally.type_mismatches == mismatches
