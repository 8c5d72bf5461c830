"""Relations between fields: `status.replicas == status.readyReplicas + sum(status.parts[*].replicas)`.

Paths, integers, `+` and `-` (with spaces around them, because names may hold a "-"), `sum()`, and one comparison.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema

from rules.check import Check, Finding, literal
from rules.fieldpath import FieldPath, parse_prefix, parsed_schema
from rules.pairing import Pair
from rules.path_syntax import FieldPathError
from rules.reading import Reader, Tally, all_values, reader
from rules.values import Number, equal, number
from rules.write import Roots, Write

MissingPolicy: TypeAlias = Literal["Skip", "Zero"]

ABSENT: Final[dict[MissingPolicy, str]] = {
    "Skip": "not judged while a field of it is absent",
    "Zero": "an absent field counts as 0",
}
"""What an absent path means to a relation, in words."""

_COMPARISONS: Final[dict[str, Callable[[Number, Number], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_COMPARISON: Final = re.compile(r"\s*(<=|>=|==|!=|<|>)\s*")
_PLUS_MINUS: Final = re.compile(r"\s+([+-])\s+")
_INTEGER: Final = re.compile(r"-?[0-9]+", re.ASCII)
_SUM: Final = re.compile(r"sum\(\s*")


@dataclass(frozen=True, slots=True)
class Term:
    """An integer or a path (inside `sum()` if it names many values), added or subtracted."""

    sign: Literal[1, -1]
    value: int | FieldPath


@dataclass(frozen=True, slots=True)
class Relation:
    """A parsed relation; `written` is how the rule spells it."""

    written: str
    left: tuple[Term, ...]
    comparison: str
    right: tuple[Term, ...]

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """Every path in the relation, in order."""
        return tuple(term.value for term in self.left + self.right if isinstance(term.value, FieldPath))

    def __str__(self) -> str:
        return self.written

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """In documents a relation is a string of at most 1,024 characters."""
        return parsed_schema("relation", parse)


def parse(written: str) -> Relation:
    """Parse a relation. Raises FieldPathError with the offset of the mistake."""
    start = len(written) - len(written.lstrip())
    left, position = _expression(written, start)
    match = _COMPARISON.match(written, position)
    if match is None:
        raise FieldPathError(
            f"expected one of <= < == != >= > (or + or - with spaces), {_found(written, position)}", position
        )
    right, position = _expression(written, match.end())
    if written[position:].lstrip().startswith(("&&", "||")):
        raise FieldPathError("&& and || are for `cel`; here every relation is an entry of its own", position)
    if written[position:].strip():
        raise FieldPathError(
            f"expected + or - with spaces, or the end of the relation, {_found(written, position)}", position
        )
    relation = Relation(written, left, match.group(1), right)
    if not relation.paths:
        raise FieldPathError("a relation must name a field", start)
    return relation


def _found(written: str, position: int) -> str:
    rest = written[position:].lstrip()
    return f"found {rest[0]!r}" if rest else "found the end of the relation"


def _expression(written: str, position: int) -> tuple[tuple[Term, ...], int]:
    value, position = _value(written, position)
    terms = [Term(1, value)]
    while match := _PLUS_MINUS.match(written, position):
        value, position = _value(written, match.end())
        terms.append(Term(1 if match.group(1) == "+" else -1, value))
    return tuple(terms), position


def _value(written: str, position: int) -> tuple[int | FieldPath, int]:
    if match := _INTEGER.match(written, position):
        return int(match.group()), match.end()
    if written[position : position + 1] in {"'", '"'}:
        raise FieldPathError("a relation is between numbers; `require` compares text (operator In)", position)
    if match := _SUM.match(written, position):
        path, end = parse_prefix(written, match.end())
        if path.names_one_value:
            raise FieldPathError("sum() wants a path that names many values, as status.parts[*].replicas", match.end())
        closing = re.compile(r"\s*\)").match(written, end)
        if closing is None:
            raise FieldPathError(f'expected ")", {_found(written, end)}', end)
        return path, closing.end()
    path, end = parse_prefix(written, position)
    if not path.names_one_value:
        raise FieldPathError(f"{path} names many values: write sum({path})", position)
    return path, end


def relation_check(relation: Relation, missing: MissingPolicy) -> Check:
    """Return the check of one relation: it reads all of the paths."""
    paths = relation.paths
    readers = [reader(path) if path.names_one_value else all_values(path) for path in paths]
    compare = _COMPARISONS[relation.comparison]
    zero = missing == "Zero"
    problem = f"breaks {literal(relation.written)}"

    def read(write: Write, tally: Tally) -> list[Pair]:
        return [Pair((), _all(readers, write.old, tally), _all(readers, write.new, tally))]

    def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
        numbers = _numbers(paths, pair.new, tally, zero=zero)
        if numbers is None:
            return None
        found = iter(numbers)
        left = sum(_signed(term, found) for term in relation.left)
        right = sum(_signed(term, found) for term in relation.right)
        if compare(left, right):
            return None
        first = first_changed(pair)
        values = tuple((str(path), value) for path, value in zip(paths, pair.new, strict=True))
        return Finding(str(paths[first]), problem, pair.old[first], pair.new[first], values)

    return Check(read, judge, on_create=True)


def first_changed(pair: Pair) -> int:
    """Return the index of the first value that the write changed in a check that reads several, else 0."""
    changed = (index for index, (old, new) in enumerate(zip(pair.old, pair.new, strict=True)) if not equal(old, new))
    return next(changed, 0)


def _all(readers: Sequence[Reader], roots: Roots, tally: Tally) -> list[Any]:
    return [read(roots, tally) for read in readers]


def _signed(term: Term, found: Any) -> Number:
    value: Number = term.value if isinstance(term.value, int) else next(found)
    return value if term.sign > 0 else -value


def _is_absent(value: Any) -> bool:
    """Whether a path is absent: a list of items counts as absent if no item has the field."""
    return value is None or (type(value) is list and value != [] and all(item is None for item in value))


def _numbers(paths: Sequence[FieldPath], values: Sequence[Any], tally: Tally, *, zero: bool) -> list[Number] | None:
    """Return the numbers of all paths in order, or None if the relation is to be skipped."""
    if zero and all(_is_absent(value) for value in values):
        return None
    numbers: list[Number] = []
    for path, value in zip(paths, values, strict=True):
        single = path.names_one_value
        if value is None and not single:
            return None  # an absent list
        total: Number = 0
        for item in [value] if single else value:
            if item is None and not zero:
                return None
            exact: Number | None = 0 if item is None else number(item)
            if exact is None:
                tally.type_mismatches += 1
                return None
            total += exact
        numbers.append(total)
    return numbers
