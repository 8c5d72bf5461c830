"""Forms over objects whose types are unknown: how they walk along a path, old and new side by side."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

from rules.fieldpath import FieldPath
from rules.native.amounts import amounts_of
from rules.native.expression import (
    NULL,
    TRUE,
    Expression,
    all_of,
    any_of,
    choose,
    compare,
    contained,
    item,
    macro,
)
from rules.native.form import Amount, CannotSayError
from rules.native.limits import MAX_TURNS, turns_along
from rules.native.reader import SIDES, ItemPair, ReadingForm, read
from rules.native.reads import is_set, run_of_names, value_or_null
from rules.native.value import HoldsAlone, Single, Value, Visit, dynamic, number_of
from rules.path_syntax import Keyed, MapValues, Segment, Select
from rules.relations import Relation


class DynamicForm(ReadingForm):
    """What exact and suspect have in common."""

    pairs_lists = True
    """Whether there are macros with two variables (Kubernetes 1.33)."""

    reads_numbers = False
    """Whether a number is read by the optional that is quickest, which takes null for null and not for 0."""

    @abstractmethod
    def items(self, old: Expression, new: Expression, keys: Sequence[str], visit: Visit, pair: ItemPair) -> Expression:
        """Return what must hold of the items of two lists."""

    @abstractmethod
    def every(self, items: Expression, each: Expression, keys: Sequence[str], body: Expression) -> Expression:
        """Return that something holds of every item of a list that is an object with these keys."""

    @abstractmethod
    def are_unique(self, items: Expression, keys: Sequence[str]) -> Expression:
        """Return that no two items of a list have the same keys."""

    @abstractmethod
    def is_summand(self, value: Value, largest: int | None) -> Expression:
        """Return that a value is an integer, and near enough to 0 (None: that does not matter) to be added up."""

    @abstractmethod
    def sure_items(self, many: Expression, segment: Segment) -> Expression:
        """Return that items may be added up along a segment of a path, as far as the form cannot tell."""

    def let(self, value: Expression, then: Callable[[Expression], Expression]) -> Expression:
        """See `Form.let`."""
        return self.names.let(value, "v", then)

    def let_values(self, old: Value, new: Value, then: Callable[[Value, Value], Expression]) -> Expression:
        """See `Form.let_values`."""
        return self._both(old.it, new.it, ("t", "u"), lambda before, after: then(dynamic(before), dynamic(after)))

    def member(self, item: Value, name: str) -> Value:
        """See `Form.member`."""
        return dynamic(value_or_null(item.it, [name], is_map=True))

    def amounts(self, relation: Relation, then: Callable[[list[Amount]], Expression]) -> Expression:
        """See `Form.amounts`."""
        return amounts_of(self, relation, then)

    def pairs(self, path: FieldPath, visit: Visit) -> Expression:
        """See `Form.pairs`."""
        selects = sum(isinstance(segment, Select) for segment in path.segments)
        if visit.alike and selects == 1 and path.names_one_value:
            return self._of_item(path, visit)
        self.turns = turns_along(path)
        _, rest = run_of_names(path.segments)
        if visit.numbers and not rest and self.reads_numbers:
            bases = [self.root(side, path.root) for side in SIDES]
            run, _ = run_of_names(path.segments[1:])
            if all(is_map and len(names) + len(run) == 1 for _, names, is_map in bases):
                return visit.pair(*(number_of(base, [*names, *run][0]) for base, names, _ in bases))
        before, after = (self.start(side, path) for side in SIDES)
        holds = self._from(before, after, rest, visit, path)
        self.turns = MAX_TURNS
        return holds

    def _of_item(self, path: FieldPath, visit: Visit) -> Expression:
        """Return what must hold of the one field of an item, which is absent where the item is not there."""
        old, new = (self.single(side, path) for side in SIDES)
        holds = self._both(old, new, ("o", "n"), lambda o, n: visit.pair(dynamic(o), dynamic(n)))
        if visit.gone is None:
            holds = any_of(self.is_gone(path), holds)
        return self.within_bounds("old", path, self.within_bounds("new", path, holds))

    def _from(
        self, old: Expression, new: Expression, rest: Sequence[Segment], visit: Visit, path: FieldPath | None = None
    ) -> Expression:
        """Return what must hold from where the names at the beginning of a path lead to; `path` if from an object's root."""
        if not rest:
            return self._both(old, new, ("o", "n"), lambda o, n: visit.pair(dynamic(o), dynamic(n)))
        segment, below = rest[0], rest[1:]
        if isinstance(segment, Select):
            there = None if path is None else path.segments[: len(path.segments) - len(below)]

            def select(items_before: Expression, items: Expression) -> Expression:
                before = self.selected("old", items_before, segment, there)
                after = self.selected("new", items, segment, there)
                holds = self._both(before, after, ("b", "f"), lambda b, f: self._selected(b, f, below, visit))
                return self.bounded(items_before, self.bounded(items, holds))

            return select(old, new) if path else self._both(old, new, ("p", "l"), select)
        if isinstance(segment, MapValues):
            if path:
                return self._map_entries(old, new, below, visit)
            return self._both(old, new, ("p", "l"), lambda p, m: self._map_entries(p, m, below, visit))
        if not isinstance(segment, Keyed):
            raise CannotSayError("[*] pairs nothing")
        unique = visit.unique and not any(isinstance(each, Keyed) for each in below)
        here = Visit(visit.pair, visit.fresh, visit.gone, unique=unique)

        def pair(o: Expression | None, n: Expression | None) -> Expression:
            return self._below(o, n, below, visit, is_map=True)

        if path:
            return self.items(old, new, segment.keys, here, pair)
        return self._both(old, new, ("p", "l"), lambda p, m: self.items(p, m, segment.keys, here, pair))

    def _both(
        self,
        old: Expression,
        new: Expression,
        stems: tuple[str, str],
        then: Callable[[Expression, Expression], Expression],
    ) -> Expression:
        return self.names.let(old, stems[0], lambda o: self.names.let(new, stems[1], lambda n: then(o, n)))

    def read_below(
        self, holder: Expression, names: Sequence[str], rest: Sequence[Segment], *, is_map: bool
    ) -> Expression:
        """Return what names lead to from an item; see `read`."""
        return read(holder, names, rest, is_map=is_map)

    def _below(
        self, old: Expression | None, new: Expression | None, below: Sequence[Segment], visit: Visit, *, is_map: bool
    ) -> Expression:
        """Return what must hold below an item (entry) that one or both sides hold."""
        names, rest = run_of_names(below)
        if old is not None and new is not None:
            if not below:
                known = _known(is_map=is_map)
                return visit.pair(known(old), known(new))
            if visit.numbers and self.reads_numbers and is_map and not rest and len(names) == 1:
                return visit.pair(number_of(old, names[0]), number_of(new, names[0]))
            before, after = (self.read_below(side, names, rest, is_map=is_map) for side in (old, new))
            return self._from(before, after, rest, visit)
        holds = visit.fresh if old is None else visit.gone
        there = new if old is None else old
        assert there is not None  # noqa: S101  one of the two sides holds the item
        unique = visit.unique and old is None
        if holds is not None and visit.numbers and self.reads_numbers and is_map and not rest and len(names) == 1:
            return holds(number_of(there, names[0]))
        if holds is None and not unique:
            return TRUE
        return self._of_one_side(there, names, rest, holds or _anything, is_map=is_map, unique=unique)

    def _of_one_side(
        self,
        base: Expression,
        names: list[str],
        rest: Sequence[Segment],
        holds: HoldsAlone,
        *,
        is_map: bool,
        unique: bool,
    ) -> Expression:
        """Return what must hold of all fields below an item that only one side holds."""
        found = read(base, names, rest, is_map=is_map) if names or rest else base
        if not rest:
            known = _known(is_map=is_map and not names)
            return self.names.let(found, "n", lambda each: holds(known(each)))
        segment, (below_names, below) = rest[0], run_of_names(rest[1:])

        def inner(each: Expression, *, is_map: bool) -> Expression:
            return self._of_one_side(each, below_names, below, holds, is_map=is_map, unique=unique)

        def members(collection: Expression) -> Expression:
            if isinstance(segment, Select):
                one = self.selected("new", collection, segment, None)
                return self.names.let(one, "f", lambda f: any_of(compare(f, "==", NULL), inner(f, is_map=True)))
            if isinstance(segment, MapValues):
                with self.names.bound("k") as key:
                    value = item(collection, key)
                    body = any_of(compare(value, "==", NULL), inner(value, is_map=False))
                    return macro(collection, "all", key.text, body, self.turns)
            with self.names.bound("i") as each:
                keys = segment.keys if isinstance(segment, Keyed) else ()
                all_hold = self.every(collection, each, keys, inner(each, is_map=True))
            is_last = unique and not any(isinstance(each, Keyed) for each in below)
            return all_of(all_hold, self.are_unique(collection, keys)) if is_last else all_hold

        return self.names.let(found, "l", lambda collection: self.bounded(collection, members(collection)))

    def _selected(self, old: Expression, new: Expression, below: Sequence[Segment], visit: Visit) -> Expression:
        was_none, is_none = compare(old, "==", NULL), compare(new, "==", NULL)
        gone = self._below(old, None, below, visit, is_map=True)
        fresh = self._below(None, new, below, visit, is_map=True)
        pair = self._below(old, new, below, visit, is_map=True)
        return choose(is_none, any_of(was_none, gone), choose(was_none, fresh, pair))

    def _map_entries(self, old: Expression, new: Expression, below: Sequence[Segment], visit: Visit) -> Expression:
        with self.names.bound("k") as key:
            before, after = item(old, key), item(new, key)
            in_old = all_of(contained(key, old), is_set(before))
            in_new = all_of(contained(key, new), is_set(after))
            pair = self._below(before, after, below, visit, is_map=False)
            fresh = self._below(None, after, below, visit, is_map=False)
            kept = any_of(compare(after, "==", NULL), choose(in_old, pair, fresh))
            dropped = any_of(compare(before, "==", NULL), in_new, self._below(before, None, below, visit, is_map=False))
            parts = [
                macro(side, "all", key.text, body, self.turns)
                for side, body in ((new, kept), (old, dropped))
                if body.text != "true"
            ]
        return self.bounded(old, self.bounded(new, all_of(*parts)))

    def singles(self, paths: Sequence[FieldPath], then: Callable[[list[Single]], Expression]) -> Expression:
        """See `Form.singles`."""
        holds = self._aliased(list(paths), [], then)
        for path in paths:
            holds = self.within_bounds("old", path, self.within_bounds("new", path, holds))
        return holds

    def _aliased(
        self, paths: list[FieldPath], found: list[Single], then: Callable[[list[Single]], Expression]
    ) -> Expression:
        if not paths:
            return then(found)
        path, *others = paths
        old, new = (self.single(side, path) for side in SIDES)
        gone = self.is_gone(path)

        def named(before: Expression, after: Expression) -> Expression:
            single = Single(dynamic(before), dynamic(after), gone)
            return self._aliased(others, [*found, single], then)

        return self._both(old, new, ("o", "n"), named)


def _known(*, is_map: bool) -> Callable[[Expression], Value]:
    """Return what an item is as a value: there, if it is known to be an object."""
    return partial(Value, TRUE) if is_map else dynamic


def _anything(value: Value) -> Expression:
    return TRUE
