"""Times and quantities in CEL."""

from __future__ import annotations

from typing import Final

from rules.native.expression import Expression, add, all_of, call, compare, literal, method
from rules.native.value import Value

RFC_3339: Final = (
    r"\A[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?"
    r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])\z"
)
"""What is taken for a time. CEL reads none before the year 1; a day that its month does not have is still an error."""

_DAY: Final = r"((0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)"
PLAIN_TIMES: Final = rf"\A([1-9]\d{{3}}-{_DAY}T([01]\d|2[0-3])(:[0-5]\d){{2}}Z){{2}}\z"
"""Two times in a row as controllers write them (UTC, to the second): they sort as text. 29 February is left out."""

_PLAIN: Final = len("2026-01-01T00:00:00Z")


def in_order(old: Value, new: Value) -> Expression:
    """Return that two values are plain times, and the second is not the earlier. Nothing in it can fail."""
    sides = (old, new)
    texts = (value.is_a("string") for value in sides)
    sizes = (compare(method(value.it, "size"), "==", literal(_PLAIN)) for value in sides)
    matched = method(add(old.it, "+", new.it), "matches", literal(PLAIN_TIMES))
    # The API server charges a tenth of the text times a quarter of the pattern.
    priced = Expression(matched.text, matched.level, matched.cost + (2 * _PLAIN // 10 + 1) * len(PLAIN_TIMES) // 4)
    return all_of(*texts, *sizes, priced, compare(new.it, ">=", old.it))


def is_time(value: Value) -> Expression:
    """Return that a value is a time."""
    return all_of(value.is_a("string"), method(value.it, "matches", literal(RFC_3339)))


def is_quantity(value: Value) -> Expression:
    """Return that a value is a quantity in a string."""
    return all_of(value.is_a("string"), call("isQuantity", value.it))


def as_quantity(value: Value) -> Expression:
    """Return a number or a quantity as a quantity."""
    return call("quantity", call("string", value.it))
