"""Texts in the suspect form: short ones only, because the API server charges for the length of what is compared."""

from __future__ import annotations

from collections.abc import Sequence

from rules.native.expression import Expression, all_of, compare, is_type, literal, method
from rules.native.limits import MAX_TEXT


def is_short_text(value: Expression) -> Expression:
    """Return that a value is a text that may be compared: the API server charges for its length."""
    return all_of(is_type(value, "string"), compare(method(value, "size"), "<=", literal(MAX_TEXT)))


def same_text(old: Expression, new: Expression) -> Expression:
    """Return that two values, one of which is a short text, are equal."""
    same = compare(old, "==", new)
    return Expression(same.text, same.level, same.cost + MAX_TEXT // 10, same.opposite)


def matched(value: Expression, patterns: Sequence[str]) -> Expression:
    """Return that a short text matches one of the patterns as a whole."""
    whole = literal(rf"\A(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})\z")
    found = method(value, "matches", whole)
    return Expression(found.text, found.level, found.cost + MAX_TEXT * len(whole.text) // 40)


def is_ascii(value: Expression) -> Expression:
    """Return that a text holds printable ASCII only."""
    return method(value, "matches", literal(r"\A[ -~]*\z"))
