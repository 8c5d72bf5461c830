"""A form: how kinds say what must hold. Kinds know no more of CEL than is here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rules.fieldpath import FieldPath
from rules.native.expression import FALSE, ZERO, Expression, choose
from rules.native.state import State
from rules.native.value import Single, Value, Visit
from rules.relations import Relation

Side: TypeAlias = Literal["old", "new"]


class CannotSayError(Exception):
    """What a form cannot say at all; the message is the reason, as the rest of a sentence: "reads managedFields"."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that must hold after a write, of one or several checks of an invariant.

    `holds` says it, and raises CannotSayError where the form cannot. `says` is the sentence for people. `paths` are the fields
    that it reads. `on_create`: whether it is asked of a write that creates the object.
    """

    holds: Callable[[], Expression]
    says: str
    paths: tuple[FieldPath, ...]
    on_create: bool = False


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a relation: a field, or a sum over many. See `relations.missing` for what the parts are for."""

    absent: Expression
    incomplete: Expression
    skipped: Expression
    is_integer: Expression
    total: Expression


class Form(ABC):
    """One way of saying invariants in CEL."""

    creates: Expression
    """That the write creates the object; constant if the rule sees no such write."""

    is_quick = False
    """Whether the form says only what is true of most writes that are fine, in as few steps as can be."""

    @abstractmethod
    def lose(self, what: str) -> None:
        """Say that something is said otherwise here than we judge: a line of what is lost, or that it is called a suspect."""

    @abstractmethod
    def assuming(self, sure: Expression, formula: Expression, otherwise: Expression | None = None) -> Expression:
        """Return a formula that means what we mean where `sure` is true.

        Otherwise `otherwise` is the exact answer; None if the formula is right of any value.
        """

    @abstractmethod
    def unless_same(self, same: Expression, holds: Expression) -> Expression:
        """Return that something holds, or that neither what it is about nor what `when` reads changed.

        A form may leave that out where an honest write is not taken for a suspect by it.
        """

    @abstractmethod
    def only_if_changed(self, same: Expression, holds: Expression) -> Expression:
        """Return the same, always with the question what changed."""

    @abstractmethod
    def is_number(self, value: Value) -> Expression:
        """Return that a value is a number."""

    def number_or_zero(self, value: Value) -> Expression:
        """Return a number, 0 for what is none."""
        return value.it if value.is_zero_if_absent else choose(self.is_number(value), value.it, ZERO)

    def is_current(self, number: Value, *, or_zero: bool) -> Expression:
        """Return that a number is the generation of the object, which did not go back, or 0; false unless `is_quick`."""
        return FALSE

    def stays_current(self, old: Value, new: Value) -> Expression:
        """Return that a number is the generation of the object and did not change; false unless `is_quick`."""
        return FALSE

    def surely_same_member(self, old: Value, new: Value, name: str) -> Expression:
        """Return that two items hold the same short text in a member, or neither has it if `is_quick`.

        False where `same` is as quick.
        """
        return FALSE

    @abstractmethod
    def sure_numbers(self, *values: Value) -> Expression:
        """Return that values are absent, or numbers that compare as ours do."""

    @abstractmethod
    def same(self, old: Value, new: Value) -> Expression:
        """Return that two values are equal."""

    @abstractmethod
    def same_deep(self, old: Value, new: Value, *, depth: int = 1) -> Expression:
        """Return that two values, which may be objects or lists, are equal; `depth`: how deep they are as a rule."""

    @abstractmethod
    def differ(self, old: Value, new: Value) -> Expression:
        """Return that two values are not equal."""

    @abstractmethod
    def rarely(self, formula: Expression) -> Expression:
        """Return what makes a write fine that hardly ever happens; a form may do without."""

    @abstractmethod
    def sure_states(self, values: Sequence[Value], names: Collection[str]) -> Expression:
        """Return that values are absent, or scalars that compare with these texts as ours do."""

    @abstractmethod
    def let_state(self, value: Value, names: Collection[str], then: Callable[[State], Expression]) -> Expression:
        """Return what holds of a value as a state; `names` are all that it is compared with."""

    @abstractmethod
    def is_measure(self, value: Value) -> Expression:
        """Return that a value is a number, a time or a quantity."""

    @abstractmethod
    def comparable(self, old: Value, new: Value) -> Expression:
        """Return that two measures can be compared: numbers and quantities, or times."""

    @abstractmethod
    def not_less(self, old: Value, new: Value) -> Expression:
        """Return that `new` is not less than `old`, of two that can be compared."""

    @abstractmethod
    def is_nothing(self, value: Value) -> Expression:
        """Return that a measure is a number or quantity of at most 0."""

    @abstractmethod
    def same_time(self, old: Value, new: Value) -> Expression:
        """Return that two values are the same instant, or equal."""

    @abstractmethod
    def other_time(self, old: Value, new: Value) -> Expression:
        """Return that they are not."""

    @abstractmethod
    def not_earlier(self, old: Value, new: Value) -> Expression:
        """Return that `new` is no earlier time than `old`, or that one of them is no time."""

    def surely_not_earlier(self, old: Value, new: Value) -> Expression:
        """Return that both are times, and `new` is no earlier one; false where `not_less` compares times."""
        return FALSE

    @abstractmethod
    def matches(self, value: Value, patterns: Sequence[str]) -> Expression:
        """Return that a scalar matches one of the patterns as a whole."""

    @abstractmethod
    def sure_match(self, value: Value) -> Expression:
        """Return that a value is absent, or a scalar that the API server matches as we do."""

    @abstractmethod
    def let(self, value: Expression, then: Callable[[Expression], Expression]) -> Expression:
        """Return what holds of a value that is given a name."""

    @abstractmethod
    def let_values(self, old: Value, new: Value, then: Callable[[Value, Value], Expression]) -> Expression:
        """Return what holds of two values that are given names."""

    @abstractmethod
    def expression(self, expression: str, same: Expression | None) -> Expression:
        """Return an expression of a rule itself; `same` says that nothing that it reads changed, None if nobody can tell."""

    @abstractmethod
    def digest(self, members: Sequence[Single], digest: Single) -> Expression:
        """Return that a digest fits its group. Raises CannotSayError."""

    @abstractmethod
    def one_manager(self) -> Expression:
        """Return that one field manager owns a group. Raises CannotSayError."""

    @abstractmethod
    def generation(self, side: Side) -> Expression:
        """Return `metadata.generation`, 0 where there is none. Raises CannotSayError."""

    @abstractmethod
    def pairs(self, path: FieldPath, visit: Visit) -> Expression:
        """Return what must hold of every field that a path names. Raises CannotSayError."""

    @abstractmethod
    def singles(self, paths: Sequence[FieldPath], then: Callable[[list[Single]], Expression]) -> Expression:
        """Return what holds of fields that are judged together. Raises CannotSayError."""

    @abstractmethod
    def same_numbers(self, paths: Sequence[FieldPath]) -> Expression:
        """Return that nothing that a relation reads changed; false where `unless_same` does not ask."""

    @abstractmethod
    def amounts(self, relation: Relation, then: Callable[[list[Amount]], Expression]) -> Expression:
        """Return what holds of the numbers of a relation, in its order. Raises CannotSayError."""

    @abstractmethod
    def member(self, item: Value, name: str) -> Value:
        """Return a member of an item of a list that is an object."""
