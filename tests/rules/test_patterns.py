from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.pattern_syntax import MAX_SIZE
from rules.patterns import PatternError, compile_pattern

VALUES = st.text(alphabet=st.sampled_from("abkK\u017f\u212aéß\n\t\v _09٣-].#&~+"), max_size=5)

COMMON_ATOMS = st.sampled_from(
    [*"ab09", "é", r"\.", ".", r"\d", r"\w", r"\D", r"\W", r"\b", "^", r"\A", "[a-c]", "[^a-c]", r"[\d_-]", r"\n", "()"]
)
RE2_ATOMS = st.sampled_from(
    [
        *(
            "k",
            "K",
            "-",
            "]",
            "}",
            "~",
            "\u017f",
            "$",
            r"\z",
            r"\B",
            r"\s",
            r"\S",
            r"\pL",
            r"\P{Lu}",
            r"\x4b",
            r"\x{212A}",
            r"\_",
        ),
        *("[]a]", r"[^]\s]", r"[\W]", "[[:alpha:]_]", "[[:^space:]]", r"[^\pL\d]", "[a-c-k]", "[+-/]"),
        *(r"[^\x00-\x{10FFFF}]", "(?i)", "(?s)", "(?-s)", "(?m)^", "(?m:$)"),
    ]
)
REPETITIONS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "*?", "+?"])


def patterns(atoms: st.SearchStrategy[str], groups: list[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        st.builds("{}{}".format, atoms, REPETITIONS),
        lambda inner: (
            st.builds("{}{}".format, inner, inner)
            | st.builds("{}|{}".format, inner, inner)
            | st.builds("{}{}){}".format, st.sampled_from(groups), inner, REPETITIONS)
        ),
        max_leaves=6,
    )


def refused(pattern: str) -> PatternError:
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern)
    return caught.value


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("a|ab", ["a", "ab"], ["", "abc", "xa", "a\n", "\na"]),
        ("(.*,)?UpdateMachine(,.*)?", ["UpdateMachine", "a,UpdateMachine,b"], ["UpdateMachines", "xUpdateMachine"]),
        (r"\d+", ["042"], ["٣", "\uff11", ""]),
        (r"\w+", ["aZ_9"], ["é", "-"]),
        (r"[\s]+", [" \t\n\f\r"], ["\v", "\u00a0", "\u2028"]),
        (r"é\Ba", [], ["éa"]),
        (r"é\ba", ["éa"], []),
        (r"\W", ["é", "\n"], ["_"]),
        (r"[^\W_]", ["a"], ["_", "é"]),
        (".", ["é", "😀"], ["\n", ""]),
        ("(?s).", ["\n"], []),
        ("(?i)straße", ["STRAßE"], ["STRASSE"]),
        ("(?i)k", ["K", "\u212a"], []),
        (r"\p{Lu}\pL", ["Éé"], ["éé"]),
        ("[[:digit:][:^ascii:]]", ["1", "é"], ["a"]),
        ("(?m)a$\n^b", ["a\nb"], ["ab"]),
        ("(?P<year>[0-9]{4})-(?<month>[0-9]{2})", ["2026-01"], ["2026-1"]),
        (r"[a\&&]", ["a", "&"], ["b"]),
        (r"\x41\x{1F600}\-\/\"", ['A😀-/"'], []),
        ("", [""], ["a"]),
    ],
)
def test_whole_values_match(pattern: str, matching: list[str], other: list[str]) -> None:
    matches = compile_pattern(pattern)
    assert [value for value in matching if not matches(value)] == []
    assert [value for value in other if matches(value)] == []


