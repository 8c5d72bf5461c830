"""The matchConditions of a policy, as many and with such names as the API server takes."""

from __future__ import annotations

from typing import Any

import pytest

from rules.compile import compile_rule
from rules.native.vap_conditions import MAX_CONDITIONS, conditions_of
from tests.rules.strategies.invariants import Json

from .engine import evaluate
from .writes import document

KEPT: Json = {"name": "kept", "preserved": {"fields": ["status.a"]}}
EXEMPTIONS: Json = {"users": ["root"], "groups": ["repairers"]}


def conditions(*own: Json, **spec: Any) -> list[dict[str, str]]:
    """Return the conditions of a rule that refuses, so that it has one about deletions too."""
    rule = {"invariants": [KEPT], "validationActions": ["Deny"], "matchConditions": [*own], **spec}
    return conditions_of(compile_rule(document(rule)).source.spec)


def many(count: int, expression: str = "object.a > {}") -> list[Json]:
    return [{"name": f"c{index}", "expression": expression.format(index)} for index in range(count)]


@pytest.mark.parametrize("count", [0, 61])
def test_each_is_a_condition_where_there_is_room(count: int) -> None:
    found = conditions(*many(count), exemptions=EXEMPTIONS)
    own = ["exempt-users", "exempt-groups", "not-being-deleted"]
    assert [each["name"] for each in found] == [f"c{index}" for index in range(count)] + [
        f"statusguard.dev/{name}" for name in own
    ]


def test_a_name_that_the_rule_has_taken_is_not_taken_again() -> None:
    taken = ["statusguard.dev/not-being-deleted", "statusguard.dev/not-being-deleted-2"]
    found = conditions(*({"name": name, "expression": "object.a > 1"} for name in taken))
    assert [each["name"] for each in found] == [*taken, "statusguard.dev/not-being-deleted-3"]


@pytest.mark.parametrize("count", [62, 63, MAX_CONDITIONS])
def test_those_that_are_too_many_are_one(count: int) -> None:
    found = conditions(*many(count), exemptions=EXEMPTIONS)
    assert len({each["name"] for each in found}) == len(found) == MAX_CONDITIONS
    *kept, last = found
    assert last["name"] == "statusguard.dev/together"
    parts = last["expression"].split("\n&& ")
    said = [f"({each['expression']})" for each in kept] + parts
    assert len(said) == count + 3
    assert set(said) >= {f"(object.a > {index})" for index in range(count)}


def test_what_is_said_together_is_what_each_says() -> None:
    *_, last = conditions(*many(MAX_CONDITIONS, "object.a == {} || object.a > 9 // why"))
    variables = {"object": {"a": 10}}
    assert last["expression"].count("//") == 2
    assert evaluate(last["expression"], variables) is True
    assert evaluate(last["expression"], {"object": {"a": 1}}) is False
