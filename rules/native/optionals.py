"""Reading of members that may not be there, as optionals: in one step for each name, with nothing to be bound."""

from __future__ import annotations

from collections.abc import Sequence

from rules.native.expression import MEMBER, Expression, call, is_selectable, quote


def member_or(target: Expression, keys: Sequence[str], otherwise: Expression) -> Expression:
    """Return a member of a map, of a member of it and so on, or something else if it is not there; null where it is null.

    It fails if one of them is a list, and takes whatever else is no map for one without members.
    """
    steps = "".join(f".?{key}" if is_selectable(key) else f"[?{quote(key)}]" for key in keys)
    if not all(map(is_selectable, keys)):
        # Of what is found by an index CEL would think that it has the type of what is there otherwise.
        otherwise = call("dyn", otherwise)
    optional = Expression(f"{target.within(MEMBER)}{steps}", MEMBER, target.cost + len(keys))
    return _or_value(optional, otherwise)


def or_else(value: Expression, otherwise: Expression) -> Expression:
    """Return what `member_or` returns, with something else for what is not there."""
    return _or_value(optional_of(value), call("dyn", otherwise) if "[?" in value.optional else otherwise)


def optional_of(value: Expression) -> Expression:
    """Return what `member_or` reads as an optional."""
    return Expression(value.optional, MEMBER, value.cost)


def _or_value(optional: Expression, otherwise: Expression) -> Expression:
    text = f"{optional.text}.orValue({otherwise.text})"
    return Expression(text, MEMBER, optional.cost + otherwise.cost + 1, optional=optional.text)
