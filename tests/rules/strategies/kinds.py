"""Every kind of invariant."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from .groups import EVIDENCE, co_update
from .invariants import (
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
