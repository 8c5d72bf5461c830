"""Where a rule uses field paths, and what for: found by walking its spec, whatever kinds of invariants there are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from pydantic import BaseModel

from rules.api import RuleSpec
from rules.cel.language import ResultType
from rules.cel.program import compile_cel
from rules.cel.reads import field_paths
from rules.fieldpath import FieldPath
from rules.predicates import Predicate
from rules.problem import Location
from rules.relations import Relation
from rules.roles import Role, role_of

_RESULTS: Final[Mapping[Role, ResultType]] = {Role.EXPRESSION: "bool", Role.MESSAGE: "string"}

_UNSET_OR_ANY: Final = frozenset({"", "*"})

Values: TypeAlias = tuple[tuple[Location, str], ...]
"""Values, as text, each with its location."""


@dataclass(frozen=True, slots=True)
class Use:
    """A path in a rule. Locations start at the rule's document.

    `offset` is where in the string at `location` the path starts; None where the string does not spell it. `values` are those
    that the field is compared with. `default_of` is the location of the field that the document leaves to its default.
    """

    location: Location
    path: FieldPath
    role: Role = Role.ANYTHING
    offset: int | None = 0
    values: Values = ()
    default_of: Location | None = None


def uses(spec: RuleSpec) -> Iterator[Use]:
    """Yield every path that a rule uses."""
    return _of_model(spec, ("spec",))


def _of_model(model: BaseModel, location: Location) -> Iterator[Use]:
    if isinstance(model, Predicate):
        yield _of_predicate(model, location)
        return
    for name, info in type(model).model_fields.items():
        value, here = getattr(model, name), (*location, info.alias or name)
        values = tuple(_values(model, location)) if isinstance(value, FieldPath) else ()
        default_of = here if name not in model.model_fields_set else None
        for use in _of_value(value, here, role_of(type(model), name)):
            yield replace(use, values=values or use.values, default_of=default_of or use.default_of)


def _of_value(value: Any, location: Location, role: Role) -> Iterator[Use]:
    match value:
        case FieldPath():
            yield Use(location, value, role)
        case Relation():
            yield from _of_relation(value, location)
        case BaseModel():
            yield from _of_model(value, location)
        case list():
            for index, item in enumerate(value):
                yield from _of_value(item, (*location, index), role)
        case str() if role in _RESULTS:
            yield from _of_expression(value, _RESULTS[role], location)


def _of_predicate(predicate: Predicate, location: Location) -> Use:
    role = Role.ANYTHING if predicate.values is None else Role.SCALAR
    values = predicate.values if predicate.operator in {"In", "NotIn"} else None
    located = (((*location, "values", index), value) for index, value in enumerate(values or ()))
    return Use((*location, "field"), predicate.field, role, values=tuple(each for each in located if each[1]))


def _of_relation(relation: Relation, location: Location) -> Iterator[Use]:
    start = 0
    for path in relation.paths:
        # Between two paths there are only numbers, operators and `sum(`, none of which holds the text of a path.
        start = relation.written.index(path.written, start)
        yield Use(location, path, Role.NUMBER, start)
        start += len(path.written)


def _of_expression(expression: str, result: ResultType, location: Location) -> Iterator[Use]:
    for path in field_paths(compile_cel(expression, result).reads.parts):
        match = re.search(rf"\b(?:object|oldObject)\.{re.escape(path.written)}(?!\w)", expression)
        yield Use(location, path, offset=match.end() - len(path.written) if match else None)


def _values(model: BaseModel, location: Location) -> Iterator[tuple[Location, str]]:
    """Yield the values in a model, and in the models in it, that are compared with the field of a path of the model."""
    for name, info in type(model).model_fields.items():
        found, here = getattr(model, name), (*location, info.alias or name)
        if isinstance(found, list):
            for index, item in enumerate(found):
                if isinstance(item, BaseModel):
                    yield from _values(item, (*here, index))
                elif role_of(type(model), name) is Role.VALUE and item not in _UNSET_OR_ANY:
                    yield (*here, index), item
