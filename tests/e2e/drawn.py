"""Rules drawn by hypothesis, each with writes for it: collected first, to be played on an API server many at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.oracle import Write
from tests.rules.native.writes import as_stored
from tests.rules.strategies.groups import leave_traces
from tests.rules.strategies.invariants import PREDICATES, Invariant, Invariants, Json, guarded, some
from tests.rules.strategies.kinds import ANY, KINDS
from tests.rules.strategies.objects import grow_object
from tests.rules.strategies.tree import Node, tree
from tests.rules.strategies.values import ANYTHING, COUNTS, TIMES, WORDS

T = TypeVar("T")

WRITES: Final = 18
"""Writes that are drawn for one rule."""


@dataclass(frozen=True)
class Drawn:
    """A rule, as far as its invariants go, which fields it reads, and pairs of objects to write one over the other."""

    rule: Json
    reads: tuple[str, ...]
    pairs: tuple[tuple[Any, Any], ...]


def drawn(kind: str, rules: int) -> list[Drawn]:
    """Return rules of a kind, the same ones each time."""
    invariants = collected(st.tuples(*map(guarded, _STRATEGIES[kind])), rules, 0)
    return [_with_writes(each, number) for number, each in enumerate(invariants)]


def collected(strategy: st.SearchStrategy[T], count: int, number: int) -> list[T]:
    """Return different values of a strategy, the same ones for the same number."""
    found: dict[str, T] = {}

    @seed(number)
    @settings(
        max_examples=count + count // 2,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: T) -> None:
        found.setdefault(repr(value), value)

    collect()
    return list(found.values())[-count:]


def _with_writes(invariants: Sequence[Invariant], number: int) -> Drawn:
    rule = {"invariants": [{"name": f"i{at}", **each.spec} for at, each in enumerate(invariants)]}
    reads = [read for invariant in invariants for read in invariant.reads]
    pairs = collected(_pairs(invariants, tree(reads)), WRITES, number)
    return Drawn(rule, tuple(path for path, _ in reads), tuple(pairs))


@st.composite
def _pairs(draw: st.DrawFn, invariants: Sequence[Invariant], reads: Node) -> tuple[Any, Any]:
    old, new = grow_object(draw, reads)
    for invariant in invariants:
        if "coUpdate" in invariant.spec:
            leave_traces(draw, invariant.spec["coUpdate"], old, new)
    return as_stored(Write(_finite(old), _finite(new)))


def _finite(value: Any) -> Any:
    """Return a value without integers that no double is near to: the API server takes none."""
    if isinstance(value, dict):
        return {key: _finite(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return 10**308 if type(value) is int and value > 10**308 else value


_TESTS: Final = [
    "object.status.count >= 2",
    "!has(object.status.count) || object.status.count != 3",
    "!has(oldObject.status.count) || (has(object.status.count) && object.status.count >= oldObject.status.count)",
    "object.status.?count.orValue(0) < 4",
    "has(object.status.nested) && object.status.nested.inner.value == oldObject.status.nested.inner.value",
    "object.status.conditions.all(c, c.type != 'Ready' || c.status != 'A')",
    "object.status.conditions.exists(c, c.type == 'Ready' && c.status in ['A', 'B'])",
    "object.status.holds.size() >= oldObject.status.holds.size()",
    "object.spec.replicas == object.status.count",
    "object.metadata.annotations['a.b/c'].startsWith('A') || object.status.count == 0",
]
_READ: Final = (
    ("status.count", COUNTS),
    ("status.nested.inner.value", ANYTHING),
    ("status.conditions[type=Ready].status", WORDS),
    ("status.holds.a", ANYTHING),
    ("spec.replicas", COUNTS),
    ('metadata.annotations["a.b/c"]', WORDS),
)


def _reads_of(expression: str) -> tuple[tuple[str, Any], ...]:
    words = {"status.count": "count", "status.nested.inner.value": "nested", "status.holds.a": "holds"}
    words |= {"spec.replicas": "replicas", 'metadata.annotations["a.b/c"]': "annotations"}
    return tuple(read for read in _READ if words.get(read[0], "conditions") in expression)


def _cel(parts: tuple[str, str, str]) -> Invariant:
    expression = f"({parts[0]}) {parts[1]} ({parts[2]})"
    return Invariant({"cel": {"expression": expression}}, _reads_of(expression))


CEL: Final[Invariants] = st.tuples(st.sampled_from(_TESTS), st.sampled_from(["&&", "||"]), st.sampled_from(_TESTS)).map(
    _cel
)


_TIME_NAMES: Final = [
    "status.startTime",
    "status.lastRunTime",
    "status.conditions[type].lastProbeTime",
    "status.holds.*",
]
_PLAIN_TIMES: Final = [
    f"20{year}-{day}T{time}Z"
    for year in (24, 25)
    for day in ("02-28", "02-29", "02-30", "04-30", "04-31", "12-31")
    for time in ("00:00:00", "23:59:59", "24:00:00")
]
_NAMED: Final[st.SearchStrategy[Json]] = st.fixed_dictionaries(
    {"fields": some(_TIME_NAMES), "direction": st.sampled_from(["NonDecreasing", "NonIncreasing"])},
    optional={"mayClear": st.booleans(), "ignoreValues": some(["x", 0, _PLAIN_TIMES[0]], 2)},
)
NAMED_TIMES: Final[Invariants] = _NAMED.map(
    lambda spec: Invariant(
        {"monotonic": spec}, tuple((path, st.sampled_from(_PLAIN_TIMES) | TIMES) for path in spec["fields"])
    )
)
"""Fields that are named as times."""


@st.composite
def _with_when(draw: st.DrawFn) -> Invariant:
    invariant = draw(ANY)
    when = draw(st.lists(PREDICATES, min_size=1, max_size=3))
    reads = tuple((predicate["field"], WORDS) for predicate in when)
    return Invariant({**invariant.spec, "when": when}, invariant.reads + reads)


_STRATEGIES: Final[dict[str, tuple[Invariants, ...]]] = {
    **{name: (strategy,) for name, strategy in KINDS.items()},
    "cel": (CEL,),
    "named times": (NAMED_TIMES,),
    "when": (_with_when(),),
    "three at once": (ANY, ANY, ANY),
}

NAMES: Final = list(_STRATEGIES)
"""Every kind, and what is made of several."""
