"""What must hold of the items of lists, gathered from all invariants, so that each list is gone through once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from rules.native.expression import Expression, all_of, is_type, macro, name
from rules.native.limits import MAX_TURNS
from rules.native.variables import Variables

INDEX: Final = name("i")
ITEM: Final = name("e")


@dataclass(slots=True)
class _Loop:
    """The list of the new object; `pairings` say that its items have their counterparts, by one key or another.

    `turns`: how many items it has at most, of which whoever adds a test takes care.
    """

    items: Expression
    pairings: list[Expression] = field(default_factory=list)
    tests: list[Expression] = field(default_factory=list)
    turns: int = MAX_TURNS

    def holds(self) -> Expression:
        if not self.pairings:
            return macro(self.items, "all", ITEM.text, all_of(is_type(ITEM, "map"), *self.tests), self.turns)
        return macro(self.items, "all", f"{INDEX}, {ITEM}", all_of(*self.pairings, *self.tests), self.turns)


class Loops(Variables):
    """Variables, and the loops over the lists among them."""

    def __init__(self) -> None:
        super().__init__()
        self._loops: dict[str, _Loop] = {}

    def each(self, items: Expression, test: Expression) -> None:
        """Have something hold of each item (`ITEM`), which is an object."""
        self._loop(items).tests.append(test)

    def each_pair(self, items: Expression, pairing: Expression, test: Expression, turns: int) -> None:
        """Have something hold of each item, once the items are known to have their counterparts at the same place (`INDEX`)."""
        loop = self._loop(items)
        loop.turns = min(loop.turns, turns)
        loop.pairings.append(pairing)
        loop.tests.append(test)

    def _loop(self, items: Expression) -> _Loop:
        return self._loops.setdefault(items.text, _Loop(items))

    def bound_around(self, holds: Expression) -> Expression:
        """See `Variables.bound_around`."""
        for loop in self._loops.values():
            self.require(loop.holds())
        return super().bound_around(holds)
