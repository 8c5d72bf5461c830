"""The exact form: true if the write is fine. For native policies, where expressions may name what they share (`variables`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rules.fieldpath import FieldPath
from rules.native.dynamic import DynamicForm
from rules.native.expression import (
    FALSE,
    NULL,
    TRUE,
    Expression,
    all_of,
    any_of,
    call,
    choose,
    compare,
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
    LONG_LISTS,
    NULLS,
    ODD_TIME,
    QUANTITY,
    TWINS,
)
from rules.native.measures import as_quantity, is_quantity, is_time
from rules.native.reader import ItemPair
from rules.native.reads import (
    EMPTY_MAP,
    is_item,
    typed_or,
)
from rules.native.same_numbers import is_same_read
from rules.native.search import Search
from rules.native.state import State, as_text, may_be_written_otherwise
from rules.native.value import Single, Value, Visit
from rules.native.variables import Variables, stem_of
from rules.path_syntax import Name, Segment, Select


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
        return any_of(self.is_number(value), self._is_time(value), is_quantity(value))

    def comparable(self, old: Value, new: Value) -> Expression:
        """See `Form.comparable`."""
        amounts = (any_of(self.is_number(value), is_quantity(value)) for value in (old, new))
        return any_of(all_of(*amounts), all_of(self._is_time(old), self._is_time(new)))

    def not_less(self, old: Value, new: Value) -> Expression:
        """See `Form.not_less`."""
        self.lose(ODD_TIME)
        self.lose(QUANTITY)
        numbers = all_of(self.is_number(old), self.is_number(new))
        times = compare(call("timestamp", new.it), ">=", call("timestamp", old.it))
        order = method(as_quantity(new), "compareTo", as_quantity(old))
        quantities = compare(order, ">=", literal(0))
        return choose(numbers, compare(new.it, ">=", old.it), choose(self._is_time(old), times, quantities))

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
        return any_of(self.same(old, new), all_of(self._is_time(old), self._is_time(new), times))

    def other_time(self, old: Value, new: Value) -> Expression:
        """See `Form.other_time`."""
        return negate(self.same_time(old, new))

    def not_earlier(self, old: Value, new: Value) -> Expression:
        """See `Form.not_earlier`."""
        times = compare(call("timestamp", new.it), ">=", call("timestamp", old.it))
        return any_of(negate(self._is_time(old)), negate(self._is_time(new)), times)

    def matches(self, value: Value, patterns: Sequence[str]) -> Expression:
        """See `Form.matches`."""
        self.lose(FRACTION_AS_TEXT)
        whole = literal(rf"\A(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})\z")
        scalar = value.is_a("string", "bool", "int", "double")
        return all_of(scalar, method(call("string", value.it), "matches", whole))

    def sure_match(self, value: Value) -> Expression:
        """See `Form.sure_match`."""
        return TRUE

    def expression(self, expression: str, same: Expression | None) -> Expression:
        """See `Form.expression`."""
        # A comment at the end would swallow the bracket.
        own = Expression(f"({expression}\n)" if "//" in expression else f"({expression})")
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

    def items(self, old: Expression, new: Expression, keys: Sequence[str], visit: Visit, pair: ItemPair) -> Expression:
        """See `DynamicForm.items`: each new item is looked up among the old ones."""
        self.lose(TWINS)
        self.lose(LONG_LISTS)
        return Search(self, keys).items(old, new, visit, pair)

    def are_unique(self, items: Expression, keys: Sequence[str]) -> Expression:
        """See `DynamicForm.are_unique`."""
        return Search(self, keys).are_unique(items)

    def let(self, value: Expression, then: Callable[[Expression], Expression]) -> Expression:
        """See `Form.let`: what reads nothing but variables becomes one."""
        shared = self.variables.derived(value, "value")
        return super().let(value, then) if shared is None else then(shared)

    def _is_time(self, value: Value) -> Expression:
        found = is_time(value)
        return self.variables.derived(found, "is_time") or found

    def same_numbers(self, paths: Sequence[FieldPath]) -> Expression:
        """See `Form.same_numbers`."""
        return all_of(*(is_same_read(self, path) for path in paths))

    def is_summand(self, value: Value, largest: int | None) -> Expression:
        """See `DynamicForm.is_summand`."""
        self.lose(FRACTION)
        return value.is_a("int")

    def sure_items(self, many: Expression, segment: Segment) -> Expression:
        """See `DynamicForm.sure_items`."""
        return TRUE
