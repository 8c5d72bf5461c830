"""The exact form: true if the write is fine. For native policies, where expressions may name what they share (`variables`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from rules.fieldpath import FieldPath
from rules.native.dynamic import SIDES, DynamicForm, ItemPair
from rules.native.expression import (
    FALSE,
    NULL,
    TRUE,
    ZERO,
    Expression,
    all_of,
    any_of,
    call,
    choose,
    compare,
    item,
    literal,
    macro,
    member,
    method,
    name,
    negate,
)
from rules.native.form import CannotSayError, Side
from rules.native.losses import (
    ALWAYS,
    FRACTION,
    FRACTION_AS_TEXT,
    NULLS,
    ODD_TIME,
    QUANTITY,
    SUM_OF_MAP,
    SUM_ORDER,
    TWINS,
)
from rules.native.reads import (
    EMPTY_LIST,
    EMPTY_MAP,
    is_item,
    is_set,
    leaf,
    run_of_names,
    same_keys,
    typed_or,
    value_or_null,
)
from rules.native.state import State, as_text, may_be_written_otherwise
from rules.native.value import Single, Value, Visit
from rules.native.variables import Variables, stem_of
from rules.path_syntax import Items, Keyed, MapValues, Name, Segment, Select

RFC_3339: Final = (
    r"\A[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?"
    r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])\z"
)
"""What is taken for a time. CEL reads none before the year 1; a day that its month does not have is still an error."""


_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_LOCAL: Final = re.compile(r"[a-z][0-9]*(\..*)?")
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'")
_VARIABLE: Final = re.compile(r"\bvariables\.([A-Za-z0-9_]+)")


class ExactForm(DynamicForm):
    """Says what holds of `object` and `oldObject`; what is read of them becomes a variable of the policy."""

    is_bounded = False

    def __init__(self, variables: Variables, *, may_create: bool) -> None:
        super().__init__(variables)
        self.may_create = may_create
        self.creates = compare(name("oldObject"), "==", NULL) if may_create else FALSE
        self.guard_same: Expression = TRUE
        self.lost: dict[str, None] = {}

    def lose(self, what: str) -> None:
        """See `Form.lose`."""
        self.lost[what] = None

    def root(self, side: Side, root: str) -> tuple[Expression, list[str], bool]:
        """See `DynamicForm.root`."""
        base = name("object" if side == "new" else "oldObject")
        if side == "old" and self.may_create:
            base = self.variables.named("before", choose(self.creates, EMPTY_MAP, base))
        elif root == "metadata":
            return member(base, root), [], True
        return (
            self.variables.named(
                stem_of(side, [Name(root, root)]), typed_or(base, [root], "map", EMPTY_MAP, is_map=True)
            ),
            [],
            True,
        )

    def assuming(self, sure: Expression, formula: Expression, otherwise: Expression | None = None) -> Expression:
        """See `Form.assuming`."""
        return formula if otherwise is None else choose(sure, formula, otherwise)

    def unless_same(self, same: Expression, holds: Expression) -> Expression:
        """See `Form.unless_same`."""
        return any_of(all_of(same, self.guard_same), holds)

    def only_if_changed(self, same: Expression, holds: Expression) -> Expression:
        """See `Form.only_if_changed`."""
        return self.unless_same(same, holds)

    def is_number(self, value: Value) -> Expression:
        """See `Form.is_number`."""
        return value.is_a("int", "double")

    def sure_numbers(self, *values: Value) -> Expression:
        """See `Form.sure_numbers`."""
        return TRUE

    def same(self, old: Value, new: Value) -> Expression:
        """See `Form.same`."""
        return compare(old.it, "==", new.it)

    def same_deep(self, old: Value, new: Value, *, depth: int = 1) -> Expression:
        """See `Form.same_deep`."""
        self.lose(NULLS)
        return self.same(old, new)

    def differ(self, old: Value, new: Value) -> Expression:
        """See `Form.differ`."""
        return negate(self.same(old, new))

    def rarely(self, formula: Expression) -> Expression:
        """See `Form.rarely`."""
        return formula

    def sure_states(self, values: Sequence[Value], names: Collection[str]) -> Expression:
        """See `Form.sure_states`."""
        self.lose(FRACTION_AS_TEXT)
        return TRUE

    def let_state(self, value: Value, names: Collection[str], then: Callable[[State], Expression]) -> Expression:
        """See `Form.let_state`."""
        return self.let(as_text(value), lambda text: then(State(text)))

    def is_measure(self, value: Value) -> Expression:
        """See `Form.is_measure`."""
        return any_of(self.is_number(value), is_time(value), is_quantity(value))

    def comparable(self, old: Value, new: Value) -> Expression:
        """See `Form.comparable`."""
        amounts = (any_of(self.is_number(value), is_quantity(value)) for value in (old, new))
        return any_of(all_of(*amounts), all_of(is_time(old), is_time(new)))

    def not_less(self, old: Value, new: Value) -> Expression:
        """See `Form.not_less`."""
        self.lose(ODD_TIME)
        self.lose(QUANTITY)
        numbers = all_of(self.is_number(old), self.is_number(new))
        times = compare(call("timestamp", new.it), ">=", call("timestamp", old.it))
        order = method(as_quantity(new), "compareTo", as_quantity(old))
        quantities = compare(order, ">=", literal(0))
        return choose(numbers, compare(new.it, ">=", old.it), choose(is_time(old), times, quantities))

    def is_nothing(self, value: Value) -> Expression:
        """See `Form.is_nothing`."""
        order = method(as_quantity(value), "compareTo", call("quantity", literal("0")))
        zero = compare(order, "<=", literal(0))
        of_number = compare(value.it, "<=", literal(0))
        return choose(self.is_number(value), of_number, all_of(is_quantity(value), zero))

    def same_time(self, old: Value, new: Value) -> Expression:
        """See `Form.same_time`."""
        self.lose(ODD_TIME)
        times = compare(call("timestamp", old.it), "==", call("timestamp", new.it))
        return any_of(self.same(old, new), all_of(is_time(old), is_time(new), times))

    def other_time(self, old: Value, new: Value) -> Expression:
        """See `Form.other_time`."""
        return negate(self.same_time(old, new))

    def not_earlier(self, old: Value, new: Value) -> Expression:
        """See `Form.not_earlier`."""
        times = compare(call("timestamp", new.it), ">=", call("timestamp", old.it))
        return any_of(negate(is_time(old)), negate(is_time(new)), times)

    def matches(self, value: Value, patterns: Sequence[str]) -> Expression:
        """See `Form.matches`."""
        self.lose(FRACTION_AS_TEXT)
        whole = literal(rf"\A(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})\z")
        scalar = value.is_a("string", "bool", "int", "double")
        return all_of(scalar, method(as_text(value), "matches", whole))

    def sure_match(self, value: Value) -> Expression:
        """See `Form.sure_match`."""
        return TRUE

    def generation(self, side: Side) -> Expression:
        """See `Form.generation`."""
        base, names, is_map = self.root(side, "metadata")
        there, value = leaf(base, [*names, "generation"], is_map=is_map)
        return self.variables.named("generation" if side == "new" else "oldGeneration", choose(there, value, ZERO))

    def expression(self, expression: str, same: Expression | None) -> Expression:
        """See `Form.expression`."""
        own = Expression(f"({expression})")
        if same is None:
            self.lose(ALWAYS)
            return own
        return self.unless_same(same, own)

    def digest(self, members: Sequence[Single], digest: Single) -> Expression:
        """See `Form.digest`."""
        raise CannotSayError("digest: CEL has no hash function")

    def one_manager(self) -> Expression:
        """See `Form.one_manager`."""
        raise CannotSayError("singleManager: FieldsV1 cannot be searched by path")

    def selected(self, side: Side, items: Expression, select: Select, segments: Sequence[Segment] | None) -> Expression:
        """See `DynamicForm.selected`."""
        if any(map(may_be_written_otherwise, (value for _, value in select.keys))):
            self.lose(FRACTION_AS_TEXT)
        return super().selected(side, items, select, segments)

    def bounded(self, collection: Expression, holds: Expression) -> Expression:
        """See `DynamicForm.bounded`."""
        return holds

    def every(self, items: Expression, each: Expression, keys: Sequence[str], body: Expression) -> Expression:
        """See `DynamicForm.every`."""
        return macro(items, "all", each.text, any_of(negate(is_item(each, keys)), body), self.turns)

    def items(
        self,
        old: Expression,
        new: Expression,
        keys: Sequence[str],
        visit: Visit,
        pair: ItemPair,
    ) -> Expression:
        """See `DynamicForm.items`: each new item is looked up among the old ones."""
        self.lose(TWINS)

        def matching(items: Expression, of: Expression) -> Expression:
            with self.names.bound("c") as each:
                return macro(
                    items, "filter", each.text, all_of(is_item(each, keys), same_keys(each, of, keys)), self.turns
                )

        def judged(each: Expression, before: Expression) -> Expression:
            holds = choose(is_empty(before), pair(None, each), pair(item(before, literal(0)), each))
            if not visit.unique:
                return holds

            def once(twins: Expression) -> Expression:
                alone = compare(method(twins, "size"), "==", literal(1))
                return self.unless_same(compare(before, "==", twins), all_of(alone, holds))

            return self.names.let(matching(new, each), "t", once)

        def of(
            side: Expression, other: Expression, holds: Callable[[Expression, Expression], Expression]
        ) -> Expression:
            with self.names.bound("i") as each:
                body = self.names.let(matching(other, each), "b", lambda found: holds(each, found))
                return macro(side, "all", each.text, any_of(negate(is_item(each, keys)), body), self.turns)

        parts = [of(new, old, judged)] if visit.unique or pair_asks(pair) else []
        if visit.gone is not None:
            parts.append(of(old, new, lambda each, found: any_of(negate(is_empty(found)), pair(each, None))))
        return all_of(*parts)

    def let(self, value: Expression, then: Callable[[Expression], Expression]) -> Expression:
        """See `Form.let`: what reads nothing but variables becomes one."""
        local = [each for each in _WORD.findall(_QUOTED.sub("", value.text)) if _LOCAL.fullmatch(each)]
        read = _VARIABLE.search(value.text)
        if local or read is None:
            return super().let(value, then)
        return then(self.variables.named(f"{read.group(1)}_value", value))

    def same_numbers(self, paths: Sequence[FieldPath]) -> Expression:
        """See `Form.same_numbers`."""
        return all_of(*(self._same_read(path) for path in paths))

    def _same_read(self, path: FieldPath) -> Expression:
        if path.names_one_value:
            return compare(self.single("old", path), "==", self.single("new", path))
        was_there, is_there = (compare(self.many(side, path)[0], "!=", NULL) for side in SIDES)
        old, new = (self._values_of(side, path) for side in SIDES)
        return all_of(compare(was_there, "==", is_there), compare(old, "==", new))

    def _values_of(self, side: Side, path: FieldPath) -> Expression:
        """Return all values that a sum adds up."""
        many, (segment, *after) = self.many(side, path)
        names, _ = run_of_names(after)
        if isinstance(segment, MapValues):
            if names:
                self.lose(SUM_OF_MAP)
            return many
        if isinstance(segment, Keyed):
            self.lose(SUM_ORDER)
        with self.names.bound("i") as each:
            value = value_or_null(each, names, is_map=True) if names else each
            counted = is_item(each, segment.keys if isinstance(segment, Keyed) else ())
            if isinstance(segment, Items) and not names:
                counted = is_set(each)
            found = macro(macro(many, "filter", each.text, counted, self.turns), "map", each.text, value, self.turns)
        return choose(compare(many, "==", NULL), EMPTY_LIST, found)

    def is_summand(self, value: Value, largest: int | None) -> Expression:
        """See `DynamicForm.is_summand`."""
        self.lose(FRACTION)
        return value.is_a("int")

    def sure_items(self, many: Expression, segment: Segment) -> Expression:
        """See `DynamicForm.sure_items`."""
        return TRUE


def pair_asks(pair: ItemPair) -> bool:
    """Tell whether anything is asked of items that both sides hold, or only the new one."""
    probe = Expression("probe")
    return any(holds.text != "true" for holds in (pair(probe, probe), pair(None, probe)))


def is_time(value: Value) -> Expression:
    """Return that a value is a time."""
    return all_of(value.is_a("string"), method(value.it, "matches", literal(RFC_3339)))


def is_quantity(value: Value) -> Expression:
    """Return that a value is a quantity in a string."""
    return all_of(value.is_a("string"), call("isQuantity", value.it))


def as_quantity(value: Value) -> Expression:
    """Return a number or a quantity as a quantity."""
    return call("quantity", call("string", value.it))


def is_empty(items: Expression) -> Expression:
    """Return that a list has no items."""
    return compare(method(items, "size"), "==", literal(0))
