from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import fieldpath
from rules.predicates import Predicate
from rules.samples import Samples
from rules.witness.slots import MAX_STEPS, MAX_VALUES, at, put, slots_of
from tests.rules.judging import snippet
from tests.rules.strategies.paths import ONE, PAIRED, SUMMED
from tests.rules.strategies.values import JUNK


def samples(**paths: list[Any]) -> Samples:
    return {fieldpath.parse(f"status.{name}"): values for name, values in paths.items()}


def when(*predicates: str) -> list[Predicate]:
    return [Predicate.model_validate(snippet(f"{{{predicate}}}")) for predicate in predicates]


def test_a_slot_of_a_guard_holds_answers() -> None:
    judged, guard = slots_of(samples(a=[1, 2]), when("field: status.b, operator: In, values: [x]"))
    assert (judged.field, judged.values, judged.is_guard) == ("status.a", (1, 2), False)
    assert (guard.field, guard.values, guard.is_guard) == ("status.b", ("x", "Other", None), True)


def test_a_field_that_is_judged_and_guards_is_one_slot() -> None:
    (slot,) = slots_of(samples(a=[1, 2]), when("field: status.a, operator: In, values: ['2', '3']"))
    assert (slot.values, slot.is_guard) == ((2, 3, 1, 4, None), False)


def test_the_same_item_by_two_paths_is_one_slot() -> None:
    found: Samples = {
        fieldpath.parse("status.conditions[type].status"): ["True"],
        fieldpath.parse("status.conditions[type=Ready].status"): ["False"],
    }
    (slot,) = slots_of(found, [])
    assert slot.values == ("True", "False")


def test_parents_come_first() -> None:
    slots = slots_of(samples(**{"a.b": [1]}), when("field: status.a, operator: Exists"))
    assert [slot.field for slot in slots] == ["status.a", "status.a.b"]


def test_the_last_value_is_never_left_out() -> None:
    (slot,) = slots_of(samples(a=[*range(100), None]), [])
    assert len(slot.values) == MAX_VALUES
    assert slot.values[-1] is None


def test_of_paths_that_are_too_deep_there_is_no_slot() -> None:
    assert slots_of(samples(**{".".join("a" * MAX_STEPS): [1]}), []) == []


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("status.conditions[type].reason", "status.conditions[type=Ready].reason"),
        ("status.items[name,ns].x", "status.items[name=a,ns=a].x"),
        ("status.holds.*", "status.holds.a"),
        ("status.numbers[*]", "status.numbers[*]"),
    ],
)
def test_keys_are_filled_in(path: str, field: str) -> None:
    (slot,) = slots_of({fieldpath.parse(path): [1]}, [])
    assert slot.field == field


_PATHS = st.sampled_from([*ONE, *PAIRED, *SUMMED]).map(fieldpath.parse)


@given(_PATHS, st.lists(_PATHS, max_size=3), st.dictionaries(st.just("status"), JUNK))
def test_what_is_put_is_there_and_can_be_taken_away(
    path: fieldpath.FieldPath, others: list[fieldpath.FieldPath], target: dict[str, Any]
) -> None:
    for other in others:
        (slot,) = slots_of({other: [1]}, [])
        target = put(target, slot.steps, {"x": "y"})
    before = deepcopy(target)
    (slot,) = slots_of({path: [1]}, [])
    held = put(target, slot.steps, {"x": 1})
    assert at(held, slot.steps)["x"] == 1
    assert at(put(held, slot.steps, None), slot.steps) is None
    assert target == before


def test_only_what_is_there_is_taken_away() -> None:
    (slot,) = slots_of({fieldpath.parse("status.items[name=x].a"): [1]}, [])
    assert put({"status": {}}, slot.steps, None) == {"status": {}}
    assert put({"status": {"items": [{"name": "x", "a": 1}]}}, slot.steps, None) == {
        "status": {"items": [{"name": "x"}]}
    }
