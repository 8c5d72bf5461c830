"""Exhaustively: rules of every kind, and all pairs of objects whose one field, list or map is from a small domain.

The suspect form misses no violation and never fails. The exact form agrees with the evaluator, or says what is lost.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from rules.compile import compile_rule
from rules.invariants import KINDS
from rules.native.prefilter import prefilter
from rules.native.vap import policy
from rules.ruleset import judge
from tests.oracle import Write
from tests.rules.comparison import compiled
from tests.rules.strategies.invariants import Json

from .engine import NativeError, denied, is_suspect
from .excuses import excused
from .writes import as_stored, document

ABSENT: Final = object()
TIMES: Final = ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "2026-01-02T00:00:00Z")
ANYTHING: Final[tuple[Any, ...]] = (
    ABSENT,
    None,
    -1,
    0,
    1,
    2,
    1.5,
    True,
    "A",
    "1",
    "1Ki",
    "1024",
    *TIMES[::2],
    [],
    [1],
    {},
    {"a": 1},
)
"""What any field may hold: the evaluator and CEL may differ in each of these types."""

STATES: Final[tuple[Any, ...]] = (ABSENT, None, "", "A", "B", "1", 1, True, "true", 1.5, [], {})
COUNTS: Final[tuple[Any, ...]] = (ABSENT, None, -1, 0, 1, 0.5, "1", [])
GENERATIONS: Final[tuple[Any, ...]] = (ABSENT, None, -1, 0, 1, 2, 3, 1.5, "2", True, [], {})


def items(member: str, *values: Any) -> tuple[Any, ...]:
    """Return items of a list keyed by type: sound ones, some without a key, with an odd one, and what is no object."""
    named = [{"type": "A", **({} if value is ABSENT else {member: value})} for value in values]
    return (*named, {"type": "B", member: values[-1]}, {"type": None, member: 1}, {"type": 1}, {member: 1}, "A")


def lists(items: tuple[Any, ...], *others: Any) -> tuple[Any, ...]:
    """Return all lists of up to two of the items: those with one key twice too."""
    found = [list(chosen) for length in range(3) for chosen in product(items, repeat=length)]
    return (*found, *(others or (ABSENT, None, "A", {"type": "A"})))


def nested() -> tuple[Any, ...]:
    """Return items that hold lists of up to one item."""
    inner: tuple[Any, ...] = (*items("n", 0, 1)[:4], "A")
    return (
        *({"type": "A", "b": [each]} for each in inner),
        {"type": "A", "b": []},
        {"type": "A"},
        {"type": "A", "b": {}},
    )


def two_keys() -> tuple[Any, ...]:
    """Return items keyed by type and by n, which may be an object."""
    keys = ({"n": "1"}, {"n": {"a": 1}}, {"n": {"a": 1.5}})
    return (*({"type": "A", "m": value, **key} for key in keys for value in (0, 1)), {"type": "A"}, "A")


def maps(*values: Any) -> tuple[Any, ...]:
    pairs = product(values, repeat=2)
    entries = [{key: value for key, value in zip("ab", pair, strict=True) if value is not ABSENT} for pair in pairs]
    return (*entries, ABSENT, None, [], "a")


def conditions(*times: Any) -> tuple[Any, ...]:
    pairs = product(("True", "False"), times)
    turned = [{"type": "A", "status": status, "lastTransitionTime": time} for status, time in pairs]
    return (*turned, {"type": "A", "status": "True"}, {"type": None}, "A")


FIELD: Final = "status.a"
ITEM: Final = "status.a[type].n"
SELECTED: Final = "status.a[type=A].n"
ENTRY: Final = "status.a.*"

RULES: Final[dict[str, tuple[Json, tuple[Any, ...]]]] = {
    "observedGeneration": ({"observedGeneration": {"fields": [FIELD]}}, GENERATIONS),
    "observedGeneration-ignores": ({"observedGeneration": {"fields": [FIELD], "ignoreValues": [-1]}}, GENERATIONS),
    "observedGeneration-ahead": ({"observedGeneration": {"fields": [FIELD], "notAhead": False}}, GENERATIONS),
    "observedGeneration-items": ({"observedGeneration": {"fields": [ITEM]}}, lists(items("n", ABSENT, 1, 2))),
    "monotonic": ({"monotonic": {"fields": [FIELD], "direction": "NonDecreasing"}}, ANYTHING),
    "monotonic-down": ({"monotonic": {"fields": [FIELD], "direction": "NonIncreasing"}}, ANYTHING),
    "monotonic-clears": (
        {"monotonic": {"fields": [FIELD], "direction": "NonDecreasing", "mayClear": True, "ignoreValues": [-1, "A"]}},
        ANYTHING,
    ),
    "monotonic-items": (
        {"monotonic": {"fields": [ITEM], "direction": "NonDecreasing"}},
        lists(items("n", ABSENT, 0, 1)),
    ),
    "monotonic-map": ({"monotonic": {"fields": [ENTRY], "direction": "NonDecreasing"}}, maps(ABSENT, None, 0, 1, "A")),
    "writeOnce": ({"writeOnce": {"fields": [FIELD]}}, ANYTHING),
    "writeOnce-clears": ({"writeOnce": {"fields": [FIELD], "mayClear": True}}, ANYTHING),
    "writeOnce-selected": ({"writeOnce": {"fields": [SELECTED]}}, lists(items("n", ABSENT, 1, "1"))),
    "preserved": ({"preserved": {"fields": [FIELD]}}, ANYTHING),
    "preserved-items": ({"preserved": {"fields": ["status.a[type]"]}}, lists(items("n", 1))),
    "preserved-map": ({"preserved": {"fields": [ENTRY]}}, maps(ABSENT, None, 0, "A")),
    "frozen": ({"frozen": {"fields": [FIELD]}}, ANYTHING),
    "frozen-items": ({"frozen": {"fields": [ITEM]}}, lists(items("n", ABSENT, 1))),
    "frozen-whole-items": ({"frozen": {"fields": ["status.a[type]"]}}, lists(items("n", ABSENT, 1))),
    "frozen-items-in-items": ({"frozen": {"fields": ["status.a[type].b[type]"]}}, lists(nested(), ABSENT, None, "A")),
    "frozen-two-keys": ({"frozen": {"fields": ["status.a[type,n].m"]}}, lists(two_keys())),
    "frozen-map": ({"frozen": {"fields": [ENTRY]}}, maps(ABSENT, None, 0, 1.5, "A")),
    "transitions-allow": (
        {"transitions": {"field": FIELD, "allow": [{"from": ["A"], "to": ["B"]}], "initial": ["A", "1"]}},
        STATES,
    ),
    "transitions-forbid": (
        {"transitions": {"field": FIELD, "forbid": [{"from": ["*"], "to": ["A"]}], "terminal": ["B", "true"]}},
        STATES,
    ),
    "transitions-items": ({"transitions": {"field": ITEM, "terminal": ["A"]}}, lists(items("n", ABSENT, "A", "B"))),
    "conditions": ({"conditions": {"path": FIELD}}, lists(conditions(*TIMES[:2]))),
    "conditions-with-status": (
        {"conditions": {"path": FIELD, "lastTransitionTime": "WithStatus", "notBack": True, "uniqueTypes": False}},
        lists(conditions(TIMES[0], TIMES[2])),
    ),
    "require-in": ({"require": {"all": [{"field": FIELD, "operator": "In", "values": ["A", "1"]}]}}, STATES),
    "require-not-in": ({"require": {"any": [{"field": FIELD, "operator": "NotIn", "values": ["", "true"]}]}}, STATES),
    "require-matches": ({"require": {"all": [{"field": FIELD, "operator": "Matches", "values": ["[A1]"]}]}}, STATES),
    "require-exists": ({"require": {"all": [{"field": FIELD, "operator": "Exists"}]}}, ANYTHING),
    "require-guarded": (
        {
            "when": [{"field": FIELD, "operator": "In", "values": ["A"], "of": "old"}],
            "require": {"all": [{"field": FIELD, "operator": "NotIn", "values": ["B", "true"]}]},
        },
        STATES,
    ),
    "relation-of-items": ({"relation": {"holds": ["sum(status.a[type].n) <= 1"]}}, lists(items("n", ABSENT, 0, 1))),
    "relation-of-all": (
        {"relation": {"holds": ["sum(status.a[*].n) == 1"], "missing": "Zero"}},
        lists(items("n", ABSENT, 1)),
    ),
    "relation-of-map": ({"relation": {"holds": ["sum(status.a.*) <= 1"]}}, maps(ABSENT, None, 0, 1, "A")),
    "cel": ({"cel": {"expression": "!has(object.status.a) || object.status.a != 'A'"}}, STATES),
}
"""Rules about one field, with what it may hold."""

TWO_FIELDS: Final[dict[str, Json]] = {
    "relation": {"relation": {"holds": ["status.a <= status.b"]}},
    "relation-zero": {"relation": {"holds": ["status.a == status.b - 1"], "missing": "Zero"}},
    "coUpdate-identity": {"coUpdate": {"fields": ["status.a", "status.b"], "identity": ["status.a != status.b"]}},
    "coUpdate-stamp": {"coUpdate": {"fields": ["status.a"], "stamp": "status.b"}},
    "coUpdate-together": {"coUpdate": {"fields": ["status.a", "status.b"], "changeTogether": True}},
}
"""Rules about two counts."""


def objects(*names: str, values: tuple[Any, ...], generations: tuple[int, ...] = (2,)) -> list[Json]:
    """Return an object for each way in which fields may be filled; of generation 0 there is none in its metadata."""
    found = []
    for generation, *chosen in product(generations, *[values] * len(names)):
        status = {name: value for name, value in zip(names, chosen, strict=True) if value is not ABSENT}
        metadata = {"generation": generation} if generation else {}
        found.append({"apiVersion": "g/v1", "metadata": metadata, "status": status})
    return found


def compare_forms(invariant: Json, found: list[Json]) -> None:
    """Judge all pairs of these objects."""
    rule = compile_rule(document({"invariants": [{"name": "i", **invariant}]}))
    native, suspect = policy(rule.source), prefilter(rule.source.spec).suspect
    assert suspect is not None
    reads = [path.written for path in rule.invariants[0].checks.paths if path.root == "status"]
    lost = [loss.what for loss in native.lost if loss.invariant]
    seen = set()
    for before, after in product(found, repeat=2):
        old, new = as_stored(Write(before, after))
        [verdict] = judge([rule], compiled(Write(old, new)))
        broken, suspected = bool(verdict.violations), is_suspect(suspect, old, new)
        assert suspected or not broken, (old, new)
        try:
            agrees = bool(denied(native, old, new)) == broken
        except NativeError:
            agrees = verdict.error is not None
        assert agrees or any(excused(what, reads, old, new) for what in lost), (old, new)
        seen.add((broken, suspected))
    assert seen >= {(True, True), (False, False)}


def test_every_kind_is_here() -> None:
    rules = [*(rule for rule, _ in RULES.values()), *TWO_FIELDS.values()]
    assert {kind for rule in rules for kind in rule} >= set(KINDS)


@pytest.mark.parametrize("name", RULES)
def test_one_field_a_list_or_a_map(name: str) -> None:
    invariant, values = RULES[name]
    generations = (0, 1, 2) if values is GENERATIONS else (2,)
    compare_forms(invariant, objects("a", values=values, generations=generations))


@pytest.mark.parametrize("name", TWO_FIELDS)
def test_two_counts(name: str) -> None:
    compare_forms(TWO_FIELDS[name], objects("a", "b", values=COUNTS))
