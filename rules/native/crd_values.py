"""What is said of two values whose types a schema tells."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from rules.native.crd_field import Field, anywhere, same_field, type_of
from rules.native.crd_losses import ANY_ORDER, DOUBLE, TIME_TEXT
from rules.native.exact import ExactForm
from rules.native.expression import (
    FALSE,
    TRUE,
    ZERO,
    Expression,
    all_of,
    any_of,
    call,
    choose,
    compare,
    literal,
    method,
    one_of,
)
from rules.native.form import CannotSayError, Side
from rules.native.losses import FRACTION_AS_TEXT, NULLS, ODD_TIME, QUANTITY
from rules.native.measures import is_quantity, is_time
from rules.native.state import State
from rules.native.value import Value
from rules.schemas.schema import Schema

_ORDERED: Final = frozenset({"int", "double", "timestamp"})
_UNKNOWN_ORDER: Final = frozenset({"date", "duration", "bytes"})


@dataclass(frozen=True, slots=True)
class FieldState(State):
    """The text of a field of a known type: what is asked of it is asked only if it is there."""

    value: Value | None = None

    @property
    def is_unset(self) -> Expression:
        """See `State.is_unset`."""
        assert self.value is not None  # noqa: S101  made below, with a field
        return any_of(self.value.absent, compare(self.text, "==", literal("")))

    def is_one_of(self, names: Collection[str] | None) -> Expression:
        """See `State.is_one_of`."""
        if names is None:
            return FALSE
        return TRUE if "*" in names else self.is_named(names)

    def is_named(self, names: Collection[str]) -> Expression:
        """See `State.is_named`."""
        assert self.value is not None  # noqa: S101  made below, with a field
        named = one_of(self.text, names)
        return any_of(self.value.absent, named) if "" in names else all_of(self.value.present, named)

    def stays(self, other: State) -> Expression:
        """See `State.stays`: two texts are one if both are there and equal, or neither says anything."""
        assert self.value is not None  # noqa: S101  made below, with a field
        if not isinstance(other, FieldState) or other.value is None:
            return State.stays(self, other)
        both = all_of(self.value.present, other.value.present, compare(self.text, "==", other.text))
        return any_of(all_of(self.is_unset, other.is_unset), both)


@dataclass(frozen=True, slots=True)
class NoState(FieldState):
    """An object or a list: no state that a rule names."""

    def is_one_of(self, names: Collection[str] | None) -> Expression:
        """See `State.is_one_of`."""
        return self.is_named([] if names is None else ["" if each == "*" else each for each in names])

    def is_named(self, names: Collection[str]) -> Expression:
        """See `State.is_named`."""
        assert self.value is not None  # noqa: S101  made below, with a field
        return self.value.absent if "" in names else FALSE

    @property
    def is_unset(self) -> Expression:
        """See `State.is_unset`."""
        assert self.value is not None  # noqa: S101  made below, with a field
        return self.value.absent

    def stays(self, other: State) -> Expression:
        """See `State.stays`."""
        return all_of(self.is_unset, other.is_unset)


class TypedValues(ExactForm):
    """Says what holds of two fields of one type; of an integer-or-string as the exact form does of any value."""

    def same(self, old: Value, new: Value) -> Expression:
        """See `Form.same`."""
        if isinstance(new, Field) and new.schema is not None:
            for test, loss in _LOST_IF.items():
                if anywhere(new.schema, test):
                    self.lose(loss)
            self.compared(new)
        return same_field(old, new)

    @abstractmethod
    def measured(self, field: Field) -> None:
        """Note that a text is read as a time or a quantity, if nobody knows how long it may be."""

    @abstractmethod
    def compared(self, field: Field) -> None:
        """Note that a text is compared, where what that costs is multiplied."""

    def same_deep(self, old: Value, new: Value, *, depth: int = 1) -> Expression:
        """See `Form.same_deep`."""
        return self.same(old, new)

    def let(self, value: Expression, then: Callable[[Expression], Expression]) -> Expression:
        """See `Form.let`: a name only for what is used several times."""
        holds = then(value)
        return holds if holds.text.count(value.text) < 2 else self.names.let(value, "v", then)

    def let_values(self, old: Value, new: Value, then: Callable[[Value, Value], Expression]) -> Expression:
        """See `Form.let_values`."""
        return then(old, new)

    def sure_states(self, values: Sequence[Value], names: Collection[str]) -> Expression:
        """See `Form.sure_states`."""
        if any(value.type == "double" for value in values):
            self.lose(FRACTION_AS_TEXT)
        return TRUE

    def let_state(self, value: Value, names: Collection[str], then: Callable[[State], Expression]) -> Expression:
        """See `Form.let_state`."""
        if value.type in {"list", "map"} or value.present.text == "false":
            return then(NoState(literal(""), None, value))
        if value.type == "string":
            return then(FieldState(value.it, None, value))
        # The API server takes the text of a number to be as long as a text can be; of a name it does not know.
        return self.names.let(choose(value.present, _text(value), literal("")), "t", lambda text: then(State(text)))

    def is_measure(self, value: Value) -> Expression:
        """See `Form.is_measure`."""
        if value.type in _UNKNOWN_ORDER:
            raise CannotSayError(f"the schema makes {_path(value)} a {value.type}, which has another order here")
        if value.type in _ORDERED:
            return value.present
        if isinstance(value, Field) and value.type in {"", "string"}:
            self.measured(value)
        return super().is_measure(value)

    def comparable(self, old: Value, new: Value) -> Expression:
        """See `Form.comparable`."""
        return all_of(old.present, new.present) if new.type in _ORDERED else super().comparable(old, new)

    def not_less(self, old: Value, new: Value) -> Expression:
        """See `Form.not_less`."""
        if new.type == "double":
            self.lose(DOUBLE)
        if new.type in _ORDERED:
            return compare(new.it, ">=", old.it)
        if new.type != "string":
            return super().not_less(old, new)
        self.lose(ODD_TIME)
        self.lose(QUANTITY)
        times = compare(call("timestamp", new.it), ">=", call("timestamp", old.it))
        order = method(call("quantity", new.it), "compareTo", call("quantity", old.it))
        return choose(is_time(old), times, compare(order, ">=", ZERO))

    def is_nothing(self, value: Value) -> Expression:
        """See `Form.is_nothing`."""
        if value.type == "timestamp":
            return FALSE
        order = method(call("quantity", value.it), "compareTo", call("quantity", literal("0")))
        is_zero = all_of(is_quantity(value), compare(order, "<=", ZERO))
        return choose(self.is_number(value), compare(value.it, "<=", ZERO), is_zero)

    def _is_time(self, value: Value) -> Expression:
        return is_time(value)  # a schema's rules have no variables

    def same_time(self, old: Value, new: Value) -> Expression:
        """See `Form.same_time`."""
        return same_field(old, new) if new.type == "timestamp" else super().same_time(old, new)

    def not_earlier(self, old: Value, new: Value) -> Expression:
        """See `Form.not_earlier`."""
        if new.type != "timestamp":
            return super().not_earlier(old, new)
        return any_of(old.absent, new.absent, compare(new.it, ">=", old.it))

    def matches(self, value: Value, patterns: Sequence[str]) -> Expression:
        """See `Form.matches`."""
        if value.type in {"list", "map"}:
            return FALSE
        whole = literal(rf"\A(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})\z")
        if value.type == "string" and not (isinstance(value, Field) and value.is_found):
            return all_of(value.present, method(value.it, "matches", whole))
        return all_of(value.present, self.names.let(_text(value), "t", lambda text: method(text, "matches", whole)))

    def generation(self, side: Side) -> Expression:
        """See `Form.generation`."""
        raise CannotSayError("metadata.generation cannot be read")

    def expression(self, expression: str, same: Expression | None) -> Expression:
        """See `Form.expression`."""
        raise CannotSayError("cel: written for `object` and `oldObject`, whose fields have no types")


def _text(value: Value) -> Expression:
    if value.type == "string":
        return value.it
    if value.type not in {"int", "double", "bool", ""}:
        raise CannotSayError(f"the schema makes {_path(value)} a {value.type}, whose text cannot be read")
    return call("string", value.it)


def _path(value: Value) -> str:
    return value.path.removeprefix(".") if isinstance(value, Field) else "a value"


def _is_time(schema: Schema) -> bool:
    return schema.types == {"string"} and type_of(schema) not in {"string", ""}


def _is_unordered(schema: Schema) -> bool:
    return schema.raw.get("x-kubernetes-list-type") in {"map", "set"}


def _is_double(schema: Schema) -> bool:
    return schema.types == {"number"}


def _may_hold_null(schema: Schema) -> bool:
    return True in {schema.raw.get("nullable"), schema.raw.get("x-kubernetes-preserve-unknown-fields")}


_LOST_IF: Final[dict[Callable[[Schema], bool], str]] = {
    _is_time: TIME_TEXT,
    _is_unordered: ANY_ORDER,
    _is_double: DOUBLE,
    _may_hold_null: NULLS,
}
"""What is said otherwise of a value if a schema at or below it is such."""
