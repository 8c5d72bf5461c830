"""What a CRD's own validations say means what the evaluator judges, of any rule and any write that a schema allows."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.compile import compile_rule
from rules.native.crd_validations import CrdValidations, crd_validations
from tests.rules.comparison import compiled, said_by_rules
from tests.rules.strategies import Case, cases
from tests.rules.strategies.invariants import Json
from tests.rules.strategies.kinds import KINDS

from .crd_engine import broken
from .crd_excuses import excused
from .engine import NativeError
from .typed import GROUP, KINDS_OF_SCHEMAS, definition, fitted, schema


def rule_for(plural: str, version: str, rule: Json, name: str = "r") -> Json:
    """Return the document of a rule about the status of a kind of ours."""
    match = {"apiGroups": [GROUP], "apiVersions": [version], "resources": [f"{plural}/status"]}
    return {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "ClusterStatusRule",
        "metadata": {"name": name},
        "spec": {"matchConstraints": {"resourceRules": [match]}, "validationActions": ["Deny"], **rule},
    }


def as_said(rule: Json) -> Json:
    """Return a rule without what is said to be lost of a kind: that a generation is not ahead."""
    rule = copy.deepcopy(rule)
    for invariant in rule["invariants"]:
        if "observedGeneration" in invariant:
            invariant["observedGeneration"]["notAhead"] = False
    return rule


def agrees(
    found: set[str], expected: set[str], native: CrdValidations, reads: tuple[str, ...], old: Any, new: Any
) -> bool:
    """Tell whether a schema refuses what the evaluator does, but for what is left out or listed as lost."""
    left_out = {loss.invariant for loss in native.lost if loss.whole}
    if found - left_out == expected - left_out and found <= expected:
        return True
    return any(excused(loss.what, reads, old, new) for loss in native.lost if loss.invariant)


def mean_the_same(case: Case, leaf: str, lists: str) -> None:
    of = schema(leaf, lists)
    old, new = fitted(case.write.old or {}, of), fitted(case.write.new, of)
    native = crd_validations(compile_rule(rule_for("things", "v1", case.rule)).source, definition("things", {"v1": of}))
    write = compiled(type(case.write)(old, new))
    expected = {invariant for invariant, _ in said_by_rules(as_said(case.rule), write)}
    try:
        found = broken(native, of, old, new)
    except NativeError as error:
        found = {str(error)}
    assert agrees(found, expected, native, case.reads, old, new), (
        found,
        expected,
        old,
        new,
        [(each.place.segments, each.optional, each.holds.text) for each in native.validations],
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_refuses_what_the_evaluator_does(kind: str) -> None:
    @given(cases(KINDS[kind]), st.sampled_from(KINDS_OF_SCHEMAS))
    def check(case: Case, of: tuple[str, str]) -> None:
        if case.write.operation == "UPDATE":
            mean_the_same(case, *of)

    check()
