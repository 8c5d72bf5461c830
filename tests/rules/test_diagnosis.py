from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import ValidationError

from rules.api import ClusterStatusRule
from rules.diagnosis import problems, suggestion

KNOWN = ["fields", "direction", "mayClear", "ignoreValues"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("feilds", ', did you mean "fields"?'),
        ("field", ', did you mean "fields"?'),
        ("mayclear", ', did you mean "mayClear"?'),
        ("DIRECTION", ', did you mean "direction"?'),
        ("banana", ""),
        ("", ""),
    ],
)
def test_suggestion(word: str, expected: str) -> None:
    assert suggestion(word, KNOWN) == expected


def test_without_anything_near_what_is_known_is_listed() -> None:
    with pytest.raises(ValidationError) as caught:
        ClusterStatusRule.model_validate({"banana": 1})
    (found,) = [each for each in problems(caught.value, ClusterStatusRule) if each.code == "unknown-field"]
    assert found.message == 'unknown field "banana", expected one of apiVersion, kind, metadata, spec, status'
    assert found.location == ("banana",)


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("x" * 200, f"'{'x' * 64}'"),
        ("a\nb\u202e", r"'a\nb\u202e'"),
        (["a"], "a list"),
        ({"a": 1}, "an object"),
        (None, "null"),
        (True, "true"),
        (Decimal("1.50"), "1.5"),
    ],
)
def test_what_was_found_is_one_short_printable_line(kind: object, shown: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ClusterStatusRule.model_validate({"kind": kind})
    (found,) = [each for each in problems(caught.value, ClusterStatusRule) if each.location == ("kind",)]
    assert found.message.startswith(f"kind is {shown}, expected ClusterStatusRule")


@pytest.mark.parametrize("data", [None, [], 3])
def test_a_document_that_is_no_object(data: object) -> None:
    with pytest.raises(ValidationError) as caught:
        ClusterStatusRule.model_validate(data)
    (found,) = problems(caught.value, ClusterStatusRule)
    assert (found.message, found.location) == ("the document must be an object", ())


def test_an_unknown_field_with_a_hostile_name_is_escaped() -> None:
    with pytest.raises(ValidationError) as caught:
        ClusterStatusRule.model_validate({"x\n\u202e": 1})
    (found,) = [each for each in problems(caught.value, ClusterStatusRule) if each.code == "unknown-field"]
    assert found.message.startswith(r"unknown field 'x\n\u202e', expected one of")
