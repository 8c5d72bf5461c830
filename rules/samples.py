"""Values worth trying: from these `rules.witness` builds the examples that `explain` shows.

A kind of invariant knows best which values keep and break it (`Kind.samples`); here is what several kinds need.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import Any, Final, TypeAlias

from rules.fieldpath import FieldPath
from rules.path_syntax import Keyed, Name, Select
from rules.pattern_examples import example
from rules.predicates import CompiledPredicate, Predicate
from rules.relations import Relation
from rules.write import Roots

Samples: TypeAlias = dict[FieldPath, list[Any]]
"""Fields that are judged together, each with values to try: first what fits, last what does not. None is absent."""

TIMES: Final = ("2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z", "2025-12-31T00:00:00Z")
COUNTS: Final = (1, 0, 2, 3)

_TIME_NAME: Final = re.compile(r".*(Time|Timestamp|[a-z]At)|time|timestamp|notBefore|notAfter")
_COUNT_NAME: Final = re.compile(r".*(Replicas|Count|Generation|Revision|Number)|replicas|count|generation|revision")
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")
_LITERAL: Final = re.compile(r"""'([^'\\]*)'|"([^"\\]*)"|(?<![\w.])([0-9]+(?:\.[0-9]+)?)(?![\w.])""")
_OPPOSITES: Final = {"True": "False", "False": "True", "true": "false", "false": "true"}
_MAX_STATES: Final = 10
"""States that are tried of those that a rule names; it may name thousands."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A value that follows from the rest of its object, as a digest does; the object is passed without it."""

    of: Callable[[Roots], Any]


def plausible(path: FieldPath) -> list[Any]:
    """Return values that fit a field's name, and None."""
    last = path.segments[-1]
    if isinstance(last, Select | Keyed):
        return [*_items([key if isinstance(key, str) else key[0] for key in last.keys]), None]
    if not isinstance(last, Name) or (path.root == "metadata" and last.name != "generation"):
        return ["a", "b", None]
    if last.name == "status":
        return ["True", "False", None]
    if last.name == "conditions":
        return [[{"type": "Ready", **item}] for item in _items(["type"])] + [None]
    if _TIME_NAME.fullmatch(last.name):
        return [*TIMES, None]
    return [*COUNTS, None] if _COUNT_NAME.fullmatch(last.name) else ["a", "b", None]


def _items(keys: Sequence[str]) -> list[Any]:
    """Return what items of a list may hold beside their keys; items with a type are mostly conditions."""
    return [{"status": "True"}, {"status": "False"}] if "type" in keys else [{"value": "a"}, {"value": "b"}]


def measures(path: FieldPath) -> list[Any]:
    """Return values with an order: times for a field that is named as one, else numbers."""
    values = plausible(path)
    return values if TIMES[0] in values else [*COUNTS, None]


def states_of(path: FieldPath, names: Iterable[str]) -> list[Any]:
    """Return the values that these texts stand for in a field ("" is absent), and another that is none of them."""
    known = dict.fromkeys(names)
    opposites = (_OPPOSITES[name] for name in known if name in _OPPOSITES)
    successors = (str(int(name) + 1) for name in known if _INTEGER.fullmatch(name))
    others = chain(opposites, successors, ["Other"], map("Other{}".format, count(2)))
    tried = [*islice(known, _MAX_STATES), next(other for other in others if other not in known)]
    return [typed(path, name) for name in tried]


def typed(path: FieldPath, written: str) -> Any:
    """Return the value that a text most likely stands for in a field; labels and annotations are strings."""
    if written == "":
        return None
    if path.root != "metadata":
        if written in {"true", "false"}:
            return written == "true"
        if _INTEGER.fullmatch(written):
            return int(written)
    return written


def answers(predicates: Sequence[Predicate]) -> list[Any]:
    """Return values of one field, about which all of these predicates are: first those that fulfil the most."""
    values = [value for predicate in predicates for value in _answers(predicate)]
    compiled = [CompiledPredicate(predicate) for predicate in predicates]
    return sorted(values, key=lambda value: sum(not predicate.accepts(value) for predicate in compiled))


def _answers(predicate: Predicate) -> list[Any]:
    path, values = predicate.field, predicate.values or []
    if predicate.operator == "Matches":
        return [*filter(None, map(example, values)), *plausible(path)]
    return [*states_of(path, values), None] if values else plausible(path)


def amounts(relations: Iterable[Relation]) -> list[Any]:
    """Return numbers for the fields of relations: small ones, and the integers in the relations with their neighbours."""
    terms = [term for relation in relations for term in relation.left + relation.right]
    signed = [(term.sign, term.value) for term in terms if isinstance(term.value, int)]
    written = [value for _, value in signed]
    combined = (abs(sum(sign * value for sign, value in signed)), sum(map(abs, written)))
    near = (value + step for value in (*combined, *written) for step in (0, 1, -1))
    is_signed = min(written, default=0) < 0
    return [*dict.fromkeys(value for value in (0, 1, 2, *near) if value >= 0 or is_signed), None]


def compared(path: FieldPath, expression: str) -> list[Any]:
    """Return values of a field that a CEL expression reads: those that it names, and what fits the field's name."""
    *fitting, _ = plausible(path)
    if any(isinstance(value, list) for value in fitting):
        return [*fitting, [], None]
    if path.root == "metadata":
        return [*(value for value in (*literals(expression), *fitting) if type(value) is type(fitting[0])), None]
    return [*literals(expression), *fitting, *COUNTS[:2], True, False, None]


def literals(expression: str) -> list[Any]:
    """Return the strings and numbers that a CEL expression compares with, numbers as integers around them."""
    found: list[Any] = []
    for single, double, digits in _LITERAL.findall(expression):
        if not digits:
            found.append(single or double)
        else:
            whole = int(digits.partition(".")[0])
            found += [whole, whole + 1, whole - 1]
    return found
