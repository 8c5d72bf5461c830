"""CEL expressions over two objects, and the objects: every way of spelling what is read, and every way of hiding it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st

Expressions = st.SearchStrategy[str]

NAMES: Final = ("a", "b", "c d", "object")

_VARIABLES: Final = ("object", "oldObject")
_BLANKS: Final = st.sampled_from(["", "", "", "", " ", "\n", " // object.b == 'x\n", "\t"])
_TEXTS: Final = st.sampled_from(
    [
        '"a"',
        "'b'",
        "r'c d'",
        r'"\x61"',
        '"""a"""',
        "'''object.b'''",
        "'\\'.object.a'",
        'r"\\n"',
        '"// a"',
        "'c d'",
        "b'a'",
    ]
)
_SCALARS: Final = _TEXTS | st.sampled_from(
    ["0", "1", "-1", "2u", "1.5", "true", "null", "[]", "{}", "[0, 1]", "{'a': 1}"]
)
_LEAVES: Final = st.sampled_from([None, True, False, 0, 1, 1.5, "", "a", "b", "object.a"])


def _objects(depth: int) -> st.SearchStrategy[Any]:
    if depth == 0:
        return _LEAVES
    inner = _objects(depth - 1)
    return st.dictionaries(st.sampled_from(NAMES), inner, min_size=2) | st.lists(inner, max_size=3) | _LEAVES


OBJECTS: Final = st.fixed_dictionaries({}, optional={name: _objects(3) for name in NAMES})


@st.composite
def _chains(draw: st.DrawFn, inner: Expressions, bound: tuple[str, ...]) -> str:
    """A variable and members of it, sure to be there where they are optional."""
    written = draw(st.sampled_from([*_VARIABLES, *_VARIABLES, ".object", ".oldObject", *bound, *bound]))
    is_optional = draw(st.booleans())
    mark = "?" if is_optional else ""
    steps = draw(st.integers(1 if is_optional else 0, 3))
    for _ in range(steps):
        name = draw(st.sampled_from(NAMES))
        spellings = [f"[{mark}'{name}']", f'[{mark}"{name}"]', f"[{mark}r'{name}']", f"[{mark}0]"]
        spellings += [f"[{mark}{draw(inner)}]"] if draw(st.booleans()) else []
        spellings += [f"[{mark}'{name}']"] * 3 if " " in name else [f".{mark}{name}", f". {mark}{name}"] * 2
        written += draw(_BLANKS) + draw(st.sampled_from(spellings))
    return f"{written}.orValue({draw(_SCALARS)})" if is_optional else written


@st.composite
def _loops(draw: st.DrawFn, inner: Expressions, bound: tuple[str, ...], depth: int) -> str:
    """A macro, whose variable may hide a variable of the expression."""
    variable = draw(st.sampled_from(["x", "y", "object", "oldObject"]))
    macro = draw(st.sampled_from(["all", "exists", "exists_one", "filter", "map", "map", "optMap"]))
    source = draw(inner)
    if macro == "optMap":
        return f"optional.of({source}).optMap({variable}, {draw(_dynamic(depth - 1, (*bound, variable)))}).value()"
    body = draw(_dynamic(depth - 1, (*bound, variable)) if macro == "map" else truths(depth - 1, (*bound, variable)))
    return f"dyn([{source}, {draw(inner)}]).{macro}({variable}, {body})"


def _dynamic(depth: int, bound: tuple[str, ...] = ()) -> Expressions:
    """Expressions of any type, which the checker takes for dynamic."""
    if depth == 0:
        return (_chains(_SCALARS, bound) | _SCALARS).map(_dyn)
    inner = _dynamic(depth - 1, bound)
    pairs = st.tuples(inner, inner)
    return st.one_of(
        _chains(inner, bound),
        _chains(inner, bound),
        _loops(inner, bound, depth),
        pairs.map(lambda pair: f"({pair[0]} + {pair[1]})"),
        pairs.map(lambda pair: f"[{pair[0]}, {pair[1]}]"),
        pairs.map(lambda pair: f"{{'a': {pair[0]}, 'b': {pair[1]}}}"),
        pairs.map(lambda pair: f"optional.ofNonZeroValue({pair[0]}).orValue({pair[1]})"),
        st.tuples(truths(depth - 1, bound), inner, inner).map(lambda each: f"({each[0]} ? {each[1]} : {each[2]})"),
        inner.map(lambda each: f"type({each})"),
    ).map(_dyn)


def _dyn(expression: str) -> str:
    return f"dyn({expression})"


def truths(depth: int, bound: tuple[str, ...] = ()) -> Expressions:
    """Expressions that give true or false, or fail."""
    if depth == 0:
        return st.sampled_from(["true", "false"])
    inner, both = _dynamic(depth - 1, bound), truths(depth - 1, bound)
    return st.one_of(
        *[_infix(sign, inner) for sign in ("==", "!=", "in", "<")],
        *[_infix(sign, both) for sign in ("&&", "||", "==")],
        _chains(inner, bound).map(lambda chain: f"has(dyn({chain}).a)"),
        _chains(inner, bound).map(lambda chain: f"!has(dyn({chain}).object.a)"),
    )


def _infix(sign: str, operands: Expressions) -> Expressions:
    written: Callable[[tuple[str, str]], str] = lambda pair: f"({pair[0]} {sign} {pair[1]})"  # noqa: E731
    return st.tuples(operands, operands).map(written)


EXPRESSIONS: Final[Expressions] = truths(2) | truths(3) | truths(4)
"""Expressions over `object` and `oldObject` that give true or false, or fail."""
