"""The form of a CustomResourceDefinition's own validations: how it walks along a path, `oldSelf` and `self` side by side.

Without optionals: the API server estimates what they cost without the bounds of the schema, and refuses the CRD.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rules.fieldpath import FieldPath
from rules.native.crd_amounts import amounts_of, same_numbers
from rules.native.crd_field import Field, is_item, same_keys
from rules.native.crd_losses import TWINS
from rules.native.crd_reading import ReadingForm, want
from rules.native.expression import TRUE, Expression, all_of, any_of, contained, macro, negate
from rules.native.form import Amount, CannotSayError
from rules.native.limits import MAX_TURNS
from rules.native.reads import is_set
from rules.native.value import HoldsAlone, Visit
from rules.path_syntax import Keyed, MapValues, Name, Segment, Select
from rules.relations import Relation


class CrdForm(ReadingForm):
    """Says what holds of `self` and `oldSelf` at a place of a schema."""

    def pairs(self, path: FieldPath, visit: Visit) -> Expression:
        """See `Form.pairs`."""
        rest = self.rest(path)
        old, new = self.itself("old"), self.itself("new")
        if not self.place.is_in_items:
            return self._walk(old, new, rest, visit, path)
        if self.presence == "both":
            return self._walk(old, new, rest, visit, path)
        if self.presence == "fresh":
            return self._fresh(new, rest, visit, path)
        return TRUE if visit.gone is None else self._alone(old, rest, visit.gone, path)

    def _walk(self, old: Field, new: Field, rest: Sequence[Segment], visit: Visit, path: FieldPath) -> Expression:
        """Return what must hold from two fields on."""
        if not rest:
            return self._pair(old, new, visit)
        segment, below = rest[0], rest[1:]
        match segment:
            case Name():
                return self._walk(self.next(old, segment, path), self.next(new, segment, path), below, visit, path)
            case Select():
                before, after = self.next(old, segment, path), self.next(new, segment, path)
                return self._one(before, after, below, visit, path)
            case Keyed():
                return self._items(old, new, segment, below, visit, path)
            case MapValues():
                return self._entries(old, new, below, visit, path)
        raise CannotSayError("[*] pairs nothing")

    def _pair(self, old: Field, new: Field, visit: Visit) -> Expression:
        if new.type or "false" in {old.present.text, new.present.text}:
            return visit.pair(old, new)

        # An integer or a string is asked for its type again and again.
        def named(before: Expression, after: Expression) -> Expression:
            return visit.pair(
                *(replace(field, it=it, present=is_set(it)) for field, it in ((old, before), (new, after)))
            )

        return self._both(old.it, new.it, ("o", "n"), named)

    def _one(self, old: Field, new: Field, below: Sequence[Segment], visit: Visit, path: FieldPath) -> Expression:
        pair = self._walk(old.surely, new.surely, below, visit, path)
        fresh = self._fresh(new.surely, below, visit, path)
        parts = [any_of(old.absent, new.absent, pair), any_of(new.absent, old.present, fresh)]
        if visit.gone is not None:
            parts.append(any_of(old.absent, new.present, self._alone(old.surely, below, visit.gone, path)))
        return all_of(*parts)

    def _items(
        self, old: Field, new: Field, segment: Keyed, below: Sequence[Segment], visit: Visit, path: FieldPath
    ) -> Expression:
        """Return what must hold of the items of two lists, which are searched for each other."""
        want(new, "list", path)
        keys = segment.keys
        is_map = new.is_map_by(keys)
        with self.names.bound("n") as n, self.names.bound("o") as o:
            before, after = old.each(o), new.each(n)
            is_pair = all_of(is_item(before, keys), same_keys(before, after, keys))
            found = old.some(o, is_pair)
            pair = old.all(o, any_of(negate(is_pair), self._walk(before, after, below, visit, path)))
            fine = all_of(pair, any_of(found, self._fresh(after, below, visit, path)))
            if not is_map:
                # An item that was there, as it is, breaks nothing: of several with one key each is itself.
                as_it_was = all_of(old.present, self.guard_same, contained(n, old.it))
                fine = any_of(as_it_was, fine)
                if visit.unique and not any(isinstance(each, Keyed) for each in below):
                    was_alone = macro(old.it, "exists_one", o.text, is_pair, MAX_TURNS)
                    is_alone = self._is_alone(new, after, keys)
                    fine = all_of(fine, any_of(is_alone, all_of(as_it_was, negate(was_alone))))
                if fine.text != "true":
                    self.lose(TWINS)
            holds = new.all(n, any_of(negate(is_item(after, keys)), fine))
            if visit.gone is not None:
                kept = new.some(n, all_of(is_item(after, keys), same_keys(before, after, keys)))
                dropped = any_of(negate(is_item(before, keys)), kept, self._alone(before, below, visit.gone, path))
                holds = all_of(holds, old.all(o, dropped))
        if holds.text != "true":
            self.looped(new)
            for key in filter(None, map(new.each(n).child, keys)):
                self.compared(key)
        return holds

    def _entries(self, old: Field, new: Field, below: Sequence[Segment], visit: Visit, path: FieldPath) -> Expression:
        """Return what must hold of the values of two maps."""
        want(new, "map", path)
        if not isinstance(new.schema.raw.get("additionalProperties"), dict):
            raise CannotSayError(f"{path}: the schema has fixed fields there, not a map")
        with self.names.bound("k") as key:
            was, is_ = (all_of(side.present, contained(key, side.it), side.each(key).present) for side in (old, new))
            before, after = old.each(key).surely, new.each(key).surely
            pair = any_of(negate(was), self._walk(before, after, below, visit, path))
            fresh = any_of(was, self._fresh(after, below, visit, path))
            holds = new.all(key, any_of(new.each(key).absent, all_of(pair, fresh)))
            if visit.gone is not None:
                dropped = any_of(old.each(key).absent, is_, self._alone(before, below, visit.gone, path))
                holds = all_of(holds, old.all(key, dropped))
        if holds.text != "true":
            self.looped(new)
        return holds

    def _is_alone(self, many: Field, each: Field, keys: tuple[str, ...]) -> Expression:
        """Return that an item is the only one of a list that has its keys."""
        with self.names.bound("m") as m:
            twin = many.each(m)
            is_twin = all_of(is_item(twin, keys), same_keys(twin, each, keys))
            return macro(many.it, "exists_one", m.text, is_twin, MAX_TURNS)

    def _fresh(self, field: Field, rest: Sequence[Segment], visit: Visit, path: FieldPath) -> Expression:
        """Return what must hold of all fields below an item that was not there before, and of the keys of their lists."""
        holds = TRUE if visit.fresh is None else self._alone(field, rest, visit.fresh, path)
        return all_of(holds, self._unique(field, rest, path)) if visit.unique else holds

    def _unique(self, field: Field, rest: Sequence[Segment], path: FieldPath) -> Expression:
        """Return that the last keys of a path name only one item each."""
        lists = [at for at, segment in enumerate(rest) if isinstance(segment, Keyed)]
        if not lists:
            return TRUE
        segment, below = rest[0], rest[1:]
        if isinstance(segment, Name | Select):
            found = self.next(field, segment, path)
            return any_of(found.absent, self._unique(found.surely, below, path))
        with self.names.bound("i") as each:
            found = field.each(each)
            if not isinstance(segment, Keyed):
                return field.all(each, any_of(found.absent, self._unique(found.surely, below, path)))
            is_last, is_map = len(lists) == 1, field.is_map_by(segment.keys)
            alone = TRUE if is_map else self._is_alone(field, found, segment.keys)
            once = alone if is_last else self._unique(found, below, path)
            return field.all(each, any_of(negate(is_item(found, segment.keys)), once))

    def _alone(self, field: Field, rest: Sequence[Segment], holds: HoldsAlone, path: FieldPath) -> Expression:
        """Return what must hold of all fields below an item that only one side has."""
        if not rest:
            return holds(field)
        segment, below = rest[0], rest[1:]
        if isinstance(segment, Name | Select):
            found = self.next(field, segment, path)
            if isinstance(segment, Name):
                return self._alone(found, below, holds, path)
            return any_of(found.absent, self._alone(found.surely, below, holds, path))
        if isinstance(segment, MapValues):
            want(field, "map", path)
            with self.names.bound("k") as key:
                value = field.each(key)
                return field.all(key, any_of(value.absent, self._alone(value.surely, below, holds, path)))
        want(field, "list", path)
        with self.names.bound("i") as each:
            found = field.each(each)
            keys = segment.keys if isinstance(segment, Keyed) else ()
            return field.all(each, any_of(negate(is_item(found, keys)), self._alone(found, below, holds, path)))

    def amounts(self, relation: Relation, then: Callable[[list[Amount]], Expression]) -> Expression:
        """See `Form.amounts`."""
        return then(amounts_of(self, relation))

    def same_numbers(self, paths: Sequence[FieldPath]) -> Expression:
        """See `Form.same_numbers`."""
        return all_of(*(same_numbers(self, path) for path in paths))
