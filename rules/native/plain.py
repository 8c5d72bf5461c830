"""Values without doubles: only these may be compared as a whole.

CEL takes 9007199254740993 and 9007199254740992.0 for equal, and the new object of a request may hold either.
"""

from __future__ import annotations

from rules.native.expression import (
    Expression,
    all_of,
    call,
    choose,
    compare,
    is_type,
    item,
    listed,
    literal,
    macro,
    method,
)
from rules.native.limits import MAX_MEMBERS
from rules.native.names import Names


def is_plain(names: Names, value: Expression, depth: int) -> Expression:
    """Return that nothing in a value is a double; what is deeper than `depth`, or has many members, is given up."""
    if depth == 0:
        return all_of(*(_is_no(value, kind) for kind in ("map", "list", "double")))
    small = compare(method(value, "size"), "<=", literal(MAX_MEMBERS))
    with names.bound("k") as key:
        members = macro(value, "map", key.text, item(value, key), MAX_MEMBERS)
        in_map, in_list = (all_of(is_type(value, kind), small) for kind in ("map", "list"))
        parts = choose(in_map, members, choose(in_list, value, listed(value)))
        return macro(parts, "all", key.text, is_plain(names, key, depth - 1), MAX_MEMBERS)


def _is_no(value: Expression, kind: str) -> Expression:
    return compare(call("type", value), "!=", Expression(kind, cost=0))
