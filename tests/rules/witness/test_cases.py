from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rules.case_write import merge_patch
from rules.values import equal
from rules.witness.cases import difference
from rules.witness.witnesses import witnesses
from tests.rules.judging import rule

_SCALARS = st.sampled_from([0, 1, True, False, "", "a", 3])
_OBJECTS = st.recursive(
    st.dictionaries(st.sampled_from("abc"), _SCALARS, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), _SCALARS | inner | st.lists(inner, max_size=2), max_size=3),
    max_leaves=6,
)


@given(_OBJECTS, _OBJECTS)
@example({"a": [{"b": 1}]}, {"a": [{"b": True}]})
def test_the_difference_makes_one_object_of_the_other(old: dict[str, Any], new: dict[str, Any]) -> None:
    patch = difference(old, new)
    assert equal(merge_patch(old, patch), new)
    assert (patch == {}) == equal(old, new)


@pytest.mark.parametrize(
    ("invariant", "passes", "breaks"),
    [
        (
            "{monotonic: {fields: [status.n], direction: NonDecreasing}}",
            "i holds as status.n goes from 1 to 2",
            "i is broken as status.n goes from 1 to 0",
        ),
        (
            "{preserved: {fields: [status.holds.*]}}",
            "i holds as status.holds.a goes from a to b",
            "i is broken as status.holds.a disappears",
        ),
        (
            "{conditions: {}}",
            "i holds as status.conditions changes",
            "i is broken as status.conditions changes",
        ),
        (
            "{coUpdate: {fields: [status.a, status.b, status.c], changeTogether: true}}",
            "i holds as status.a is set to a and status.b is set to a and others change",
            "i is broken as status.a is set to a",
        ),
    ],
)
def test_names_tell_what_changes(invariant: str, passes: str, breaks: str) -> None:
    (found,) = witnesses(rule(invariant))
    pair = found.admission
    assert pair.passing is not None
    assert pair.breaking is not None
    assert (pair.passing.case["name"], pair.breaking.case["name"]) == (passes, breaks)
