from __future__ import annotations

import pytest

from tests.rules.judging import violations
from webhook.observe.regression import FARTHEST, generations_back

KIND = "{observedGeneration: {ignoreValues: [-1]}}"


def back(old: str, new: str, invariant: str = KIND, field: str = "observedGeneration") -> float | None:
    """Return how far the one violation of a write went back."""
    sides = (f"{{metadata: {{generation: 7}}, status: {{{field}: {value}}}}}" for value in (old, new))
    (violation,) = violations(*sides, invariant)
    return generations_back(violation)


@pytest.mark.parametrize(
    ("old", "new", "generations"), [("5", "4", 1), ("7", "1", 6), ("2.5", "1", 1.5), ("7", str(-(10**300)), FARTHEST)]
)
def test_it_is_the_difference(old: str, new: str, generations: float) -> None:
    assert back(old, new) == generations


@pytest.mark.parametrize(("old", "new"), [("5", "9"), ("5", "0"), ("5", "null"), ("5", "'4'")])
def test_what_is_ahead_or_cleared_did_not_go_back(old: str, new: str) -> None:
    assert back(old, new) is None


def test_another_kind_has_no_generations() -> None:
    assert back("5", "4", "{frozen: {fields: [status.a]}}", "a") is None
