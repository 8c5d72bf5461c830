from __future__ import annotations

import pytest
from pydantic import ValidationError

from rules.denial import REASONS, Denial


@pytest.mark.parametrize(
    ("code", "reason", "pair"),
    [
        (409, None, (409, "Conflict")),
        (409, "AlreadyExists", (409, "AlreadyExists")),
        (None, "Invalid", (422, "Invalid")),
        (None, "Expired", (410, "Expired")),
        (403, "Forbidden", (403, "Forbidden")),
        (504, None, (504, "Timeout")),
    ],
)
def test_the_part_left_out_follows(code: int | None, reason: str | None, pair: tuple[int, str]) -> None:
    assert Denial(code=code, reason=reason).pair() == pair


@pytest.mark.parametrize(("code", "reason"), [(None, None), (200, None), (399, None), (600, None), (1000, None)])
def test_codes_are_400_to_599(code: int | None, reason: str | None) -> None:
    with pytest.raises(ValidationError):
        Denial(code=code, reason=reason)


def test_only_a_pair_that_belongs_together_is_taken() -> None:
    reasons = {reason for named in REASONS.values() for reason in named}
    for code, named in REASONS.items():
        assert 400 <= code <= 599
        for reason in reasons:
            if reason in named:
                assert Denial(code=code, reason=reason).pair() == (code, reason)
            else:
                with pytest.raises(ValidationError, match="does not belong"):
                    Denial(code=code, reason=reason)
