from __future__ import annotations

import re

import pytest
from hypothesis import given

from rules.compile import compile_rule
from rules.native.line_breaks import WIDTH, broken
from rules.native.vap import policy
from tests.rules.strategies import Case, cases
from tests.rules.strategies.kinds import ANY

from .writes import document

LONG = "a.b.c.d.e.f.g.h == 1"


def squeezed(expression: str) -> str:
    """Return an expression without the white space that says nothing."""
    return re.sub(r"('(?:[^'\\]|\\.)*')|\s", lambda match: match[1] or "", expression)


@given(cases(ANY))
def test_only_white_space_is_added(case: Case) -> None:
    found = policy(compile_rule(document(case.rule)).source)
    texts = [each.holds.text for each in found.validations] + [each.text for each in found.variables.values()]
    for text in texts:
        assert squeezed(broken(text)) == squeezed(text)


def test_a_short_one_stays_on_its_line() -> None:
    assert broken(LONG) == LONG


def test_it_breaks_before_what_binds_least() -> None:
    both = f"{LONG} && {LONG} && {LONG}"
    assert broken(f"{both} || x.all(i, {both} || {both})").splitlines() == [
        both,
        "|| x.all(i,",
        f"    {both}",
        f"    || {both}",
        "  )",
    ]


def test_a_choice_has_its_answers_below() -> None:
    assert broken(f"{LONG} && {LONG} && {LONG} ? {LONG} || {LONG} : null").splitlines() == [
        f"{LONG} && {LONG} && {LONG}",
        f"? {LONG} || {LONG}",
        ": null",
    ]


@pytest.mark.parametrize("own", ['a == "x && y"', "a // why\n== b", "a == r'\\' && b"])
def test_what_the_rules_author_wrote_stays_as_it_is(own: str) -> None:
    text = f"{own} && {'x' * WIDTH}"
    assert broken(text) == text
