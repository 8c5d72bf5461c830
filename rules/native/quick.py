"""The quick form: what is surely fine of the writes that come most often. Of any other the suspect form is asked.

The API server watches each step of an expression, so steps are what it pays for: binding a name costs as much as reading a
member five times, and an item of a list as much as ten. So members are read where they are needed; items are where they were,
and as many; an observed generation is the generation; numbers, texts and booleans are compared and nothing else. What is
assumed of all that an expression reads is asked once, at its beginning (`Variables.require`), and nothing can fail after that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rules.fieldpath import FieldPath
from rules.native.alignment import Alignment, is_reference
from rules.native.expression import (
    FALSE,
    NULL,
    TRUE,
    ZERO,
    Expression,
    all_of,
    any_of,
    compare,
    is_type,
    item,
    listed,
    literal,
    macro,
    method,
    name,
    negate,
)
from rules.native.form import Amount, CannotSayError, Side
from rules.native.limits import MAX_KEYS, MAX_SUMMAND
from rules.native.loops import ITEM, Loops
from rules.native.optionals import member_or, optional_of, or_else
from rules.native.reader import SIDES, ItemPair
from rules.native.reads import EMPTY_LIST, EMPTY_MAP, run_of_names
from rules.native.state import State
from rules.native.suspect import SuspectForm
from rules.native.value import Value, Visit, as_number, dynamic
from rules.native.variables import stem_of
from rules.path_syntax import Keyed, MapValues, Segment
from rules.relations import Relation


class QuickForm(SuspectForm):
    """Says what is surely fine of most writes, in as few steps as can be. Raises CannotSayError of what takes many."""

    is_quick = True
    variables: Loops

    def __init__(self, variables: Loops, *, lists: bool = True) -> None:
        super().__init__(variables, lists=lists)
        self.variables = variables

    def named_by(self, side: Side, path: FieldPath, otherwise: Expression) -> Expression:
        """Return what the names at the beginning of a path lead to, or something else."""
        base = name("object" if side == "new" else "oldObject")
        names, _ = run_of_names(path.segments)
        for length in range(1, len(names)):
            # What is not there is taken for the object itself, which is a map.
            if path.root != "metadata" or length > 1:
                self.variables.require(is_type(member_or(base, names[:length], base), "map"))
        return member_or(base, names, otherwise)

    def start(self, side: Side, path: FieldPath) -> Expression:
        """See `ReadingForm.start`."""
        _, rest = run_of_names(path.segments)
        if not rest:
            return self.named_by(side, path, NULL)
        kind, empty = ("map", EMPTY_MAP) if isinstance(rest[0], MapValues) else ("list", EMPTY_LIST)
        found = _to_bind(self.named_by(side, path, empty))
        bound = self.variables.named(stem_of(side, path.segments[: len(path.segments) - len(rest)]), found)
        self.variables.require(is_type(bound, kind))
        return bound

    def many(self, side: Side, path: FieldPath) -> tuple[Expression, Sequence[Segment]]:
        """See `ReadingForm.many`."""
        raise CannotSayError("adds up")

    def generation(self, side: Side) -> Expression:
        """See `Form.generation`."""
        return member_or(name("object" if side == "new" else "oldObject"), ["metadata", "generation"], ZERO)

    def is_current(self, number: Value, *, or_zero: bool) -> Expression:
        """See `Form.is_current`."""
        now = self._exact_generation()
        self.variables.require(_same_number(now, self.generation("old")))
        if or_zero:
            # Asked of each item of a list.
            now = self.variables.named("generation", _to_bind(now))
            return any_of(compare(number.it, "==", now), compare(number.it, "==", ZERO))
        return all_of(compare(number.it, "==", now), compare(number.it, ">", ZERO))

    def stays_current(self, old: Value, new: Value) -> Expression:
        """See `Form.stays_current`. What equals the generation is a number, so nothing is asked for its type."""
        if not (old.it.optional and new.it.optional):
            return FALSE
        return all_of(_same_number(new.it, self._exact_generation()), _same_number(old.it, new.it))

    def _exact_generation(self) -> Expression:
        now = self.generation("new")
        # From there on a double may equal an integer that it is not.
        self.variables.require(compare(now, "<", literal(MAX_SUMMAND)))
        return now

    def member(self, item: Value, name: str) -> Value:
        """See `Form.member`."""
        return dynamic(member_or(item.it, [name], NULL))

    def read_below(
        self, holder: Expression, names: Sequence[str], rest: Sequence[Segment], *, is_map: bool
    ) -> Expression:
        """See `DynamicForm.read_below`."""
        if is_map and len(names) == 1 and not rest:
            return member_or(holder, names, NULL)
        return super().read_below(holder, names, rest, is_map=is_map)

    def pairs(self, path: FieldPath, visit: Visit) -> Expression:
        """See `Form.pairs`."""
        _, rest = run_of_names(path.segments)
        if visit.numbers and not rest:
            old, new = (self.named_by(side, path, ZERO) for side in SIDES)
            return visit.pair(as_number(old), as_number(new))
        if visit.alone is not None and isinstance(rest[0] if rest else None, Keyed):
            after, more = run_of_names(rest[1:])
            if len(after) == 1 and not more:
                return self._all_alone(self.start("new", path), after[0], visit.alone)
        return super().pairs(path, visit)

    def _all_alone(self, items: Expression, member: str, alone: Callable[[Value], Expression]) -> Expression:
        test = alone(as_number(member_or(ITEM, [member], ZERO)))
        if not self.is_guarded:
            self.variables.each(items, test)
            return self.bounded(items, TRUE)
        return self.bounded(items, macro(items, "all", ITEM.text, all_of(is_type(ITEM, "map"), test), self.turns))

    def items(self, old: Expression, new: Expression, keys: Sequence[str], visit: Visit, pair: ItemPair) -> Expression:
        """See `DynamicForm.items`: each is where it was, and as many."""
        if not self.pairs_lists:
            raise CannotSayError("pairs lists")
        if any(map(is_reference, keys)):
            raise CannotSayError("compares objects as keys")
        size = method(new, "size")
        are_as_many = all_of(compare(method(old, "size"), "==", size), compare(size, "<=", literal(self.turns)))
        with self.names.bound("i") as index, self.names.bound("e") as each:
            counterpart = item(old, index)
            are_maps = all_of(is_type(each, "map"), is_type(counterpart, "map"))
            are_alike = (self._same_text(counterpart, each, key) for key in keys)
            aligned = all_of(are_maps, *are_alike)
            body = pair(counterpart, each)
            of = f"{index.text}, {each.text}"
            if self.variables.has(old) and self.variables.has(new):
                self.variables.require(are_as_many)
                self.variables.each_pair(new, aligned, TRUE if self.is_guarded else body, self.turns)
                holds = macro(new, "all", of, body, self.turns) if self.is_guarded else TRUE
            else:
                holds = all_of(are_as_many, macro(new, "all", of, all_of(aligned, body), self.turns))
        return all_of(holds, Alignment(self, keys).are_alone(new, MAX_KEYS)) if visit.unique else holds

    def _same_text(self, before: Expression, after: Expression, key: str) -> Expression:
        old, new = (dynamic(member_or(side, [key], NULL)) for side in (before, after))
        return all_of(new.is_a("string"), _equal(old, new))

    def surely_same_member(self, old: Value, new: Value, name: str) -> Expression:
        """See `Form.surely_same_member`; or that neither has it."""
        before, after = self.member(old, name), self.member(new, name)
        return all_of(_is_text_or_absent(after), _equal(before, after))

    def same(self, old: Value, new: Value) -> Expression:
        """See `Form.same`, of texts."""
        if "null" in (old.it.text, new.it.text):
            return FALSE
        return all_of(new.is_a("string"), _equal(old, new))

    def same_deep(self, old: Value, new: Value, *, depth: int = 1) -> Expression:
        """See `Form.same_deep`, of scalars."""
        if "null" in (old.it.text, new.it.text):
            return FALSE
        # A double may equal an integer that it is not.
        integers = all_of(new.is_a("int"), old.is_a("int"))
        scalars = any_of(new.is_a("string"), integers, new.is_a("bool"), new.absent)
        return all_of(scalars, _equal(old, new))

    def differ(self, old: Value, new: Value) -> Expression:
        """See `Form.differ`."""
        return all_of(_is_text_or_absent(old), _is_text_or_absent(new), negate(_equal(old, new)))

    def sure_states(self, values: Sequence[Value], names: Collection[str]) -> Expression:
        """See `Form.sure_states`: texts, also where names may be written otherwise."""
        return all_of(*(_is_text_or_absent(value) for value in values if value.it.text != "null"))

    def let_state(self, value: Value, names: Collection[str], then: Callable[[State], Expression]) -> Expression:
        """See `Form.let_state`."""
        if not value.it.optional:
            return then(State(value.it, value.absent, is_told=True))
        text = or_else(value.it, literal(""))
        return then(State(text, compare(text, "==", literal("")), is_told=True))

    def amounts(self, relation: Relation, then: Callable[[list[Amount]], Expression]) -> Expression:
        """See `Form.amounts`, of fields."""
        if any(run_of_names(path.segments)[1] for path in relation.paths):
            return super().amounts(relation, then)
        adds = len(relation.left) > 1 or len(relation.right) > 1
        found: list[Amount] = []
        for path in relation.paths:
            number = self.named_by("new", path, ZERO)
            absent = negate(method(optional_of(number), "hasValue"))
            is_integer = self.is_summand(dynamic(number), MAX_SUMMAND if adds else None)
            found.append(Amount(absent, absent, FALSE, is_integer, number))
        return then(found)


def _same_number(one: Expression, other: Expression) -> Expression:
    """Return that two values that are read as optionals are equal, or both absent; one of them is known to be no long text."""
    return compare(optional_of(one), "==", optional_of(other))


def _equal(old: Value, new: Value) -> Expression:
    """Return that two values are equal, or both absent."""
    # Within lists, because there the API server does not charge for the length of a text.
    if old.it.optional and new.it.optional:
        return compare(listed(optional_of(old.it)), "==", listed(optional_of(new.it)))
    return compare(listed(old.it), "==", listed(new.it))


def _is_text_or_absent(value: Value) -> Expression:
    if value.it.optional:
        return is_type(or_else(value.it, literal("")), "string")
    return any_of(value.is_a("string"), value.absent)


def _to_bind(value: Expression) -> Expression:
    """Return a value that is read so often that it is given a name."""
    return Expression(value.text, value.level, value.cost)
