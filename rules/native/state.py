"""A value as predicates and transitions see it: a scalar as text, absent as the empty text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from rules.native.expression import FALSE, TRUE, Expression, all_of, any_of, call, choose, compare, literal, one_of
from rules.native.value import Value

NO_STATE: Final = "{...}"
"""What an object or a list is as a state: like no state that a rule names."""


def may_be_written_otherwise(text: str) -> bool:
    """Tell whether a text may stand for a number or a boolean."""
    return text in {"true", "false"} or text.lstrip("-")[:1].isdigit()


def as_text(value: Value) -> Expression:
    """Return a scalar as text: '' if absent, NO_STATE for an object or a list."""
    if value.type == "string":
        return choose(value.present, value.it, literal(""))
    if value.type:
        written = call("string", value.it) if value.type in {"int", "bool", "double"} else literal(NO_STATE)
        return choose(value.present, written, literal(""))
    is_text, is_scalar = value.is_a("string"), value.is_a("bool", "int", "double")
    other = choose(is_scalar, call("string", value.it), literal(NO_STATE))
    return choose(is_text, value.it, choose(value.absent, literal(""), other))


@dataclass(frozen=True, slots=True)
class State:
    """A state: `text`, or where it surely is a text or absent the value itself (`absent` then tells which).

    `is_told`: whether two texts were compared already, so that only what is absent can still be one state.
    """

    text: Expression
    absent: Expression | None = None
    is_told: bool = field(default=False, kw_only=True)

    @property
    def is_unset(self) -> Expression:
        """That there is none."""
        return any_of(self.absent or FALSE, compare(self.text, "==", literal("")))

    def is_one_of(self, names: Collection[str] | None) -> Expression:
        """Return that it is one of some; `*` is any but an object or a list, and "" is unset."""
        if names is None:
            return FALSE
        if "*" in names:
            return TRUE if self.absent is not None else compare(self.text, "!=", literal(NO_STATE))
        return self.is_named(names)

    def is_named(self, names: Collection[str]) -> Expression:
        """Return the same where `*` is a name like others."""
        unset = self.absent if self.absent is not None and "" in names else FALSE
        return any_of(unset, one_of(self.text, names))

    def stays(self, other: State) -> Expression:
        """Return that two states are one."""
        if self.is_told and self.absent is not None and other.absent is not None:
            return all_of(self.absent, other.absent)
        is_one = TRUE if self.absent is not None else compare(self.text, "!=", literal(NO_STATE))
        return all_of(compare(self.text, "==", other.text), is_one)
