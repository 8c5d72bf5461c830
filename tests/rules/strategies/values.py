"""Values of fields: honest ones, their neighbours, and what has no business being there."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

Values: TypeAlias = st.SearchStrategy[Any]


def _joined(*parts: list[str]) -> Values:
    return st.tuples(*map(st.sampled_from, parts)).map("".join)


_ODD_COUNTS: Final = [-1, 2.0, Decimal("2.0"), Decimal("2.5"), 0.1, Decimal("0.1"), -0.0, "2", True, False]
_LONG_COUNTS: Final = [
    2**53,
    2**53 + 1,
    10**30,
    Decimal("1E+30"),
    10**400,
    Decimal("1E-400"),
    Decimal("0.1234567890123456789"),
]
COUNTS: Final[Values] = st.integers(0, 4) | st.sampled_from([*_ODD_COUNTS, *_LONG_COUNTS])

GENERATIONS: Final[Values] = st.integers(0, 4) | st.sampled_from([-1, 2.0, Decimal("2.5"), 10**30, "2", True])

_STATES: Final = ["A", "B", "", "True", "true", True, False, "3", 3, Decimal("3.0"), 3.0, "é", "😀 b", {}, []]
_FRACTIONS: Final = ["0.5", Decimal("0.50"), 1e-7, Decimal("1E-7"), 1e21, 10**21, Decimal("-0")]
WORDS: Final[Values] = st.sampled_from([*_STATES, *_FRACTIONS])

_SECONDS: Final = ["2026-01-01T00:00:00", "2026-01-01T00:00:01", "2025-12-31T23:00:00", "2024-02-29t23:59:59"]
_OF_A_SECOND: Final = ["", ".0", ".1", ".10", ".1000000000001", ".0999999999999"]
_OFFSETS: Final = ["Z", "z", "+00:00", "-00:00", "+01:00", "-23:59"]
_ODD_TIMES: Final = [
    "0000-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "2026-02-29T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:60Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00Z ",
    "2026-01-01T00:00:00",
    "2026-01-01",
    "٢026-01-01T00:00:00Z",
]
TIMES: Final[Values] = _joined(_SECONDS, _OF_A_SECOND, _OFFSETS) | st.sampled_from(_ODD_TIMES)

_FIGURES: Final = ["0", "1", "1.0", "1.5", "1000", "1024", ".5", "5.", "0.1234567890123456789"]
_UNITS: Final = ["", "", "k", "Ki", "m", "M", "Mi", "n", "u", "E", "Ei", "e3", "E3", "e-3", "e400", "K", "e", " "]
_ODD_QUANTITIES: Final = [".", "", "1_000", "٣", "0x1", "1e+3", "1E+3", "--1"]
QUANTITIES: Final[Values] = _joined(["", "", "+", "-"], _FIGURES, _UNITS) | st.sampled_from(_ODD_QUANTITIES)

MEASURES: Final[Values] = COUNTS | TIMES | QUANTITIES

JUNK: Final[Values] = st.sampled_from(
    ["", "x", 0, True, [], {}, [None], [[]], {"x": None}, {"x": {"x": 1}}, [{"type": "Ready"}], [{}, 3, "x"], 10**400]
)

ANYTHING: Final[Values] = COUNTS | WORDS | TIMES | JUNK
