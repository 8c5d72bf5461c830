from __future__ import annotations

import pytest

from rules.cel.program import compile_cel
from rules.cel.tree import Call, ListOf, Literal, Loop, MapOf, Name, Node, Select

OBJECT = Name("object")


def tree(expression: str) -> Node:
    return compile_cel(expression, "bool")._compiled.tree


def compared(expression: str) -> Node:
    """Return the tree of one side of a comparison that begins at offset 0."""
    found = tree(f"{expression} == null")
    assert isinstance(found, Call)
    return found.arguments[0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("object", OBJECT),
        ("object.a", Select(OBJECT, "a")),
        ("object['é😀']", Call("_[_]", (OBJECT, Literal("é😀")), 6)),
        ("object.?a", Call("_?._", (OBJECT, Literal("a")), 6)),
        ("dyn('')", Call("dyn", (Literal(""),), 3)),
        ("dyn(b'\\xff')", Call("dyn", (Literal(b"\xff"),), 3)),
        ("dyn(-9223372036854775808)", Call("dyn", (Literal(),), 3)),
        ("dyn([1.5, 2u, true, null])", Call("dyn", (ListOf((Literal(),) * 4),), 3)),
        ("dyn({'a': object})", Call("dyn", (MapOf((Literal("a"), OBJECT), "", 4),), 3)),
        ("dyn(object.a.split('b'))", Call("dyn", (Call("split", (Select(OBJECT, "a"), Literal("b")), 18),), 3)),
    ],
)
def test_trees(expression: str, expected: Node) -> None:
    assert compared(expression) == expected


def test_macros_are_loops() -> None:
    found = tree("object.list.exists(x, x == 1)")
    assert isinstance(found, Loop)
    assert (found.variable, found.accumulator) == ("x", "@result")
    assert found.source == Select(OBJECT, "list")
    assert found.initial == Literal()
    assert found.step == Call("_||_", (Name("@result"), Call("_==_", (Name("x"), Literal()), 24)), 18)
    assert found.result == Name("@result")


def test_has_selects() -> None:
    assert tree("has(object.a.b)") == Select(Select(OBJECT, "a"), "b")


def test_long_texts_and_many_parts() -> None:
    words = "x" * 300
    assert compared(f"dyn('{words}')") == Call("dyn", (Literal(words),), 3)
    many = ", ".join(["object"] * 100)
    assert compared(f"dyn([{many}])") == Call("dyn", (ListOf((OBJECT,) * 100),), 3)
