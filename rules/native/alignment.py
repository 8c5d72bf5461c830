"""Items of two lists paired by index, which is linear; whatever is not where it was is a suspect, but in a short list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.native.expression import (
    NULL,
    TRUE,
    Expression,
    all_of,
    any_of,
    choose,
    compare,
    has,
    is_type,
    item,
    let,
    listed,
    literal,
    macro,
    member,
    method,
)
from rules.native.limits import MAX_NESTED_TWINS, MAX_TURNS, MAX_TWINS
from rules.native.plain import is_plain
from rules.native.reader import ItemPair
from rules.native.reads import EMPTY_LIST
from rules.native.texts import is_short_text, same_text
from rules.native.value import Visit

if TYPE_CHECKING:
    from rules.native.dynamic import DynamicForm


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pairs items by index if their keys are the same; items beyond the end of the old list are new ones.

    A short list with one key, which a controller may have put into another order, is brought into the new order first.
    """

    form: DynamicForm
    keys: Sequence[str]

    @property
    def _twins(self) -> int:
        return MAX_TWINS if self.form.turns == MAX_TURNS else MAX_NESTED_TWINS

    def items(self, old: Expression, new: Expression, visit: Visit, pair: ItemPair) -> Expression:
        """Return what must hold of all items of both lists."""
        form, length = self.form, method(old, "size")
        is_paired, before = self._paired(old, new)
        with form.names.bound("i") as index, form.names.bound("e") as each:
            counterpart = item(before, index)
            was_there = compare(index, "<", method(before, "size"))
            if before.text != old.text:
                was_there = all_of(was_there, compare(counterpart, "!=", NULL))
            fresh = pair(None, each)
            added = TRUE if fresh.text == "true" else all_of(is_type(each, "map"), fresh)
            body = choose(was_there, pair(counterpart, each), added)
            judged = TRUE if body.text == "true" else macro(new, "all", f"{index.text}, {each.text}", body, form.turns)
        parts = [] if visit.gone is None else [compare(method(new, "size"), ">=", length)]
        if visit.gone is not None and before.text != old.text:
            parts.append(self._all_found(before, length))
        parts += [self.is_unique(new)] if visit.unique else []
        return all_of(is_paired, *parts, judged)

    def _paired(self, old: Expression, new: Expression) -> tuple[Expression, Expression]:
        """Return that the items can be paired, and the old ones in the order of the new ones: null where there is none."""
        variables = self.form.variables
        is_aligned = self._are_aligned(old, new)
        if not (variables.has(old) and variables.has(new)):
            return is_aligned, old
        stem = new.text.removeprefix(variables.prefix)
        is_aligned = variables.named(f"{stem}_aligned", is_aligned)
        if len(self.keys) > 1:
            return is_aligned, old
        is_paired = variables.named(
            f"{stem}_paired", any_of(is_aligned, all_of(self.is_unique(old), self.is_unique(new)))
        )
        reordered = self._reordered(old, new)
        before = choose(is_aligned, old, choose(is_paired, reordered, EMPTY_LIST))
        return is_paired, variables.named(f"{stem}_before", before)

    def _reordered(self, old: Expression, new: Expression) -> Expression:
        """Return the old items in the order of the new ones; both have texts as keys, each once."""
        (key,) = self.keys
        names = self.form.names
        with names.bound("t") as known, names.bound("e") as each:
            index = method(known, "indexOf", member(each, key))
            one = choose(compare(index, "<", literal(0)), NULL, item(old, index))
            found = macro(
                new, "map", each.text, Expression(one.text, one.level, one.cost + 2 * self._twins), self._twins
            )
            return item(macro(listed(self._keys_of(old)), "map", known.text, found, 1), literal(0))

    def _keys_of(self, items: Expression) -> Expression:
        with self.form.names.bound("c") as each:
            return macro(items, "map", each.text, member(each, self.keys[0]), self._twins)

    def _are_aligned(self, old: Expression, new: Expression) -> Expression:
        form, length = self.form, method(old, "size")
        with form.names.bound("i") as index, form.names.bound("e") as each:
            aligned = any_of(compare(index, ">=", length), self._is_aligned(item(old, index), each))
            aligned = macro(new, "all", f"{index.text}, {each.text}", aligned, form.turns)
        bounds = (compare(method(side, "size"), "<=", literal(form.turns)) for side in (old, new))
        return all_of(*bounds, aligned)

    def _all_found(self, before: Expression, length: Expression) -> Expression:
        """Return that every old item is among those that were found for the new ones."""
        with self.form.names.bound("x") as each:
            found = macro(before, "filter", each.text, compare(each, "!=", NULL), self.form.turns)
        return compare(method(found, "size"), "==", length)

    def _is_aligned(self, before: Expression, after: Expression) -> Expression:
        """Return that two items are objects with the same keys."""
        tests = [is_type(before, "map"), is_type(after, "map")]
        for key in self.keys:
            old, new = member(before, key), member(after, key)
            tests += [has(before, key), has(after, key)]
            if is_reference(key):
                tests += [is_plain(self.form.names, new, depth=1), compare(listed(old), "==", listed(new))]
            else:
                tests += [is_short_text(new), same_text(old, new)]
        return all_of(*tests)

    def is_unique(self, items: Expression) -> Expression:
        """Return that the items of a short list are objects with texts as keys, no two with the same."""
        names = self.form.names
        with names.bound("a") as one:
            named = [is_type(one, "map")]
            for key in self.keys:
                named += [has(one, key), is_short_text(member(one, key))]
            are_named = macro(items, "all", one.text, all_of(*named), self._twins)
        are_alone = (
            self._are_alone(items) if self.form.pairs_lists and len(self.keys) == 1 else self._have_no_twins(items)
        )
        return all_of(compare(method(items, "size"), "<=", literal(self._twins)), are_named, are_alone)

    def _are_alone(self, items: Expression) -> Expression:
        """Return that each key is found where it is, and not before."""
        return self._let_keys(items, self._each_is_first)

    def are_alone(self, items: Expression, longest: int) -> Expression:
        """Return the same of items that are known to have texts as keys, if these have no more characters together."""

        def alone(known: Expression) -> Expression:
            # The API server charges for what is joined, and for what is searched, a tenth.
            length = method(method(known, "join"), "size")
            are_short = compare(
                Expression(length.text, length.level, length.cost + longest // 10), "<=", literal(longest)
            )
            return all_of(
                compare(method(known, "size"), "<=", literal(self._twins)), are_short, self._each_is_first(known)
            )

        return self._let_keys(items, alone)

    def _let_keys(self, items: Expression, then: Callable[[Expression], Expression]) -> Expression:
        with self.form.names.bound("t") as known:
            return let(known, self._keys_of(items), then(known))

    def _each_is_first(self, known: Expression) -> Expression:
        names = self.form.names
        with names.bound("i") as index, names.bound("e") as each:
            alone = compare(method(known, "indexOf", each), "==", index)
            priced = Expression(alone.text, alone.level, alone.cost + self._twins)
            return macro(known, "all", f"{index.text}, {each.text}", priced, self._twins)

    def _have_no_twins(self, items: Expression) -> Expression:
        with self.form.names.bound("a") as one, self.form.names.bound("b") as other:
            same = (compare(listed(member(other, key)), "==", listed(member(one, key))) for key in self.keys)
            twins = macro(items, "filter", other.text, all_of(*same), self._twins)
            alone = compare(method(twins, "size"), "==", literal(1))
            return macro(items, "all", one.text, alone, self._twins)


def is_reference(key: str) -> bool:
    """Tell whether a key is taken for an object, as `parentRef`. If it is one and not called so, its list is a suspect."""
    return key.lower().endswith("ref")
