"""The numbers of a relation in CEL: fields, and sums over many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from rules.fieldpath import FieldPath
from rules.native.expression import (
    FALSE,
    NULL,
    TRUE,
    Expression,
    all_of,
    any_of,
    choose,
    compare,
    item,
    literal,
    macro,
    method,
    negate,
)
from rules.native.form import Amount, CannotSayError
from rules.native.limits import MAX_SUMMAND, MAX_SUMMED, MAX_TURNS
from rules.native.losses import TWINS
from rules.native.reads import is_item, is_set, run_of_names, value_or_null
from rules.native.value import dynamic, number
from rules.path_syntax import Items, Keyed, MapValues, Segment
from rules.relations import Relation

if TYPE_CHECKING:
    from rules.native.dynamic import DynamicForm

NESTED: Final = "sums over items of items"


def amounts_of(form: DynamicForm, relation: Relation, then: Callable[[list[Amount]], Expression]) -> Expression:
    """Return what holds of the numbers that the paths of a relation lead to."""
    adds = len(relation.left) > 1 or len(relation.right) > 1
    return _next(form, list(relation.paths), [], then, MAX_SUMMAND if adds else None)


def _next(
    form: DynamicForm,
    paths: list[FieldPath],
    found: list[Amount],
    then: Callable[[list[Amount]], Expression],
    largest: int | None,
) -> Expression:
    if not paths:
        return then(found)
    path, *others = paths

    def go_on(amount: Amount) -> Expression:
        return _next(form, others, [*found, amount], then, largest)

    if path.names_one_value:
        value = form.single("new", path)
        holds = form.names.let(value, "n", lambda each: go_on(_single(form, each, largest)))
        return form.within_bounds("new", path, holds)
    many, rest = form.many("new", path)
    if not isinstance(rest[0], Items | Keyed | MapValues):
        raise CannotSayError(NESTED)
    return go_on(_sum(form, many, rest))


def _single(form: DynamicForm, value: Expression, largest: int | None) -> Amount:
    field = dynamic(value)
    is_integer = any_of(field.absent, form.is_summand(field, largest))
    return Amount(field.absent, field.absent, FALSE, is_integer, number(field, "int"))


def _sum(form: DynamicForm, many: Expression, rest: Sequence[Segment]) -> Amount:
    segment, *after = rest
    names, more = run_of_names(after)
    if more:
        raise CannotSayError(NESTED)
    is_gone = compare(many, "==", NULL)
    with form.names.bound("i") as each:
        holder = item(many, each) if isinstance(segment, MapValues) else each
        is_map = not isinstance(segment, MapValues)
        value = value_or_null(holder, names, is_map=is_map) if names else holder
        field = dynamic(value)
        if isinstance(segment, MapValues):
            counted = is_set(holder)
        elif isinstance(segment, Keyed):
            counted = is_item(each, segment.keys)
            form.lose(TWINS)
        else:
            counted = is_item(each, ()) if names else is_set(each)
        of = each.text

        def some(test: Expression) -> Expression:
            return macro(many, "exists", of, all_of(counted, test), MAX_TURNS)

        def all_are(test: Expression) -> Expression:
            return macro(many, "all", of, any_of(negate(counted), test), MAX_TURNS)

        unset = negate(is_set(value)) if value.text == of else field.absent
        is_integer = all_of(form.sure_items(many, segment), all_are(any_of(unset, form.is_summand(field, MAX_SUMMED))))
        absent = all_of(some(TRUE), all_are(unset))
        total = method(macro(many, "map", of, choose(counted, number(field, "int"), literal(0)), MAX_TURNS), "sum")
        return Amount(any_of(is_gone, absent), some(unset), is_gone, is_integer, total)
