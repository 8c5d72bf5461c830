"""The compiled rules say what the oracle says, of any rule and any write."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

import msgspec
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from rules.compile import compile_rule
from rules.ruleset import judge as judge_compiled
from rules.values import MISSING
from rules.write import Request, Resource, Roots
from rules.write import Write as CompiledWrite
from tests.oracle import NO_PATCH, Write, judge
from webhook.review import decode

from .strategies import Case, cases, reordered_cases
from .strategies.groups import EVIDENCE, co_update
from .strategies.invariants import (
    CONDITIONS,
    FROZEN,
    MONOTONIC,
    OBSERVED_GENERATION,
    PRESERVED,
    RELATION,
    REQUIRE,
    TRANSITIONS,
    WRITE_ONCE,
    Invariants,
    Json,
)

KINDS: Final[dict[str, Invariants]] = {
    "observedGeneration": OBSERVED_GENERATION,
    **{name: co_update([name]) for name in EVIDENCE},
    "relation": RELATION,
    **MONOTONIC,
    "writeOnce": WRITE_ONCE,
    "preserved": PRESERVED,
    "transitions": TRANSITIONS,
    "conditions": CONDITIONS,
    "frozen": FROZEN,
    "require": REQUIRE,
}
GROUPS: Final[Invariants] = st.lists(st.sampled_from(EVIDENCE), unique=True).flatmap(co_update)
ANY: Final[Invariants] = st.one_of(GROUPS, *KINDS.values())

Broken = Counter[tuple[str, str]]


def said_by_rules(rule: Json, write: CompiledWrite) -> Broken:
    operations = ["CREATE", "UPDATE"]
    match = {"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["things/status"], "operations": operations}
    document: Json = {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "ClusterStatusRule",
        "metadata": {"name": "r"},
        "spec": {"matchConstraints": {"resourceRules": [match]}, **rule},
    }
    [verdict] = judge_compiled([compile_rule(document)], write)
    if verdict.defect:
        raise verdict.defect
    assert verdict.error is None
    return Counter((violation.invariant, violation.field) for violation in verdict.violations)


def said_by_oracle(case: Case) -> Broken:
    return Counter((broken.invariant, broken.field) for broken in judge(case.rule, case.write))


def compiled(write: Write) -> CompiledWrite:
    request = Request(Resource("g", "v1", "things", "status"), operation=write.operation)
    patch = MISSING if write.patch is NO_PATCH else write.patch
    return CompiledWrite(request, Roots(write.new), Roots(write.old), patch)


def agree(case: Case) -> None:
    before = repr(case.write)
    assert said_by_rules(case.rule, compiled(case.write)) == said_by_oracle(case)
    assert repr(case.write) == before, "judging changed the objects"


@given(cases(KINDS["observedGeneration"]))
def test_observed_generation(case: Case) -> None:
    agree(case)


@given(cases(KINDS["identity"]))
def test_identity(case: Case) -> None:
    agree(case)


@given(cases(KINDS["digest"]))
def test_digest(case: Case) -> None:
    agree(case)


@given(cases(KINDS["stamp"]))
def test_stamp(case: Case) -> None:
    agree(case)


@given(cases(KINDS["singleManager"]))
def test_single_manager(case: Case) -> None:
    agree(case)


@given(cases(KINDS["changeTogether"]))
def test_change_together(case: Case) -> None:
    agree(case)


@given(cases(KINDS["patch"]))
def test_patch(case: Case) -> None:
    agree(case)


@given(cases(GROUPS))
def test_all_evidence(case: Case) -> None:
    agree(case)


@given(cases(KINDS["relation"]))
def test_relation(case: Case) -> None:
    agree(case)


@given(cases(KINDS["numbers"]))
def test_monotonic_numbers(case: Case) -> None:
    agree(case)


@given(cases(KINDS["times"]))
def test_monotonic_times(case: Case) -> None:
    agree(case)


@given(cases(KINDS["quantities"]))
def test_monotonic_quantities(case: Case) -> None:
    agree(case)


@given(cases(KINDS["measures"]))
def test_monotonic_measures(case: Case) -> None:
    agree(case)


@given(cases(KINDS["writeOnce"]))
def test_write_once(case: Case) -> None:
    agree(case)


@given(cases(KINDS["preserved"]))
def test_preserved(case: Case) -> None:
    agree(case)


@given(cases(KINDS["transitions"]))
def test_transitions(case: Case) -> None:
    agree(case)


@given(cases(KINDS["conditions"]))
def test_conditions(case: Case) -> None:
    agree(case)


@given(cases(KINDS["frozen"]))
def test_frozen(case: Case) -> None:
    agree(case)


@given(cases(KINDS["require"]))
def test_require(case: Case) -> None:
    agree(case)


@given(cases(ANY, ANY, ANY))
def test_a_rule_of_several_invariants(case: Case) -> None:
    agree(case)


SUM: Final = {"relation": {"holds": ["status.n == sum(status.m.*) + sum(status.l[k].n) + sum(status.v[*])"]}}
SUMMED: Final[Json] = {"n": 9, "m": {"a": 1, "b": 2}, "l": [{"k": "a", "n": 1}, {"k": "b", "n": 2}], "v": [1]}
OWNERS: Final[list[Json]] = [
    {"manager": "m", "apiVersion": "g/v1", "fieldsV1": {}},
    {"manager": "m", "apiVersion": "g/v1", "fieldsV1": {"f:status": {"f:m": {}}}},
    {"manager": "n", "apiVersion": "g/v1", "fieldsV1": {"f:status": {"f:n": {}}}},
]


@pytest.mark.parametrize(
    ("invariant", "old", "new", "broken"),
    [
        pytest.param(
            {"observedGeneration": {"ignoreValues": [0]}},
            {"observedGeneration": 2},
            {},
            [],
            id="absent is the 0 ignored",
        ),
        pytest.param(SUM, SUMMED, SUMMED | {"m": {"b": 2, "a": 1}}, [], id="the order of a map that is summed"),
        pytest.param(
            SUM, SUMMED, SUMMED | {"l": SUMMED["l"][::-1]}, [], id="the order of items that are summed by key"
        ),
        pytest.param(SUM, SUMMED, SUMMED | {"v": [1, None]}, [], id="a null item is not there"),
        pytest.param(SUM, SUMMED, SUMMED | {"v": [2, None]}, ["status.v[*]"], id="nor does it keep from judging"),
        pytest.param(
            {"coUpdate": {"fields": ["status.n", "status.m"], "singleManager": True}},
            {},
            SUMMED,
            ["status.n"],
            id="an empty set owns nothing",
        ),
    ],
)
def test_what_they_once_disagreed_on(invariant: Json, old: Json, new: Json, broken: list[str]) -> None:
    before, after = (
        {"apiVersion": "g/v1", "metadata": {"managedFields": OWNERS}, "status": side} for side in (old, new)
    )
    case = Case({"invariants": [{"name": "i", **invariant}]}, Write(before, after), ())
    assert said_by_oracle(case) == Counter(("i", field) for field in broken)
    agree(case)


@pytest.mark.parametrize("kind", KINDS)
def test_the_cases_of_a_kind_break_it(kind: str) -> None:
    quick = settings(phases=[Phase.generate], max_examples=2_000)
    find(cases(KINDS[kind]), lambda case: bool(said_by_oracle(case)), settings=quick)


@given(reordered_cases(ANY, ANY))
def test_a_write_that_changes_nothing_breaks_nothing(pair: tuple[Case, Case]) -> None:
    old, new = (case.write.new for case in pair)
    same = new | {root: respelt(new.get(root)) for root in ("spec", "status")}
    assert not said_by_rules(pair[0].rule, compiled(Write(old, same)))


def respelt(value: Any) -> Any:
    """An equal value: null members added, order of members turned, 3 become 3.0."""
    if isinstance(value, dict):
        return {"null": None} | {name: respelt(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return list(map(respelt, value))
    return Decimal(f"{value}.0") if type(value) is int else value


@given(reordered_cases(ANY, ANY))
def test_the_order_of_items_that_have_keys_does_not_matter(pair: tuple[Case, Case]) -> None:
    case, reordered = pair
    assert said_by_rules(case.rule, compiled(case.write)) == said_by_rules(reordered.rule, compiled(reordered.write))


@given(cases(ANY, ANY))
def test_a_review_that_is_decoded_on_demand_is_judged_alike(case: Case) -> None:
    write = replace(case.write, patch=NO_PATCH)
    assert said_by_rules(case.rule, decode(review(write)).write()) == said_by_rules(case.rule, compiled(write))


def review(write: Write) -> bytes:
    request = {
        "uid": "u",
        "kind": {"group": "g", "version": "v1", "kind": "Thing"},
        "resource": {"group": "g", "version": "v1", "resource": "things"},
        "subResource": write.subresource,
        "operation": write.operation,
        "object": encodable(write.new),
        "oldObject": encodable(write.old),
    }
    return msgspec.json.encode({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})


def encodable(value: Any) -> Any:
    """A value with its numbers in full: msgspec would write a Decimal as a string, and no integer beyond 64 bits."""
    if isinstance(value, dict):
        return {name: encodable(member) for name, member in value.items()}
    if isinstance(value, list):
        return list(map(encodable, value))
    return msgspec.Raw(str(value).encode()) if type(value) in {int, Decimal} else value
