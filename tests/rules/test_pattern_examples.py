from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.pattern_examples import example
from rules.patterns import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("UpdateMachine", "UpdateMachine"),
        ("(.*,)?UpdateMachine(,.*)?", "UpdateMachine"),
        ("true|false", "true"),
        (".+", "a"),
        ("", ""),
        ("v[0-9]+(alpha|beta)?", "v0"),
        ("[A-Z][a-z]{3,5}", "Aaaa"),
        ("a{2}b{0}c*d+?", "aad"),
        (r"\d{4}-\d\d", "0000-00"),
        (r"\w\W\s\S", "a- a"),
        (r"https?://[^/]+/\.", "http://a/."),
        ("(?i)abc", "abc"),
        (r"^a\b$", "a"),
        (r"(?P<name>x|y)(?:z)", "xz"),
        ("[[:digit:]][^a0]", "0A"),
        (r"\x{e9}\x41\t", "éA\t"),
        (r"[\p{Lu}]", "A"),
        ("a|(b", None),
        (r"\Ba", None),
        (r"\p{Lo}{2}", "字字"),
        (r"[\x{1F600}]", None),
    ],
)
def test_examples(pattern: str, expected: str | None) -> None:
    assert example(pattern) == expected


def test_the_second_alternative_is_tried_too() -> None:
    assert example(r"\Ba|b") == "b"


_ATOMS = st.sampled_from(["a", "b-", ".", "[0-9x]", r"\d", r"\s", "(?:)", r"\.", "é", "^", r"\b"])
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner.map("({})".format), st.sampled_from(["*", "+", "?", "{2}", "{0,3}", "{1,}"])).map("".join),
    ),
    max_leaves=8,
)


@given(_PATTERNS)
def test_an_example_matches(pattern: str) -> None:
    found = example(pattern)
    assert found is None or compile_pattern(pattern)(found)