@pytest.mark.parametrize(
    ("pattern", "offset"),
    [
        ("a|b)|(c", 3),
        ("a(b", 1),
        ("ab)", 2),
        ("*a", 0),
        ("a|*", 2),
        ("a**", 2),
        ("a+*", 2),
        ("a*?*", 3),
        ("a{2}{3}", 4),
        ("a(?i)*", 5),
        ("a{,3}", 1),
        ("a{x", 1),
        ("a{01}", 1),
        ("a{3,2}", 1),
        ("a{1001}", 1),
        ("a{1,1001}", 1),
        ("a{99999999999999999999}", 1),
        ("(a{40}){40}", 7),
        ("a" * (MAX_SIZE + 1), MAX_SIZE + 1),
        ("(a{900}){1}a{900}a{900}", 18),
        ("a(?=b)", 1),
        ("a(?<!b)", 1),
        ("(?P=a)", 0),
        ("(?P<a>x)(?<a>y)", 8),
        ("(?P<1>x)", 0),
        ("(?x)a", 0),
        ("(?ii)a", 0),
        ("(?i-)a", 0),
        ("(?)", 0),
        ("(?#a)", 0),
        (r"a\1", 1),
        (r"\07", 0),
        (r"\Qa.b\E", 0),
        (r"\C", 0),
        (r"\Z", 0),
        (r"\<a", 0),
        (r"\b{start}", 2),
        (r"\u0041", 0),
        (r"\x4", 0),
        (r"\x{110000}", 0),
        (r"\x{D800}", 0),
        (r"\é", 0),
        ("a\ud800", 1),
        ("a\\", 1),
        ("[a", 0),
        ("[]", 0),
        ("[^]", 0),
        ("[a-", 0),
        ("[c-a]", 1),
        (r"[\d-z]", 1),
        (r"[a-\d]", 1),
        (r"[\b]", 1),
        ("[a&&b]", 2),
        ("[a--b]", 2),
        ("[+--]", 2),
        ("[a~~b]", 2),
        ("[a[b]]", 2),
        ("[[:alfa:]]", 1),
        (r"\p{Greek}", 0),
        (r"\pC", 0),
        (r"[\p{^L}]", 1),
        (r"\pL{400}", 0),
        ("(" * 300 + ")" * 300, 0),
    ],
)
def test_what_is_not_common_to_both_engines_is_refused(pattern: str, offset: int) -> None:
    error = refused(pattern)
    assert error.offset == offset
    assert error.message == str(error)
    assert "\n" not in error.message


@given(patterns(COMMON_ATOMS, ["(", "(?:"]), VALUES)
def test_what_python_has_too_means_the_same(pattern: str, value: str) -> None:
    try:
        expected = re.compile(pattern, re.ASCII)
    except re.error:
        return
    assert compile_pattern(pattern)(value) == bool(expected.fullmatch(value))


@given(patterns(COMMON_ATOMS | RE2_ATOMS, ["(", "(?:", "(?i:", "(?s-i:"]), VALUES)
def test_what_is_taken_means_what_it_means_to_re2(pattern: str, value: str) -> None:
    cel = pytest.importorskip("cel_expr_python.cel")  # its `matches` is RE2
    environment = cel.NewEnv(variables={"value": cel.Type.STRING, "pattern": cel.Type.STRING})
    program = environment.compile("value.matches(pattern)")
    try:
        matches = compile_pattern(pattern)
    except PatternError:
        return
    expected = program.eval(data={"value": value, "pattern": rf"\A(?:{pattern})\z"}).value()
    assert matches(value) is expected


@given(st.text(max_size=40) | st.text(alphabet=st.sampled_from("()[]{}|*+?\\^$.-&~:<>=!PiQxpb,1a"), max_size=20))
def test_any_pattern_is_compiled_or_refused_with_an_offset_inside_it(pattern: str) -> None:
    try:
        compile_pattern(pattern)
    except PatternError as error:
        offset = error.offset
    else:
        return
    assert 0 <= offset <= len(pattern)


@given(st.text(alphabet=st.sampled_from("()|a\\[]"), max_size=12))
def test_no_pattern_matches_a_part_of_a_value(pattern: str) -> None:
    try:
        matches = compile_pattern(pattern)
    except PatternError:
        return
    assert not matches("b" * 50)
    assert not matches("a" * 50)


def test_matching_takes_linear_time() -> None:
    matches = compile_pattern("(a+)+$|(a|aa)+|(.*,)*x")
    started = time.process_time()
    assert not matches("a" * 200_000 + "!")
    assert time.process_time() - started < 10


def test_the_largest_pattern_and_a_long_value() -> None:
    matches = compile_pattern(".*a.{990}.*b.{990}")
    started = time.process_time()
    assert not matches("a" * 20_000)
    assert time.process_time() - started < 10
