"""The suspect form: what is surely fine. Whatever is not is a suspect, and the webhook is called.

Nothing in it can fail, whatever the object holds: an expression that fails is skipped by the API server, silently under
failurePolicy Ignore. So every step is guarded by the type that it needs, lists are paired by index (any misalignment is a
suspect), and what is gone through is bounded, so that no object can exhaust the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rules.fieldpath import FieldPath
from rules.native.alignment import Alignment
from rules.native.dynamic import DynamicForm
from rules.native.expression import (
    FALSE,
    TRUE,
    Expression,
    all_of,
    any_of,
    call,
    choose,
    compare,
    has,
    is_type,
    listed,
    literal,
    macro,
    member,
    method,
    name,
    negate,
)
from rules.native.form import CannotSayError, Side
from rules.native.limits import MAX_TURNS
from rules.native.measures import in_order
from rules.native.plain import is_plain
from rules.native.reader import ItemPair
from rules.native.reads import EMPTY_MAP, typed_or
from rules.native.state import State, may_be_written_otherwise
from rules.native.texts import is_ascii, is_short_text, matched, same_text
from rules.native.value import Single, Value, Visit
from rules.native.variables import Variables, stem_of
from rules.path_syntax import Keyed, Name, Segment, Select


class SuspectForm(DynamicForm):
    """Says what is surely fine.

    `lists`: whether the API server has macros with two variables (Kubernetes 1.33), by which lists are paired. `partly` says
    what is called although it may be fine.
    """

    is_bounded = True
    reads_numbers = True

    def __init__(self, variables: Variables, *, lists: bool = True) -> None:
        super().__init__(variables)
        self.creates = FALSE
        self.guard_same: Expression = TRUE
        self.is_guarded = False
        self.partly: dict[str, None] = {}
        self.pairs_lists = lists

    def lose(self, what: str) -> None:
        """See `Form.lose`: here such values are suspects."""

    def root(self, side: Side, root: str) -> tuple[Expression, list[str], bool]:
        """See `DynamicForm.root`."""
        base = name("object" if side == "new" else "oldObject")
        if root == "metadata":
            return member(base, root), [], True
        found = typed_or(base, [root], "map", EMPTY_MAP, is_map=True)
        return self.variables.named(stem_of(side, [Name(root, root)]), found), [], True

    def selected(self, side: Side, items: Expression, select: Select, segments: Sequence[Segment] | None) -> Expression:
        """See `DynamicForm.selected`. How CEL writes a number as text is not how we do."""
        if any(value.lstrip("-")[:1].isdigit() for _, value in select.keys):
            raise CannotSayError("looks for an item by a number")
        return super().selected(side, items, select, segments)

    def assuming(self, sure: Expression, formula: Expression, otherwise: Expression | None = None) -> Expression:
        """See `Form.assuming`."""
        return all_of(sure, formula)

    def unless_same(self, same: Expression, holds: Expression) -> Expression:
        """See `Form.unless_same`: a fault that was there before is called again, which harms nobody."""
        return holds

    def only_if_changed(self, same: Expression, holds: Expression) -> Expression:
        """See `Form.only_if_changed`."""
        return any_of(all_of(same, self.guard_same), holds)

    def is_number(self, value: Value) -> Expression:
        """See `Form.is_number`."""
        return value.is_a("int")

    def sure_numbers(self, *values: Value) -> Expression:
        """See `Form.sure_numbers`."""
        known = (value for value in values if value.it.text != "null")
        return all_of(
            *(
                value.is_a("int") if value.is_zero_if_absent else any_of(value.is_a("int"), value.absent)
                for value in known
            )
        )

    def surely_same_member(self, old: Value, new: Value, name: str) -> Expression:
        """See `Form.surely_same_member`."""
        before, after = member(old.it, name), member(new.it, name)
        return all_of(has(old.it, name), has(new.it, name), is_short_text(after), same_text(before, after))

    def same(self, old: Value, new: Value) -> Expression:
        """See `Form.same`, of short texts; what else may be is told by its own type."""
        if "null" in (old.it.text, new.it.text):
            return FALSE
        return all_of(is_short_text(new.it), same_text(old.it, new.it))

    def same_deep(self, old: Value, new: Value, *, depth: int = 1) -> Expression:
        """See `Form.same_deep`: a double may equal an integer that it is not, so there must be none."""
        alike = compare(call("type", old.it), "==", call("type", new.it))
        return all_of(alike, _equal(old, new), is_plain(self.names, new.it, depth if self.turns == MAX_TURNS else 1))

    def differ(self, old: Value, new: Value) -> Expression:
        """See `Form.differ`."""
        texts = (any_of(value.absent, value.is_a("string")) for value in (old, new))
        return all_of(*texts, negate(_equal(old, new)))

    def rarely(self, formula: Expression) -> Expression:
        """See `Form.rarely`: what hardly ever happens may be called a suspect."""
        return FALSE

    def sure_states(self, values: Sequence[Value], names: Collection[str]) -> Expression:
        """See `Form.sure_states`."""
        known = [value for value in values if value.it.text != "null"]
        if not any(map(may_be_written_otherwise, names)):
            return all_of(*(any_of(value.absent, value.is_a("string")) for value in known))
        # They are compared with each other as texts, so these must be short.
        return all_of(*(any_of(value.absent, value.is_a("bool", "int"), is_short_text(value.it)) for value in known))

    def let_state(self, value: Value, names: Collection[str], then: Callable[[State], Expression]) -> Expression:
        """See `Form.let_state`: a text is compared as it is."""
        if not any(map(may_be_written_otherwise, names)):
            return then(State(value.it, value.absent, is_told=True))
        text = choose(value.present, call("string", value.it), literal(""))
        return self.names.let(text, "s", lambda state: then(State(state, FALSE)))

    def is_measure(self, value: Value) -> Expression:
        """See `Form.is_measure`."""
        return value.present

    def comparable(self, old: Value, new: Value) -> Expression:
        """See `Form.comparable`."""
        return new.present

    def not_less(self, old: Value, new: Value) -> Expression:
        """See `Form.not_less`."""
        return compare(new.it, ">=", old.it)

    def is_nothing(self, value: Value) -> Expression:
        """See `Form.is_nothing`."""
        return compare(value.it, "<=", literal(0))

    def same_time(self, old: Value, new: Value) -> Expression:
        """See `Form.same_time`."""
        return self.same(old, new)

    def other_time(self, old: Value, new: Value) -> Expression:
        """See `Form.other_time`: different texts may be one instant, and to read them may fail."""
        return FALSE

    def not_earlier(self, old: Value, new: Value) -> Expression:
        """See `Form.not_earlier`."""
        return any_of(old.absent, new.absent, self.same(old, new))

    def surely_not_earlier(self, old: Value, new: Value) -> Expression:
        """See `Form.surely_not_earlier`."""
        return in_order(old, new)

    def matches(self, value: Value, patterns: Sequence[str]) -> Expression:
        """See `Form.matches`."""
        return all_of(value.is_a("string"), matched(value.it, patterns))

    def sure_match(self, value: Value) -> Expression:
        """See `Form.sure_match`: of text beyond ASCII the two regex engines may think differently."""
        return any_of(value.absent, all_of(is_short_text(value.it), is_ascii(value.it)))

    def expression(self, expression: str, same: Expression | None) -> Expression:
        """See `Form.expression`: it may fail, so only what changes nothing of it is sure."""
        if same is None:
            raise CannotSayError("it reads the whole object, which always changes")
        self.partly["called whenever what its expression reads changes"] = None
        return self.only_if_changed(same, FALSE)

    def digest(self, members: Sequence[Single], digest: Single) -> Expression:
        """See `Form.digest`: only what changes nothing is sure."""
        self.partly["called whenever the group or its digest changes"] = None
        same = all_of(*(self.same_deep(each.old, each.new) for each in (*members, digest)))
        return self.only_if_changed(same, FALSE)

    def one_manager(self) -> Expression:
        """See `Form.one_manager`."""
        raise CannotSayError("who owns a field is not compared")

    def bounded(self, collection: Expression, holds: Expression) -> Expression:
        """See `DynamicForm.bounded`."""
        is_small = compare(method(collection, "size"), "<=", literal(self.turns))
        if self.variables.has(collection):
            self.variables.require(is_small)
            return holds
        return all_of(is_small, holds)

    def every(self, items: Expression, each: Expression, keys: Sequence[str], body: Expression) -> Expression:
        """See `DynamicForm.every`."""
        judged = macro(items, "all", each.text, all_of(is_type(each, "map"), body), self.turns)
        return self.names.let(items, "l", lambda listed: self.bounded(listed, judged))

    def items(self, old: Expression, new: Expression, keys: Sequence[str], visit: Visit, pair: ItemPair) -> Expression:
        """See `DynamicForm.items`: paired by index."""
        if self.pairs_lists:
            return Alignment(self, keys).items(old, new, visit, pair)
        self.partly["lists are paired by Kubernetes 1.33 and newer only"] = None
        return all_of(*(compare(method(side, "size"), "==", literal(0)) for side in (old, new)))

    def are_unique(self, items: Expression, keys: Sequence[str]) -> Expression:
        """See `DynamicForm.are_unique`."""
        return Alignment(self, keys).is_unique(items)

    def same_numbers(self, paths: Sequence[FieldPath]) -> Expression:
        """See `Form.same_numbers`."""
        return FALSE

    def is_summand(self, value: Value, largest: int | None) -> Expression:
        """See `DynamicForm.is_summand`."""
        if largest is None:
            return value.is_a("int")
        within = all_of(compare(value.it, "<=", literal(largest)), compare(value.it, ">=", literal(-largest)))
        return all_of(value.is_a("int"), within)

    def sure_items(self, many: Expression, segment: Segment) -> Expression:
        """See `DynamicForm.sure_items`."""
        if isinstance(segment, Keyed):
            return Alignment(self, segment.keys).is_unique(many)
        return compare(method(many, "size"), "<=", literal(MAX_TURNS))


def _equal(old: Value, new: Value) -> Expression:
    # Within lists, because there the API server does not charge for the length of a text.
    return compare(listed(old.it), "==", listed(new.it))
