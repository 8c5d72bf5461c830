from __future__ import annotations

import pytest

from rules.invariants import KINDS
from rules.invariants.kind import Kind


def test_the_kinds_of_the_contract() -> None:
    assert list(KINDS) == [
        "cel",
        "coUpdate",
        "conditions",
        "frozen",
        "monotonic",
        "observedGeneration",
        "preserved",
        "relation",
        "require",
        "transitions",
        "writeOnce",
    ]


def test_waiting_for_the_cache_cures() -> None:
    cured = {name for name, kind in KINDS.items() if kind.cured_by_waiting}
    assert cured == {"observedGeneration", "monotonic", "coUpdate", "preserved", "writeOnce"}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_and_field_is_described(kind: type[Kind]) -> None:
    assert kind.__doc__
    assert all(field.description for field in kind.model_fields.values())
