"""What a relation reads before and after: a relation is judged only if one of its numbers changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.fieldpath import FieldPath
from rules.native.expression import NULL, Expression, all_of, choose, compare, macro
from rules.native.form import Side
from rules.native.losses import SUM_OF_MAP, SUM_ORDER
from rules.native.reader import SIDES
from rules.native.reads import EMPTY_LIST, is_item, is_set, run_of_names, value_or_null
from rules.path_syntax import Items, Keyed, MapValues

if TYPE_CHECKING:
    from rules.native.dynamic import DynamicForm


def is_same_read(form: DynamicForm, path: FieldPath) -> Expression:
    """Return that what a path of a relation leads to did not change."""
    if path.names_one_value:
        return compare(form.single("old", path), "==", form.single("new", path))
    was_there, is_there = (compare(form.many(side, path)[0], "!=", NULL) for side in SIDES)
    old, new = (_values(form, side, path) for side in SIDES)
    return all_of(compare(was_there, "==", is_there), compare(old, "==", new))


def _values(form: DynamicForm, side: Side, path: FieldPath) -> Expression:
    """Return all values that a sum adds up."""
    many, (segment, *after) = form.many(side, path)
    names, _ = run_of_names(after)
    if isinstance(segment, MapValues):
        if names:
            form.lose(SUM_OF_MAP)
        return many
    if isinstance(segment, Keyed):
        form.lose(SUM_ORDER)
    with form.names.bound("i") as each:
        value = value_or_null(each, names, is_map=True) if names else each
        counted = is_item(each, segment.keys if isinstance(segment, Keyed) else ())
        if isinstance(segment, Items) and not names:
            counted = is_set(each)
        found = macro(macro(many, "filter", each.text, counted, form.turns), "map", each.text, value, form.turns)
    return choose(compare(many, "==", NULL), EMPTY_LIST, found)
