"""A field on one side of a write, as an expression has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from rules.native.expression import (
    FALSE,
    NULL,
    TRUE,
    ZERO,
    Expression,
    any_of,
    choose,
    compare,
    is_type,
    negate,
)
from rules.native.optionals import member_or


@dataclass(frozen=True, slots=True)
class Value:
    """A field: whether it is there (null is not), and its value where it is.

    `type` is its CEL type where a schema tells it. Where none does, the value is null if the field is absent, so that it may be
    asked for its type. `is_zero_if_absent`: 0 in its stead.
    """

    present: Expression
    it: Expression
    type: str = ""
    is_zero_if_absent: bool = field(default=False, kw_only=True)

    @property
    def absent(self) -> Expression:
        """That the field is not there."""
        return negate(self.present)

    def is_a(self, *kinds: str) -> Expression:
        """Return that the field is there and has one of these types."""
        if self.type:
            return self.present if self.type in kinds else FALSE
        return any_of(*(is_type(self.it, kind) for kind in kinds))


ABSENT: Final = Value(FALSE, NULL, "null")
"""A field of an item that is not there."""


def dynamic(it: Expression) -> Value:
    """Return a field of unknown type: null where it is absent."""
    return Value(compare(it, "!=", NULL), it)


def as_number(read: Expression) -> Value:
    """Return what is read as a number, which is 0 if it is absent."""
    return Value(TRUE, read, is_zero_if_absent=True)


def number_of(holder: Expression, name: str) -> Value:
    """Return a member of a map as a number, 0 if it is absent."""
    return as_number(member_or(holder, [name], ZERO))


def number(value: Value, *kinds: str) -> Expression:
    """Return the value of a field of one of these number types, 0 for anything else."""
    return choose(value.is_a(*kinds), value.it, ZERO)


Holds: TypeAlias = Callable[[Value, Value], Expression]
HoldsAlone: TypeAlias = Callable[[Value], Expression]


@dataclass(frozen=True, slots=True)
class Visit:
    """What must hold of the fields that a path names.

    `pair`: of a field before and after. `fresh`: of a field of an item that was not there before. `gone`: of one whose item is
    no longer there. None: anything may be. `unique`: whether the last keys of the path may name only one item. `alike`: whether
    an item that is not there holds a field just as one that lacks it (`gone`, where there is one, too). `numbers`: whether the
    fields are numbers, of which an absent one is 0. `alone`: what of a field after the write is fine whatever was before, also
    in a new item (None: there is no such thing).
    """

    pair: Holds
    fresh: HoldsAlone | None = None
    gone: HoldsAlone | None = None
    unique: bool = False
    alike: bool = False
    numbers: bool = False
    alone: HoldsAlone | None = None


@dataclass(frozen=True, slots=True)
class Single:
    """The one field that a path names, before and after; `gone`: that the list item that held it is no longer there."""

    old: Value
    new: Value
    gone: Expression = FALSE
