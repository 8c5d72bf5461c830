"""Times and quantities in CEL."""

from __future__ import annotations

from typing import Final

from rules.native.expression import Expression, all_of, call, literal, method
from rules.native.value import Value

RFC_3339: Final = (
    r"\A[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?"
    r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])\z"
)
"""What is taken for a time. CEL reads none before the year 1; a day that its month does not have is still an error."""


def is_time(value: Value) -> Expression:
    """Return that a value is a time."""
    return all_of(value.is_a("string"), method(value.it, "matches", literal(RFC_3339)))


def is_quantity(value: Value) -> Expression:
    """Return that a value is a quantity in a string."""
    return all_of(value.is_a("string"), call("isQuantity", value.it))


def as_quantity(value: Value) -> Expression:
    """Return a number or a quantity as a quantity."""
    return call("quantity", call("string", value.it))
