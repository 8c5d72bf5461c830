"""Reading of an object whose types are unknown: every step is guarded, so that nothing can fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.native.expression import (
    LIST,
    MAP,
    NULL,
    TRUE,
    Expression,
    all_of,
    any_of,
    call,
    choose,
    compare,
    has,
    is_type,
    item,
    listed,
    literal,
    macro,
    member,
    method,
)
from rules.native.form import CannotSayError
from rules.native.limits import MAX_NAMES
from rules.native.names import Names
from rules.native.state import may_be_written_otherwise
from rules.path_syntax import Name, Segment, Select

EMPTY_LIST: Final = Expression("[]", cost=LIST)
EMPTY_MAP: Final = Expression("{}", cost=MAP)


def run_of_names(segments: Sequence[Segment]) -> tuple[list[str], Sequence[Segment]]:
    """Return the names with which a path begins, and the rest."""
    names: list[str] = []
    for segment in segments:
        if not isinstance(segment, Name):
            break
        names.append(segment.name)
    return names, segments[len(names) :]


def leaf(
    base: Expression, names: Sequence[str], *, is_map: bool, or_null: bool = False
) -> tuple[Expression, Expression]:
    """Return that a member of a member is there (null or not), and the member; `or_null`: the base is a map or null."""
    if len(names) > MAX_NAMES:
        raise CannotSayError(f"a path of more than {MAX_NAMES} names")
    guard = is_set(base) if or_null else is_type(base, "map")
    guards = [TRUE if is_map or not names else guard]
    for index, each in enumerate(names):
        if index:
            guards.append(is_type(base, "map"))
        guards.append(has(base, each))
        base = member(base, each)
    return all_of(*guards), base


def value_or_null(base: Expression, names: Sequence[str], *, is_map: bool, or_null: bool = False) -> Expression:
    """Return a member, or null."""
    there, value = leaf(base, names, is_map=is_map, or_null=or_null)
    return choose(there, value, NULL)


def typed_or(base: Expression, names: Sequence[str], kind: str, otherwise: Expression, *, is_map: bool) -> Expression:
    """Return a member if it has a type, else something else."""
    there, value = leaf(base, names, is_map=is_map)
    return choose(all_of(there, is_type(value, kind)), value, otherwise)


def is_selected(each: Expression, select: Select) -> Expression:
    """Return that an item of a list is what `[key=value]` names."""
    tests = [is_type(each, "map")]
    for key, wanted in select.keys:
        value = member(each, key)
        tests += [has(each, key), compare(value, "==", literal(wanted))]
        if may_be_written_otherwise(wanted):
            scalar = any_of(*(is_type(value, kind) for kind in ("bool", "int", "double")))
            as_text = compare(call("string", value), "==", literal(wanted))
            tests[-1] = any_of(tests[-1], all_of(scalar, as_text))
    return all_of(*tests)


def is_item(each: Expression, keys: Sequence[str]) -> Expression:
    """Return that an item of a list is an object with these keys, none of them null."""
    tests = [is_type(each, "map")]
    for key in keys:
        tests += [has(each, key), is_set(member(each, key))]
    return all_of(*tests)


def is_set(value: Expression) -> Expression:
    """Return that a value is not null."""
    return compare(value, "!=", NULL)


def same_keys(left: Expression, right: Expression, keys: Sequence[str]) -> Expression:
    """Return that two items that have these keys have the same."""
    return all_of(*(compare(member(left, key), "==", member(right, key)) for key in keys))


def first(items: Expression, select: Select, names: Names, turns: int, *, bounded: bool) -> Expression:
    """Return the item of a list that `[key=value]` names, or null; `bounded`: null too if there are more than `turns` items."""
    with names.bound("c") as each:
        found = macro(items, "filter", each.text, is_selected(each, select), turns)
    if bounded:
        found = choose(compare(method(items, "size"), "<=", literal(turns)), found, EMPTY_LIST)
    with names.bound("f") as variable:
        none = compare(method(variable, "size"), "==", literal(0))
        one = choose(none, NULL, item(variable, literal(0)))
        return item(macro(listed(found), "map", variable.text, one, 1), literal(0))
