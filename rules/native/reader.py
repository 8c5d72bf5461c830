"""Forms over objects whose types are unknown: how they read what a path names on one side."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from rules.fieldpath import FieldPath
from rules.native.expression import FALSE, NULL, ZERO, Expression, choose, compare
from rules.native.form import CannotSayError, Form, Side
from rules.native.limits import MAX_TURNS
from rules.native.names import Names
from rules.native.reads import EMPTY_LIST, EMPTY_MAP, first, leaf, run_of_names, typed_or, value_or_null
from rules.native.variables import Variables, stem_of
from rules.path_syntax import MapValues, Segment, Select

SIDES: Final[tuple[Side, Side]] = ("old", "new")

ItemPair: TypeAlias = Callable[[Expression | None, Expression | None], Expression]
"""Returns what must hold of an item that both sides hold, or of one that only one of them does (None: it does not)."""


class ReadingForm(Form):
    """Reads values by name: what several expressions read is read once."""

    is_bounded: bool
    """Whether lists that are too long are given up."""

    def __init__(self, variables: Variables) -> None:
        self.names = Names(shortest=self.is_bounded)
        self.variables = variables
        self.turns = MAX_TURNS

    @abstractmethod
    def root(self, side: Side, name: str) -> tuple[Expression, list[str], bool]:
        """Return what a path starts from: an expression, the names to be read of it first, and whether it is a map."""

    @abstractmethod
    def bounded(self, collection: Expression, holds: Expression) -> Expression:
        """Return what holds of a list or a map, as far as it is not too large for the form."""

    def start(self, side: Side, path: FieldPath) -> Expression:
        """Return what the names at the beginning of a path lead to: a value or null, or the list or map that follows."""
        base, names, is_map = self.root(side, path.root)
        run, rest = run_of_names(path.segments[1:])
        found = read(base, [*names, *run], rest, is_map=is_map)
        return self.variables.named(stem_of(side, path.segments[: len(path.segments) - len(rest)]), found)

    def generation(self, side: Side) -> Expression:
        """See `Form.generation`."""
        base, names, is_map = self.root(side, "metadata")
        there, value = leaf(base, [*names, "generation"], is_map=is_map)
        return self.variables.named("generation" if side == "new" else "oldGeneration", choose(there, value, ZERO))

    def many(self, side: Side, path: FieldPath) -> tuple[Expression, Sequence[Segment]]:
        """Return the list or map that a path leads to on a side, null if there is none, and the rest of the path."""
        base, names, is_map = self.root(side, path.root)
        run, rest = run_of_names(path.segments[1:])
        kind = "map" if rest and isinstance(rest[0], MapValues) else "list"
        found = typed_or(base, [*names, *run], kind, NULL, is_map=is_map)
        return self.variables.named(stem_of(side, path.segments[: len(path.segments) - len(rest)]), found), rest

    def selected(self, side: Side, items: Expression, select: Select, segments: Sequence[Segment] | None) -> Expression:
        """Return the item that `[key=value]` names or null; `segments` lead to it if the list is not an item's own."""
        found = first(items, select, self.names, self.turns, bounded=self.is_bounded)
        return found if segments is None else self.variables.named(stem_of(side, segments), found)

    def single(self, side: Side, path: FieldPath) -> Expression:
        """Return the one value that a path names on a side, null if it is absent."""
        found = self.start(side, path)
        _, rest = run_of_names(path.segments)
        while rest:
            select, after = rest[0], rest[1:]
            if not isinstance(select, Select):
                raise CannotSayError("names many values where one is wanted")
            holder = self.selected(side, found, select, path.segments[: len(path.segments) - len(after)])
            names, rest = run_of_names(after)
            if rest:
                found = read(holder, names, rest, is_map=False)
            else:
                found = value_or_null(holder, names, is_map=False, or_null=True) if names else holder
            found = self.variables.named(stem_of(side, path.segments[: len(path.segments) - len(rest)]), found)
        return found

    def within_bounds(self, side: Side, path: FieldPath, holds: Expression) -> Expression:
        """Return what holds of a field that is looked for in a list, as far as the list is not too long for the form."""
        _, rest = run_of_names(path.segments)
        if any(isinstance(segment, Select) for segment in rest[1:]):
            raise CannotSayError(f"{path} leads through items of several lists")
        return self.bounded(self.start(side, path), holds) if rest else holds

    def is_gone(self, path: FieldPath) -> Expression:
        """Return that the item that a path leads through was there and is no more."""
        _, rest = run_of_names(path.segments)
        if not rest or not isinstance(rest[0], Select):
            return FALSE
        there = path.segments[: len(path.segments) - len(rest) + 1]
        return compare(self.selected("new", self.start("new", path), rest[0], there), "==", NULL)


def read(base: Expression, names: Sequence[str], rest: Sequence[Segment], *, is_map: bool) -> Expression:
    """Return what names lead to: a value or null, or the list or map that follows, empty if it is none."""
    if not rest:
        return value_or_null(base, names, is_map=is_map)
    kind, empty = ("map", EMPTY_MAP) if isinstance(rest[0], MapValues) else ("list", EMPTY_LIST)
    return typed_or(base, names, kind, empty, is_map=is_map)
