"""Kubernetes quantities (`500m`, `1Gi`, `1e3`), exact at any size.

The grammar is that of `k8s.io/apimachinery/pkg/api/resource`, without its rounding up to nano and its cap at 2**63-1.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Final

from rules.values import MAX_EXPONENT, Number

_QUANTITY: Final = re.compile(
    r"([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([eE][+-]?\d+)|([numkMGTPE]?))",
    re.ASCII,
)
_BINARY: Final = {unit: 1024**power for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)}
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def quantity(value: Any) -> Number | None:
    """Return the exact number that a quantity string stands for, or None if it is none."""
    if type(value) is not str or len(value) > MAX_EXPONENT:
        return None
    match = _QUANTITY.fullmatch(value)
    if match is None:
        return None
    sign, figures, binary, exponent, suffix = match.groups()
    factor: Number
    if binary:
        factor = _BINARY[binary]
    else:
        power = int(exponent[1:]) if exponent else _DECIMAL[suffix or ""]
        if abs(power) > MAX_EXPONENT:
            return None
        factor = 10**power if power >= 0 else Fraction(1, 10**-power)
    amount = Fraction(figures.rstrip(".")) * factor
    if sign == "-":
        amount = -amount
    return amount.numerator if amount.denominator == 1 else amount
