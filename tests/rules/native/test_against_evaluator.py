"""What is said natively means what the evaluator judges, of any rule and any write.

Exact: the same but for what is listed as lost. Suspect: no violation is missed, and nothing fails.
"""

from __future__ import annotations

import pytest
from hypothesis import given

from rules.compile import compile_rule
from rules.native.prefilter import prefilter
from rules.native.vap import policy
from tests.rules.comparison import compiled, said_by_rules
from tests.rules.strategies import Case, cases
from tests.rules.strategies.kinds import ANY, KINDS

from .engine import NativeError, denied, is_suspect
from .excuses import excused
from .writes import as_stored, document


def miss_nothing(case: Case) -> None:
    rule = compile_rule(document(case.rule))
    found = prefilter(rule.source.spec)
    if found.suspect is None or case.write.operation != "UPDATE":
        return
    old, new = as_stored(case.write)
    write = compiled(type(case.write)(old, new))
    broken = said_by_rules(case.rule, write)
    suspected = is_suspect(found.suspect, old, new)
    assert suspected or not broken, found.suspect.text


def mean_the_same(case: Case) -> None:
    if case.write.operation != "UPDATE":
        return
    native = policy(compile_rule(document(case.rule)).source)
    left_out = {loss.invariant for loss in native.lost if loss.whole}
    old, new = as_stored(case.write)
    broken = said_by_rules(case.rule, compiled(type(case.write)(old, new)))
    expected = {invariant for invariant, _ in broken} - left_out
    try:
        found = {native.validations[index].invariant for index in denied(native, old, new)} - left_out
    except NativeError as error:
        found = {str(error)}
    lost = [loss.what for loss in native.lost if loss.invariant]
    excuses = [loss for loss in lost if excused(loss, case.reads, old, new)]
    assert found == expected or excuses, [str(each.holds) for each in native.validations]


@pytest.mark.parametrize("kind", KINDS)
def test_the_exact_form_means_the_same(kind: str) -> None:
    @given(cases(KINDS[kind]))
    def check(case: Case) -> None:
        mean_the_same(case)

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_the_suspect_form_misses_nothing(kind: str) -> None:
    @given(cases(KINDS[kind]))
    def check(case: Case) -> None:
        miss_nothing(case)

    check()


def test_nor_of_a_rule_of_several_invariants() -> None:
    @given(cases(ANY, ANY, ANY))
    def check(case: Case) -> None:
        miss_nothing(case)

    check()
