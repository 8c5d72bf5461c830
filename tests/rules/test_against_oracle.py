"""The compiled rules say what the oracle says, of any rule and any write."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from typing import Any

from hypothesis import given, note
from hypothesis import strategies as st

from rules.compile import compile_rule
from rules.ruleset import judge as judge_compiled
from rules.values import MISSING
from rules.write import Request, Resource, Roots
from rules.write import Write as CompiledWrite
from tests.oracle import NO_PATCH, Write, judge

from .strategies import Case, cases
from .strategies.groups import EVIDENCE, co_update
from .strategies.invariants import (
    CONDITION_RULES,
    FROZEN,
    MONOTONIC,
    OBSERVED_GENERATION,
    PRESERVED,
    RELATION,
    REQUIRE,
    TRANSITIONS,
    WRITE_ONCE,
    Json,
)

Broken = Counter[tuple[str, str]]

RESOURCE_RULE: Json = {
    "apiGroups": ["g"],
    "apiVersions": ["v1"],
    "resources": ["things/status"],
    "operations": ["CREATE", "UPDATE"],
}


def said_by_rules(rule: Json, write: CompiledWrite) -> Broken:
    document: Json = {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "ClusterStatusRule",
        "metadata": {"name": "r"},
        "spec": {"matchConstraints": {"resourceRules": [RESOURCE_RULE]}, **rule},
    }
    [verdict] = judge_compiled([compile_rule(document)], write)
    if verdict.defect:
        raise verdict.defect
    assert verdict.error is None
    return Counter((violation.invariant, violation.field) for violation in verdict.violations)


def as_compiled(write: Write) -> CompiledWrite:
    request = Request(Resource("g", "v1", "things", "status"), operation=write.operation)
    patch = MISSING if write.patch is NO_PATCH else write.patch
    return CompiledWrite(request, Roots(write.new), Roots(write.old), patch)


def agree(case: Case) -> None:
    before = repr(case.write)
    found = said_by_rules(case.rule, as_compiled(case.write))
    expected = Counter((broken.invariant, broken.field) for broken in judge(case.rule, case.write))
    assert found == expected
    assert repr(case.write) == before


@given(cases(OBSERVED_GENERATION))
def test_observed_generation(case: Case) -> None:
    agree(case)


@given(cases(co_update(["identity"])))
def test_identity(case: Case) -> None:
    agree(case)


@given(cases(co_update(["digest"])))
def test_digest(case: Case) -> None:
    agree(case)


@given(cases(co_update(["stamp"])))
def test_stamp(case: Case) -> None:
    agree(case)


@given(cases(co_update(["singleManager"])))
def test_single_manager(case: Case) -> None:
    agree(case)


@given(cases(co_update(["changeTogether"])))
def test_change_together(case: Case) -> None:
    agree(case)


@given(cases(co_update(["patch"])))
def test_patch(case: Case) -> None:
    agree(case)


@given(cases(RELATION))
def test_relation(case: Case) -> None:
    agree(case)


@given(cases(MONOTONIC["numbers"]))
def test_monotonic_numbers(case: Case) -> None:
    agree(case)


@given(cases(MONOTONIC["times"]))
def test_monotonic_times(case: Case) -> None:
    agree(case)


@given(cases(MONOTONIC["quantities"]))
def test_monotonic_quantities(case: Case) -> None:
    agree(case)


@given(cases(MONOTONIC["mixed"]))
def test_monotonic_mixed(case: Case) -> None:
    agree(case)


@given(cases(WRITE_ONCE))
def test_write_once(case: Case) -> None:
    agree(case)


@given(cases(PRESERVED))
def test_preserved(case: Case) -> None:
    agree(case)


@given(cases(TRANSITIONS))
def test_transitions(case: Case) -> None:
    agree(case)


@given(cases(CONDITION_RULES))
def test_conditions(case: Case) -> None:
    agree(case)


@given(cases(FROZEN))
def test_frozen(case: Case) -> None:
    agree(case)


@given(cases(REQUIRE))
def test_require(case: Case) -> None:
    agree(case)
