"""Items of two lists paired by index: linear, and whatever is not where it was is a suspect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.native.expression import (
    TRUE,
    Expression,
    all_of,
    any_of,
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
from rules.native.limits import MAX_TWINS
from rules.native.plain import is_plain
from rules.native.reader import ItemPair
from rules.native.value import Visit

if TYPE_CHECKING:
    from rules.native.dynamic import DynamicForm


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pairs items by index if their keys are the same; items beyond the end of the old list are new ones."""

    form: DynamicForm
    keys: Sequence[str]

    def items(self, old: Expression, new: Expression, visit: Visit, pair: ItemPair) -> Expression:
        """Return what must hold of all items of both lists."""
        form, length = self.form, method(old, "size")
        with form.names.bound("i") as index, form.names.bound("e") as each:
            before, variables = item(old, index), f"{index.text}, {each.text}"
            aligned = any_of(compare(index, ">=", length), self._is_aligned(before, each))
            aligned = macro(new, "all", variables, aligned, form.turns)
            for side in (old, new):
                form.bounded(side, aligned)
                aligned = all_of(compare(method(side, "size"), "<=", literal(form.turns)), aligned)
            if form.variables.has(old) and form.variables.has(new):
                aligned = form.variables.named(f"{new.text}_paired", aligned)
            fresh = pair(None, each)
            added = TRUE if fresh.text == "true" else all_of(is_type(each, "map"), fresh)
            body = choose(compare(index, "<", length), pair(before, each), added)
            paired = TRUE if body.text == "true" else macro(new, "all", variables, body, form.turns)
        parts = [] if visit.gone is None else [compare(method(new, "size"), ">=", length)]
        parts += [self.is_unique(new)] if visit.unique else []
        return all_of(aligned, *parts, paired)

    def _is_aligned(self, before: Expression, after: Expression) -> Expression:
        """Return that two items are objects with the same keys."""
        tests = [is_type(before, "map"), is_type(after, "map")]
        for key in self.keys:
            old, new = member(before, key), member(after, key)
            tests += [has(before, key), has(after, key)]
            # An object is only expected as a key where there are several, as `parentRef,controllerName`.
            alike = is_type(new, "string") if len(self.keys) == 1 else is_plain(self.form.names, new, depth=1)
            tests += [alike, compare(listed(old), "==", listed(new))]
        return all_of(*tests)

    def is_unique(self, items: Expression) -> Expression:
        """Return that no two items of a short list have the same keys, which are texts."""
        names = self.form.names
        with names.bound("a") as one, names.bound("b") as other:
            same = (compare(listed(member(one, key)), "==", listed(member(other, key))) for key in self.keys)
            twins = macro(items, "filter", other.text, all_of(self._is_named(other), *same), MAX_TWINS)
            alone = compare(method(twins, "size"), "==", literal(1))
            unique = macro(items, "all", one.text, all_of(self._is_named(one), alone), MAX_TWINS)
        return all_of(compare(method(items, "size"), "<=", literal(MAX_TWINS)), unique)

    def _is_named(self, each: Expression) -> Expression:
        keys = (all_of(has(each, key), is_type(member(each, key), "string")) for key in self.keys)
        return all_of(is_type(each, "map"), *keys)
