"""Invariants, one strategy a kind, each with the paths that it reads and what values these should have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from .paths import CONDITION_LISTS, ONE, PAIRED, SUMMED
from .values import ANYTHING, COUNTS, GENERATIONS, MEASURES, QUANTITIES, TIMES, WORDS, Values

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Invariant:
    spec: Json
    reads: tuple[tuple[str, Values], ...]


Invariants: TypeAlias = st.SearchStrategy[Invariant]

_FLAG: Final = st.booleans()


def some(values: Sequence[Any], most: int = 3) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(values), unique=True, min_size=1, max_size=most)


def _spec(mandatory: dict[str, Values], **optional: Values) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries(mandatory, optional=optional)


# --- predicates -------------------------------------------------------------------------------------

_PATTERNS: Final = ["A|B", "[AB]", "True|false", r"\d+", r"-?[0-9]+(\.[0-9]+)?", "", ".", ".*", "(?i)a|TRUE", "(é|A)+"]

PREDICATES: Final[st.SearchStrategy[Json]] = st.one_of(
    _spec(
        {
            "field": st.sampled_from(ONE),
            "operator": st.sampled_from(["In", "NotIn"]),
            "values": some(["A", "B", "", "True", "true", "3", "0.5", "0.0000001", "1e-7", str(10**21)]),
        },
        of=st.sampled_from(["old", "new"]),
    ),
    _spec(
        {"field": st.sampled_from(ONE), "operator": st.just("Matches"), "values": some(_PATTERNS, 2)},
        of=st.sampled_from(["old", "new"]),
    ),
    _spec(
        {"field": st.sampled_from(ONE), "operator": st.sampled_from(["Exists", "DoesNotExist"])},
        of=st.sampled_from(["old", "new"]),
    ),
)


@st.composite
def guarded(draw: st.DrawFn, invariants: Invariants) -> Invariant:
    """The same invariants, half of them with a `when`."""
    invariant = draw(invariants)
    when = draw(st.just([]) | st.lists(PREDICATES, max_size=2))
    reads = tuple((predicate["field"], WORDS) for predicate in when)
    return Invariant({**invariant.spec, "when": when}, invariant.reads + reads)


# --- the kinds whose check is one field -------------------------------------------------------------


def _of_fields(kind: str, spec: st.SearchStrategy[Json], values: Values) -> Invariants:
    return spec.map(lambda spec: Invariant({kind: spec}, tuple((path, values) for path in spec["fields"])))


_DEFAULT_GENERATIONS: Final = ["status.observedGeneration", "status.conditions[type].observedGeneration"]


def _observed_generation(spec: Json) -> Invariant:
    fields = spec.get("fields", _DEFAULT_GENERATIONS)
    reads = [*((path, GENERATIONS) for path in fields), ("metadata.generation", st.integers(0, 4))]
    return Invariant({"observedGeneration": spec}, tuple(reads))


OBSERVED_GENERATION: Final[Invariants] = _spec(
    {},
    fields=some(PAIRED),
    notAhead=_FLAG,
    mayClear=_FLAG,
    ignoreValues=some([-1, 0, 2], 2),
).map(_observed_generation)

_DIRECTIONS: Final = {"fields": some(PAIRED), "direction": st.sampled_from(["NonDecreasing", "NonIncreasing"])}
_IGNORED: Final = some([0, -1, 2, "1Ki", "1", "2026-01-01T00:00:00Z", "x"], 2)

MONOTONIC: Final[dict[str, Invariants]] = {
    name: _of_fields("monotonic", _spec(_DIRECTIONS, mayClear=_FLAG, ignoreValues=_IGNORED), values)
    for name, values in {"numbers": COUNTS, "times": TIMES, "quantities": QUANTITIES, "measures": MEASURES}.items()
}

WRITE_ONCE: Final = _of_fields("writeOnce", _spec({"fields": some(PAIRED)}, mayClear=_FLAG), ANYTHING)
PRESERVED: Final = _of_fields("preserved", _spec({"fields": some(PAIRED)}), ANYTHING)
FROZEN: Final = _of_fields("frozen", _spec({"fields": some(PAIRED)}), ANYTHING)

_STATES: Final = some(["A", "B", "", "*", "True", "true", "3", "0.5", "é"], 2)
_MOVES: Final = st.lists(_spec({"from": _STATES, "to": _STATES}), min_size=1, max_size=2)
_FIELD: Final = {"field": st.sampled_from(PAIRED)}

TRANSITIONS: Final[Invariants] = st.one_of(
    _spec(_FIELD | {"allow": _MOVES}, initial=_STATES, terminal=_STATES),
    _spec(_FIELD | {"forbid": _MOVES}, initial=_STATES, terminal=_STATES),
    _spec(_FIELD | {"initial": _STATES}, terminal=_STATES),
    _spec(_FIELD | {"terminal": _STATES}),
).map(lambda spec: Invariant({"transitions": spec}, ((spec["field"], WORDS),)))

# --- the others -------------------------------------------------------------------------------------


_SUMS: Final = st.sampled_from([f"sum({path})" for path in SUMMED])
_INTEGERS: Final = st.sampled_from(["0", "1", "2", "-1"])
_COMPARISONS: Final = st.sampled_from(["==", "==", "<=", "<", "!=", ">=", ">"])
_PATHS_IN_SUMS: Final = dict(zip([f"sum({path})" for path in SUMMED], SUMMED, strict=True))


def relation(draw: st.DrawFn, paths: Sequence[str]) -> tuple[str, list[tuple[str, Values]]]:
    """Draw a relation of two to four terms, the first or the last of them a path, and what it reads."""
    first, more = st.sampled_from(paths), st.sampled_from(paths) | _SUMS | _INTEGERS
    terms = [draw(first), *draw(st.lists(more, min_size=1, max_size=3))]
    left, *right = terms
    sides = [left, right[0] + "".join(f" {draw(st.sampled_from('+-'))} {term}" for term in right[1:])]
    relation = f" {draw(_COMPARISONS)} ".join(sides if draw(_FLAG) else reversed(sides))
    read = [_PATHS_IN_SUMS.get(term, term) for term in terms if not term.lstrip("-").isdigit()]
    return relation, [(path, COUNTS) for path in read]


MISSING: Final[st.SearchStrategy[Json]] = _spec({}, missing=st.sampled_from(["Skip", "Zero"]))


@st.composite
def _relation_invariants(draw: st.DrawFn) -> Invariant:
    drawn = [relation(draw, ONE) for _ in range(draw(st.integers(1, 2)))]
    spec = {"holds": [written for written, _ in drawn]} | draw(MISSING)
    return Invariant({"relation": spec}, tuple(read for _, reads in drawn for read in reads))


RELATION: Final[Invariants] = _relation_invariants()

_MODES: Final = ["OnlyWithChange", "OnlyWithStatus", "WithStatus", "Ignore"]
_CONDITION: Final = {"status": WORDS, "reason": WORDS, "severity": WORDS, "message": WORDS, "lastTransitionTime": TIMES}


def _conditions(spec: Json) -> Invariant:
    path = spec.get("path", "status.conditions")
    reads = tuple((f"{path}[type].{name}", values) for name, values in _CONDITION.items())
    return Invariant({"conditions": spec}, reads)


CONDITIONS: Final[Invariants] = _spec(
    {},
    path=st.sampled_from(CONDITION_LISTS),
    lastTransitionTime=st.sampled_from(_MODES),
    notBack=_FLAG,
    uniqueTypes=_FLAG,
).map(_conditions)

_DEMANDS: Final = st.lists(PREDICATES, min_size=1, max_size=2)


def _require(spec: Json) -> Invariant:
    reads = tuple((predicate["field"], WORDS) for demands in spec.values() for predicate in demands)
    return Invariant({"require": spec}, reads)


REQUIRE: Final[Invariants] = (_spec({"all": _DEMANDS}, any=_DEMANDS) | _spec({"any": _DEMANDS})).map(_require)
