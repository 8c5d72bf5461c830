"""Predicates: what `when` asks before an invariant is judged, and what `require` demands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from rules.fieldpath import custom_error
from rules.model import Model, OnePath, Text, also_in_cel
from rules.patterns import PatternError, compile_pattern
from rules.reading import Reader, reader
from rules.values import text

Operator: TypeAlias = Literal["In", "NotIn", "Exists", "DoesNotExist", "Matches"]


class Predicate(Model):
    """A question about one field, before or after the write."""

    model_config = also_in_cel(
        (
            "(self.operator in ['In', 'NotIn', 'Matches']) == has(self.values)",
            "In, NotIn and Matches need values, Exists and DoesNotExist take none",
        ),
    )

    field: OnePath = Field(description="The field that is asked; a path that names one value.")
    operator: Operator = Field(
        description="In and NotIn compare the value as text with `values`; Exists and DoesNotExist ask whether it is there "
        "(null is not); Matches matches the whole value with any of the regular expressions in `values`."
    )
    values: list[Text] | None = Field(
        default=None,
        min_length=1,
        max_length=256,
        description='Strings to compare with; numbers and booleans are written as text ("3", "true"), and "" is absent.',
    )
    of: Literal["new", "old"] = Field(default="new", description="Whether the field is read after or before the write.")

    @model_validator(mode="after")
    def _values_fit(self) -> Predicate:
        wants_values = self.operator in {"In", "NotIn", "Matches"}
        if wants_values and self.values is None:
            raise PydanticCustomError("predicate-values", "{operator} needs `values`", {"operator": self.operator})
        if not wants_values and self.values is not None:
            raise PydanticCustomError("predicate-values", "{operator} takes no `values`", {"operator": self.operator})
        return self

    @field_validator("values", mode="after")
    @classmethod
    def _patterns_compile(cls, values: list[str] | None, info: Any) -> list[str] | None:
        if info.data.get("operator") == "Matches":
            for index, pattern in enumerate(values or ()):
                try:
                    compile_pattern(pattern)
                except PatternError as error:
                    raise custom_error("pattern", error.message, error.offset, index) from None
        return values

    def sentence(self) -> str:
        """Return the predicate in plain words."""
        side = " before the write" if self.of == "old" else ""
        return f"{self.field} {answer(self.operator, self.values or ())}{side}"


def answer(operator: Operator, values: Sequence[str]) -> str:
    """Return in plain words what an operator says of a value."""
    names = [f'"{value}"' if value else "unset" for value in values]
    match operator:
        case "In":
            return f"is {' or '.join(names)}"
        case "NotIn":
            return f"is none of {', '.join(names)}" if len(names) > 1 else f"is not {names[0]}"
        case "Matches":
            return f"matches {' or '.join(names)}"
        case "Exists":
            return "is set"
        case "DoesNotExist":
            return "is not set"


Holds: TypeAlias = Callable[[Any], bool]


class CompiledPredicate:
    """A predicate ready to be asked: `read` gives what it reads of either side, `accepts` judges what was read."""

    __slots__ = ("accepts", "of_old", "read")

    def __init__(self, source: Predicate) -> None:
        self.read: Reader = reader(source.field)
        self.of_old = source.of == "old"
        self.accepts = _test(source)


def _test(predicate: Predicate) -> Holds:
    if predicate.operator == "Exists":
        return lambda value: value is not None
    if predicate.operator == "DoesNotExist":
        return lambda value: value is None
    if predicate.operator == "Matches":
        matchers = [compile_pattern(pattern) for pattern in predicate.values or ()]
        return lambda value: _matches(matchers, text(value))
    values = frozenset(predicate.values or ())
    if predicate.operator == "In":
        return lambda value: ("" if value is None else text(value)) in values
    return lambda value: value is None or text(value) not in values


def _matches(matchers: list[Callable[[str], bool]], value: str | None) -> bool:
    return value is not None and any(matches(value) for matches in matchers)
