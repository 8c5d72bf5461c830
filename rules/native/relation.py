"""A relation between numbers in CEL: what `relation` and the identity of `coUpdate` share."""

from __future__ import annotations

from collections.abc import Iterator

from rules.native.expression import TRUE, Expression, add, all_of, any_of, compare, literal
from rules.native.form import Amount, CannotSayError, Form
from rules.native.limits import MAX_SUMMAND
from rules.relations import MissingPolicy, Relation, Term


def relation_holds(form: Form, relation: Relation, missing: MissingPolicy) -> Expression:
    """Return that a relation holds, is to be skipped, or that its numbers did not change. Raises CannotSayError."""
    if any(isinstance(term.value, int) and abs(term.value) > MAX_SUMMAND for term in relation.left + relation.right):
        raise CannotSayError("compares with a number beyond 2^53")

    def judged(amounts: list[Amount]) -> Expression:
        found = iter(amounts)
        comparison = compare(_sum(relation.left, found), relation.comparison, _sum(relation.right, found))
        if missing == "Zero":
            skipped = all_of(*(amount.absent for amount in amounts))
        else:
            skipped = any_of(*(amount.incomplete for amount in amounts))
        integers = all_of(*(amount.is_integer for amount in amounts))
        fine = any_of(comparison, skipped) if form.is_quick else any_of(skipped, comparison)
        formula = form.assuming(integers, fine, TRUE)
        return form.unless_same(
            form.same_numbers(relation.paths), any_of(*(amount.skipped for amount in amounts), formula)
        )

    return form.amounts(relation, judged)


def _sum(terms: tuple[Term, ...], amounts: Iterator[Amount]) -> Expression:
    total: Expression | None = None
    for term in terms:
        value = literal(term.value) if isinstance(term.value, int) else next(amounts).total
        total = value if total is None else add(total, "+" if term.sign > 0 else "-", value)
    assert total is not None  # noqa: S101  the grammar wants one term at least
    return total
