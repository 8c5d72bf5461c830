"""Items of two lists paired by looking each up in the other list: exact, and quadratic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.native.expression import Expression, all_of, any_of, choose, compare, item, literal, macro, method, negate
from rules.native.reader import ItemPair
from rules.native.reads import is_item, same_keys
from rules.native.value import Visit

if TYPE_CHECKING:
    from rules.native.dynamic import DynamicForm


@dataclass(frozen=True, slots=True)
class Search:
    """Pairs items by their keys."""

    form: DynamicForm
    keys: Sequence[str]

    def items(self, old: Expression, new: Expression, visit: Visit, pair: ItemPair) -> Expression:
        """Return what must hold of all items of both lists."""

        def judged(each: Expression, before: Expression) -> Expression:
            holds = choose(is_empty(before), pair(None, each), pair(item(before, literal(0)), each))
            return self._alone(new, each, before, holds) if visit.unique else holds

        parts = [self._each(new, old, judged)] if visit.unique or _asks(pair) else []
        if visit.gone is not None:
            gone = self._each(old, new, lambda each, found: any_of(negate(is_empty(found)), pair(each, None)))
            parts.append(gone)
        return all_of(*parts)

    def _each(
        self, side: Expression, other: Expression, holds: Callable[[Expression, Expression], Expression]
    ) -> Expression:
        """Return what holds of each item of a list, and of those of the other list with its keys."""
        with self.form.names.bound("i") as each:
            body = self.form.names.let(self._matching(other, each), "b", lambda found: holds(each, found))
            return macro(side, "all", each.text, any_of(negate(is_item(each, self.keys)), body), self.form.turns)

    def are_unique(self, items: Expression) -> Expression:
        """Return that no two items of a list have the same keys."""
        with self.form.names.bound("i") as each:
            alone = compare(method(self._matching(items, each), "size"), "==", literal(1))
            return macro(items, "all", each.text, any_of(negate(is_item(each, self.keys)), alone), self.form.turns)

    def _matching(self, items: Expression, of: Expression) -> Expression:
        with self.form.names.bound("c") as each:
            test = all_of(is_item(each, self.keys), same_keys(each, of, self.keys))
            return macro(items, "filter", each.text, test, self.form.turns)

    def _alone(self, new: Expression, each: Expression, before: Expression, holds: Expression) -> Expression:
        """Return that an item is the only one with its keys, or that none of them changed."""

        def once(twins: Expression) -> Expression:
            alone = compare(method(twins, "size"), "==", literal(1))
            return self.form.unless_same(compare(before, "==", twins), all_of(alone, holds))

        return self.form.names.let(self._matching(new, each), "t", once)


def _asks(pair: ItemPair) -> bool:
    """Tell whether anything is asked of items that both sides hold, or only the new one."""
    before, after = Expression("before"), Expression("after")  # two names: that a thing is like itself is folded
    return any(holds.text != "true" for holds in (pair(before, after), pair(None, after)))


def is_empty(items: Expression) -> Expression:
    """Return that a list has no items."""
    return compare(method(items, "size"), "==", literal(0))
