"""Predicates in CEL: what `when` asks and what `require` demands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rules.native.expression import FALSE, TRUE, Expression, all_of, any_of, negate
from rules.native.form import Form
from rules.native.value import Single, Value
from rules.predicates import Predicate


def holds(form: Form, predicate: Predicate, single: Single) -> Expression:
    """Return that a predicate holds; in the suspect form, that it surely does."""
    value = single.old if predicate.of == "old" else single.new
    return form.assuming(_sure(form, predicate, value), _formula(form, predicate, value))


def fails(form: Form, predicate: Predicate, single: Single) -> Expression:
    """Return that a predicate does not hold; in the suspect form, that it surely does not."""
    value = single.old if predicate.of == "old" else single.new
    return form.assuming(_sure(form, predicate, value), negate(_formula(form, predicate, value)))


def _sure(form: Form, predicate: Predicate, value: Value) -> Expression:
    if predicate.operator in {"In", "NotIn"}:
        return form.sure_states([value], predicate.values or ())
    return form.sure_match(value) if predicate.operator == "Matches" else TRUE


def _formula(form: Form, predicate: Predicate, value: Value) -> Expression:
    values = predicate.values or ()
    match predicate.operator:
        case "Exists":
            return value.present
        case "DoesNotExist":
            return value.absent
        case "Matches":
            return form.matches(value, values)
        case "In":
            return _is_listed(form, value, values)
        case "NotIn":
            return any_of(value.absent, negate(_is_listed(form, value, values)))


def _is_listed(form: Form, value: Value, values: Sequence[str]) -> Expression:
    return form.let_state(value, values, lambda state: state.is_named(values))


def guarded(form: Form, when: Sequence[Predicate], then: Callable[[Expression, Expression], Expression]) -> Expression:
    """Return what `then` makes of: that `when` does not hold, and that nothing that it reads changed."""
    if not when:
        return then(FALSE, TRUE)

    def made(singles: list[Single]) -> Expression:
        refuted = any_of(*(fails(form, each, single) for each, single in zip(when, singles, strict=True)))
        unchanged = all_of(*(form.same_deep(single.old, single.new) for single in singles))
        return then(refuted, unchanged)

    return form.singles([each.field for each in when], made)
