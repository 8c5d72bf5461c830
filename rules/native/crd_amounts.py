"""The numbers of a relation in a CustomResourceDefinition's own validations: fields, and sums over many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rules.fieldpath import FieldPath
from rules.native.amounts import NESTED
from rules.native.crd_field import Field, is_item, same_field
from rules.native.crd_losses import DOUBLE, OVERFLOW
from rules.native.expression import (
    FALSE,
    TRUE,
    ZERO,
    Expression,
    all_of,
    any_of,
    choose,
    compare,
    listed,
    literal,
    macro,
    method,
    negate,
)
from rules.native.form import Amount, CannotSayError, Side
from rules.native.limits import MAX_TURNS
from rules.native.losses import SUM_OF_MAP, SUM_ORDER, TWINS
from rules.native.reader import SIDES
from rules.native.reads import EMPTY_LIST
from rules.path_syntax import Items, Keyed, MapValues, Name
from rules.relations import Relation

if TYPE_CHECKING:
    from rules.native.crd_form import CrdForm

_NUMBERS: Final = frozenset({"int", "double"})
_FRACTIONS: Final = "adds up numbers that need not be integers"


def amounts_of(form: CrdForm, relation: Relation) -> list[Amount]:
    """Return the numbers of a relation, in its order. Raises CannotSayError."""
    adds = len(relation.left) > 1 or len(relation.right) > 1
    if adds:
        form.lose(OVERFLOW)
    return [_single(form, path, adds=adds) if path.names_one_value else _sum(form, path) for path in relation.paths]


def same_numbers(form: CrdForm, path: FieldPath) -> Expression:
    """Return that what a relation reads along a path did not change. Raises CannotSayError."""
    if path.names_one_value:
        return form.same(form.field("old", path), form.field("new", path))
    old, new = (form.along(side, path)[0] for side in SIDES)
    if new.type == "map":
        if len(form.along("new", path)[1]) > 1:
            form.lose(SUM_OF_MAP)
        return same_field(old, new)
    _, segment, each_old, value_old = _summed(form, "old", path)
    _, _, each_new, value_new = _summed(form, "new", path)
    if isinstance(segment, Keyed):
        form.lose(SUM_ORDER)
    was, is_ = (
        macro(side.it, "map", each.text, choose(value.present, listed(value.it), EMPTY_LIST), MAX_TURNS)
        for side, each, value in ((old, each_old, value_old), (new, each_new, value_new))
    )
    return choose(new.present, all_of(old.present, compare(was, "==", is_)), negate(old.present))


def _single(form: CrdForm, path: FieldPath, *, adds: bool) -> Amount:
    field = form.field("new", path)
    if field.type == "double":
        form.lose(DOUBLE)
        if adds:
            raise CannotSayError(_FRACTIONS)
    # Of an absent field a relation that skips it asks nothing more.
    total = field.it if form.skips_absent and field.type in _NUMBERS else _or_zero(field)
    return Amount(field.absent, field.absent, FALSE, any_of(field.absent, _is_number(field)), total)


def _or_zero(field: Field) -> Expression:
    return choose(field.is_a("int", "double"), field.it, ZERO)


def _is_number(field: Field) -> Expression:
    return TRUE if field.type in _NUMBERS else field.is_a("int")


def _sum(form: CrdForm, path: FieldPath) -> Amount:
    many, segment, each, value = _summed(form, "new", path)
    if value.type == "double":
        raise CannotSayError(_FRACTIONS)
    form.lose(OVERFLOW)
    if isinstance(segment, Keyed) and not many.is_map_by(segment.keys):
        form.lose(TWINS)
    counted = is_item(many.each(each), segment.keys) if isinstance(segment, Keyed) else TRUE
    is_integer = many.all(each, any_of(negate(counted), value.absent, _is_number(value)))
    absent = all_of(many.some(each, counted), many.all(each, any_of(negate(counted), value.absent)))
    if value.present.text == "true":
        absent = FALSE
    incomplete = many.some(each, all_of(counted, value.absent))
    body = choose(all_of(counted, value.present), _or_zero(value.surely), literal(0))
    total = method(macro(many.it, "map", each.text, body, MAX_TURNS), "sum")
    return Amount(any_of(many.absent, absent), incomplete, many.absent, is_integer, total)


def _summed(form: CrdForm, side: Side, path: FieldPath) -> tuple[Field, Items | Keyed | MapValues, Expression, Field]:
    """Return the list or map, the step through it, the name of an item or key, and what is added up of it."""
    many, rest = form.along(side, path)
    segment, *after = rest
    assert isinstance(segment, Items | Keyed | MapValues)  # noqa: S101  a path that names many values
    if many.type != ("map" if isinstance(segment, MapValues) else "list"):
        raise CannotSayError(f"{path}: {many.path.removeprefix('.')} is {many.schema.title} in the schema")
    form.looped(many)
    with form.names.bound("k" if isinstance(segment, MapValues) else "i") as each:
        value = many.each(each)
        for step in after:
            if not isinstance(step, Name):
                raise CannotSayError(NESTED)
            below = value.child(step.name)
            if below is None:
                raise CannotSayError(f"{path} is not in the schema")
            value = below
        return many, segment, each, value
