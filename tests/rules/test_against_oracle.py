"""The compiled rules say what the oracle says, of any rule and any write."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest
from hypothesis import Phase, find, given, settings

from tests.oracle import Write

from .comparison import compiled, said_by_oracle, said_by_rules
from .strategies import Case, cases
from .strategies.invariants import Json
from .strategies.kinds import ANY, GROUPS, KINDS


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
