from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import pytest

from rules.compile import compile_rule
from rules.native.expression import Expression, negate
from rules.native.form import CannotSayError
from rules.native.limits import MAX_KEYS
from rules.native.loops import Loops
from rules.native.quick import QuickForm
from rules.ruleset import judge
from tests.oracle import Write
from tests.rules.comparison import compiled

from .engine import evaluate, is_suspect
from .writes import as_stored, document

GENERATION: dict[str, Any] = {"observedGeneration": {}}
READY = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 2}
STALLED = {"type": "Stalled", "status": "False", "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 2}


def quick(*invariants: dict[str, Any], lists: bool = True) -> Expression:
    rule = compile_rule(document({"invariants": [{"name": f"i{at}", **each} for at, each in enumerate(invariants)]}))
    variables = Loops()
    form = partial(QuickForm, variables, lists=lists)
    clauses = [clause for each in rule.source.spec.invariants for clause in each.spec.in_cel(form())]
    holds = [clause.holds() for clause in clauses]
    text = " && ".join(each.within(2) for each in holds)
    return variables.bound_around(Expression(text, level=2, cost=sum(each.cost for each in holds)))


def is_fine(found: Expression, old: Any, new: Any) -> bool:
    answer = evaluate(found.text, {"oldObject": of(old), "object": of(new)})
    assert isinstance(answer, bool)
    return answer


def of(status: Any, generation: int = 2) -> dict[str, Any]:
    there = {} if status is None else {"status": status}
    return {"metadata": {"generation": generation}, **there}


def conditions(*items: Any) -> dict[str, Any]:
    return {"observedGeneration": 2, "conditions": list(items)}


def test_what_observes_the_generation_needs_nothing_else() -> None:
    found = quick(GENERATION)
    assert "oldConditions" not in found.text
    assert is_fine(found, conditions(READY), conditions(STALLED, READY))
    assert is_fine(found, conditions(READY), conditions({"type": "New"}))
    behind = {**READY, "observedGeneration": 1}
    assert not is_fine(found, conditions(behind), conditions(behind)), "the suspect form tells"


@pytest.mark.parametrize(
    ("old", "new", "fine"),
    [
        ({"observedGeneration": 1}, {"observedGeneration": 2}, True),
        ({"observedGeneration": 1}, {"observedGeneration": 1}, True),
        (None, {"observedGeneration": 2}, True),
        (None, {}, True),
        ({"observedGeneration": 2}, {}, False),
        ({"observedGeneration": 2}, {"observedGeneration": 1}, False),
        ({"observedGeneration": 2}, {"observedGeneration": 3}, False),
        ({"observedGeneration": 2}, {"observedGeneration": "2"}, False),
        ({"observedGeneration": 2}, {"observedGeneration": None}, False),
        ("text", {"observedGeneration": 2}, False),
        (["list"], {"observedGeneration": 2}, False),
        ({"observedGeneration": 2}, ["list"], False),
        ({"observedGeneration": 2}, None, False),
    ],
)
def test_a_number_of_the_status(old: Any, new: Any, *, fine: bool) -> None:
    found = quick({"observedGeneration": {"fields": ["status.observedGeneration"]}})
    assert is_fine(found, old, new) is fine


def test_a_generation_that_no_double_holds_is_left_to_the_suspect_form() -> None:
    found = quick({"observedGeneration": {"fields": ["status.observedGeneration"]}})
    beyond = 2**53 + 1
    for old, new in ((beyond, float(2**53)), (float(2**53), beyond)):
        before, after = ({"observedGeneration": each} for each in (old, new))
        assert evaluate(found.text, {"oldObject": of(before, beyond), "object": of(after, beyond)}) is False
    items = quick({"observedGeneration": {"fields": ["status.conditions[type].observedGeneration"]}})
    ahead = conditions({**READY, "observedGeneration": float(2**53)})
    assert evaluate(items.text, {"oldObject": of({}, beyond), "object": of(ahead, beyond)}) is False


@pytest.mark.parametrize("path", ["status.observedGeneration", "status.conditions[type].observedGeneration"])
def test_where_doubles_end_no_violation_is_taken_for_fine(path: str) -> None:
    rule = {"observedGeneration": {"fields": [path]}}
    found, judging = negate(quick(rule)), compile_rule(document({"invariants": [{"name": "i", **rule}]}))

    def status(number: float | None) -> dict[str, Any]:
        member = {} if number is None else {"observedGeneration": number}
        return {"conditions": [{"type": "Ready", **member}]} if "type" in path else member

    near = [2**53 + more for more in range(-3, 3)]
    sides = [of(status(number), limit) for number in (None, 1, *near, *map(float, near)) for limit in near]
    fine = 0
    for before, after in product(sides, repeat=2):
        old, new = as_stored(Write(before, after))
        if not is_suspect(found, old, new):
            fine += 1
            [verdict] = judge([judging], compiled(Write(old, new)))
            assert not verdict.violations, (old, new)
    assert fine > 100, "so that it is not all left to the suspect form"


def test_items_stay_where_they_are() -> None:
    found = quick({"conditions": {}})
    later = {**READY, "lastTransitionTime": "2026-01-02T00:00:00Z"}
    turned = {**later, "status": "False"}
    assert is_fine(found, conditions(READY, STALLED), conditions(READY, STALLED))
    assert is_fine(found, conditions(READY, STALLED), conditions(turned, STALLED))
    assert is_fine(found, None, None)
    timeless = [{"type": "Ready", "status": "True"}]
    assert is_fine(found, conditions(*timeless), conditions(*timeless))
    for new in (
        [later, STALLED],
        [STALLED, READY],
        [READY],
        [READY, STALLED, {"type": "New"}],
        [READY, ["list"]],
        [READY, "text"],
        [READY, {**STALLED, "type": 1}],
    ):
        assert not is_fine(found, conditions(READY, STALLED), conditions(*new))
    assert not is_fine(found, conditions(["list"]), conditions(["list"]))
    assert not is_fine(found, conditions(READY, READY), conditions(READY, READY)), "twice"
    assert not is_fine(found, {"conditions": "text"}, {"conditions": "text"})


def test_a_list_is_gone_through_once() -> None:
    found = quick(
        {"conditions": {"uniqueTypes": False}}, GENERATION, {"frozen": {"fields": ["status.conditions[type].x"]}}
    )
    assert found.text.count("conditions.all(i, e, ") == 1
    assert "conditions.all(e, " not in found.text
    assert is_fine(found, conditions({**READY, "x": 1}), conditions({**READY, "x": 1}))
    assert not is_fine(found, conditions({**READY, "x": 1}), conditions({**READY, "x": 2}))


def test_long_keys_are_not_searched_for() -> None:
    found = quick({"conditions": {}})
    long = {**READY, "type": "x" * MAX_KEYS}
    assert is_fine(found, conditions(long), conditions(long))
    longer = {**READY, "type": "x" * (MAX_KEYS + 1)}
    assert not is_fine(found, conditions(longer), conditions(longer))


@pytest.mark.parametrize(
    ("ready", "replicas", "fine"),
    [
        (1, 2, True),
        (2, 1, False),
        (None, 1, True),
        (1, None, True),
        (0.5, 1, False),
        ("1", "2", False),
        (None, None, True),
    ],
)
def test_a_relation(ready: Any, replicas: Any, *, fine: bool) -> None:
    found = quick({"relation": {"holds": ["status.ready <= status.replicas"]}})
    new = {name: value for name, value in (("ready", ready), ("replicas", replicas)) if value is not None}
    assert is_fine(found, {}, new) is fine
    assert not is_fine(found, {}, {"ready": None, "replicas": 1}), "null"


@pytest.mark.parametrize(
    ("old", "new", "fine"),
    [
        ("Done", "Done", True),
        ("Done", "Running", False),
        ("Running", "Done", True),
        (None, "Done", True),
        (None, None, True),
        ("Done", None, False),
        (1, "Done", True),
        ("x" * 5_000, "x" * 5_000, True),
    ],
)
@pytest.mark.parametrize("path", ["status.phase", 'status["a.b/c"]'])
def test_a_state(path: str, old: Any, new: Any, *, fine: bool) -> None:
    found = quick({"transitions": {"field": path, "terminal": ["Done"]}})
    name = "phase" if path.endswith("phase") else "a.b/c"
    old, new = ({name: value} if value is not None else {} for value in (old, new))
    assert is_fine(found, old, new) is fine


@pytest.mark.parametrize(
    ("old", "new", "fine"),
    [
        (1, 1, True),
        (1, 2, False),
        ("a", "a", True),
        (True, True, True),
        (1, 1.0, False),
        (2**53 + 1, float(2**53), False),
        ({}, {}, False),
        ([], [], False),
        (None, None, True),
    ],
)
def test_a_value_as_a_whole_is_a_scalar(old: Any, new: Any, *, fine: bool) -> None:
    found = quick({"frozen": {"fields": ["status.x"]}})
    old, new = ({"x": value} if value is not None else {} for value in (old, new))
    assert is_fine(found, old, new) is fine


@pytest.mark.parametrize(
    ("invariant", "lists"),
    [
        ({"relation": {"holds": ["sum(status.pools[*].ready) <= status.replicas"]}}, True),
        ({"conditions": {}}, False),
    ],
    ids=["sum", "before-1.33"],
)
def test_what_takes_many_steps_is_not_said(invariant: dict[str, Any], *, lists: bool) -> None:
    with pytest.raises(CannotSayError):
        quick(invariant, lists=lists)
