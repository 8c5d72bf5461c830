"""What makes no difference to the compiled rules: values that are equal, orders that say nothing, the form of the objects."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import msgspec
from hypothesis import given

from tests.oracle import NO_PATCH, Write
from webhook.review import decode

from .comparison import compiled, said_by_rules
from .strategies import Case, cases, reordered_cases
from .strategies.kinds import ANY


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
