from __future__ import annotations

import time
from typing import Any

import pytest

from rules.api import RuleSpec
from rules.compile import compile_rule
from rules.native.prefilter import MAX_COST, MAX_SIZE, Prefilter, prefilter, prefilter_of, suspect

from .engine import is_suspect
from .writes import document

GENERATION = {"name": "generation", "observedGeneration": {}}
COUNTERS = {"name": "counters", "relation": {"holds": ["status.ready <= status.replicas"]}}
FROZEN = {"name": "frozen", "frozen": {"fields": ["spec.x"]}}


def of(*invariants: dict[str, Any], operations: tuple[str, ...] = ("UPDATE",), **spec: Any) -> Prefilter:
    rule = compile_rule(document({"invariants": list(invariants), **spec}, *operations))
    return prefilter(rule.source.spec)


def status(generation: int, **members: Any) -> dict[str, Any]:
    return {"metadata": {"generation": generation}, "status": members}


def test_an_honest_write_is_no_suspect_and_a_bad_one_is() -> None:
    found = of(GENERATION, COUNTERS)
    assert (found.mode, found.reason) == ("Full", "")
    assert found.suspect is not None
    old = status(2, observedGeneration=1, replicas=3, ready=3)
    assert not is_suspect(found.suspect, old, status(2, observedGeneration=2, replicas=4, ready=3))
    assert is_suspect(found.suspect, old, status(2, observedGeneration=0, replicas=4, ready=3))
    assert is_suspect(found.suspect, old, status(2, observedGeneration=2, replicas=2, ready=3))


def test_a_first_status_is_no_suspect() -> None:
    found = of(GENERATION, COUNTERS)
    assert found.suspect is not None
    new = status(1, observedGeneration=1, replicas=1, conditions=[{"type": "Ready", "observedGeneration": 1}])
    assert not is_suspect(found.suspect, {"metadata": {"generation": 1}}, new)


def test_a_list_that_is_longer_than_its_bound_is_a_suspect() -> None:
    found = of(GENERATION)
    assert found.suspect is not None
    for length, suspected in ((256, False), (257, True)):
        conditions = [{"type": f"t{number}", "observedGeneration": 1} for number in range(length)]
        new = status(1, observedGeneration=1, conditions=conditions)
        assert is_suspect(found.suspect, new, new) is suspected


def test_items_are_paired_by_index_and_in_a_short_list_by_key() -> None:
    found = of(GENERATION)
    assert found.suspect is not None
    items = [{"type": f"t{number}", "observedGeneration": 1} for number in range(25)]
    first, second = ({**item, "observedGeneration": 2} for item in items[:2])
    back = {**first, "observedGeneration": 1}
    assert not is_suspect(found.suspect, status(2, conditions=[first, second]), status(2, conditions=[second, first]))
    assert is_suspect(found.suspect, status(2, conditions=[first, second]), status(2, conditions=[second, back]))
    assert not is_suspect(found.suspect, status(2, conditions=[first]), status(2, conditions=[first, second]))
    assert not is_suspect(found.suspect, status(2, conditions=[first, second]), status(2, conditions=[second]))
    assert is_suspect(found.suspect, status(2, conditions=items), status(2, conditions=items[::-1])), (
        "too long to search"
    )


def test_an_item_that_is_dropped_from_a_list_in_another_order_is_seen() -> None:
    found = of({"name": "p", "preserved": {"fields": ["status.conditions[type]"]}})
    assert found.suspect is not None
    a, b, c = ({"type": letter} for letter in "abc")
    assert not is_suspect(found.suspect, status(1, conditions=[a, b]), status(1, conditions=[c, b, a]))
    assert is_suspect(found.suspect, status(1, conditions=[a, b]), status(1, conditions=[c, b]))
    assert is_suspect(found.suspect, status(1, conditions=[a, b]), status(1, conditions=[b]))


def test_what_is_there_twice_in_a_new_item_is_seen() -> None:
    found = of({"name": "c", "conditions": {"path": "status.parents[ref].conditions"}})
    assert found.suspect is not None
    ready = {"type": "Ready", "status": "True"}
    for conditions, suspected in (([ready], False), ([ready, ready], True)):
        new = status(1, parents=[{"ref": "a", "conditions": conditions}])
        assert is_suspect(found.suspect, status(1), new) is suspected


@pytest.mark.parametrize(
    ("found", "mode", "reason"),
    [
        (of(GENERATION, prefilter="Off"), "Off", "the rule says so"),
        (of(COUNTERS, operations=("CREATE", "UPDATE")), "Off", "the rule judges creations"),
        (of({"name": "g", "coUpdate": {"fields": ["status.a", "status.b"], "singleManager": True}}), "Off", "who owns"),
        (
            of({"name": "g", "coUpdate": {"fields": ["status.a"], "digest": "status.d"}}),
            "Partial",
            "its digest changes",
        ),
        (of({"name": "c", "cel": {"expression": "object.status.a > 0"}}), "Partial", "what its expression reads"),
        (of({"name": "c", "cel": {"expression": "object != oldObject"}}), "Off", "reads the whole object"),
        (of({"name": "r", "relation": {"holds": ["status.a < 9007199254740993"]}}), "Off", "beyond 2^53"),
        (of(GENERATION, exemptions={"users": ["u"]}), "Partial", "exemptions: asked by the webhook"),
        (
            of(GENERATION, matchConditions=[{"name": "c", "expression": "true"}], exemptions={"groups": ["g"]}),
            "Partial",
            "matchConditions and exemptions: asked by the webhook",
        ),
        (of({"name": "f", "frozen": {"fields": ["status.l[k=1].x"]}}), "Off", "looks for an item by a number"),
    ],
)
def test_what_cannot_be_told_is_said(found: Prefilter, mode: str, reason: str) -> None:
    assert found.mode == mode
    assert reason in found.reason
    assert (found.suspect is None) is (mode == "Off")


def test_long_keys_are_suspects_and_cost_nothing() -> None:
    found = of(GENERATION)
    assert found.suspect is not None
    items = [{"type": f"{number}{'x' * 3_500}", "observedGeneration": 1} for number in range(24)]
    assert is_suspect(found.suspect, status(2, conditions=items), status(2, conditions=items[::-1]))
    assert is_suspect(found.suspect, status(2, conditions=items), status(2, conditions=items))
    assert not is_suspect(found.suspect, status(1, conditions=items), status(1, conditions=items)), "nothing is paired"


def test_what_is_much_too_large_is_not_even_built() -> None:
    deep = of({"name": "d", "writeOnce": {"fields": [f"status{'.x' * 400}"]}})
    assert (deep.mode, deep.reason) == ("Off", "invariant d: a path of more than 16 names")
    wide = [
        {"name": f"i{number}", "frozen": {"fields": [f"spec.{'y' * 100}{number}a{field}" for field in range(32)]}}
        for number in range(64)
    ]
    start = time.process_time()
    found = of(*wide)
    assert found.mode == "Off"
    assert "far more" in found.reason
    assert time.process_time() - start < 20


def test_rules_that_fit_by_short_names_only_share_an_entry_too() -> None:
    def long_named(number: int) -> RuleSpec:
        fields = [f"status.{'x' * 150}{number}a{field}" for field in range(3)]
        monotonic = {"name": "m", "monotonic": {"fields": fields, "direction": "NonDecreasing"}}
        return compile_rule(document({"invariants": [monotonic]})).source.spec

    specs: list[RuleSpec] = []
    size = 0
    while size + len(text_of(prefilter(spec := long_named(len(specs))))) <= MAX_SIZE:
        size += len(text_of(prefilter(spec)))
        specs.append(spec)
    assert len(specs) > 1
    assert len(suspect(specs).text) <= MAX_SIZE
    # What is built by readable names is given up for short ones, and not the entry.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rules.native.prefilter.MAX_BUILT", size)
        assert suspect(specs).text


def text_of(found: Prefilter) -> str:
    assert found.suspect is not None
    return found.suspect.text


def test_a_rule_that_is_too_large_has_none() -> None:
    long = [{"name": f"i{number}", "writeOnce": {"fields": [f"status.{'x' * 200}{number}"]}} for number in range(40)]
    found = of(*long)
    assert found.mode == "Off"
    assert f"more than {MAX_SIZE:,}" in found.reason


def test_a_rule_that_costs_too_much_has_none() -> None:
    path = "status.a[k].b[k].x"
    many = [{"name": f"i{number}", "frozen": {"fields": [path, f"status.c{number}[k].d[k].x"]}} for number in range(3)]
    found = of(*many)
    assert found.mode == "Off"
    assert f"more than {MAX_COST:,}" in found.reason


def test_without_macros_of_two_variables_lists_are_suspects() -> None:
    rule = compile_rule(document({"invariants": [GENERATION, COUNTERS]}))
    found = prefilter(rule.source.spec, lists=False)
    assert found.mode == "Partial"
    assert "1.33" in found.reason
    assert found.suspect is not None
    assert "i, e" not in found.suspect.text
    old = status(2, observedGeneration=1)
    assert not is_suspect(found.suspect, old, old)
    for generation, suspected in ((1, True), (2, False)):
        ready = {"type": "Ready", "observedGeneration": generation}
        new = status(2, observedGeneration=2, conditions=[ready])
        assert is_suspect(found.suspect, old, new) is suspected, "what is up to date needs no counterpart"


def test_it_is_made_once_for_a_rule_and_its_copies() -> None:
    rule = compile_rule(document({"invariants": [GENERATION]}))
    assert prefilter_of(rule) is prefilter_of(rule.with_action("Warn"))
    assert prefilter_of(rule) is not prefilter_of(rule, lists=False)


def test_rules_that_share_an_entry_share_what_they_read() -> None:
    specs = [compile_rule(document({"invariants": [each]})).source.spec for each in (GENERATION, COUNTERS, FROZEN)]
    whole = suspect(specs)
    found = [prefilter(spec).suspect for spec in specs]
    alone = sum(len(each.text) for each in found if each is not None)
    assert len(whole.text) < alone
    old = {**status(2, observedGeneration=2, replicas=3, ready=3), "spec": {"x": 1}}
    assert not is_suspect(whole, old, old)
    for bad in (
        {**old, "status": {**old["status"], "observedGeneration": 1}},
        {**old, "status": {**old["status"], "ready": 4}},
        {**old, "spec": {"x": 2}},
    ):
        assert is_suspect(whole, old, bad)


def test_a_rule_without_a_quick_form_costs_the_others_theirs_not() -> None:
    sums = {"name": "s", "relation": {"holds": ["sum(status.pools[*].ready) <= status.replicas"]}}
    specs = [compile_rule(document({"invariants": [each]})).source.spec for each in (sums, COUNTERS)]
    whole = suspect(specs)
    assert whole.text.startswith("!((type(object.?status.orValue(object)) == map && ")
    old = status(1, replicas=3, ready=3, pools=[{"ready": 3}])
    assert not is_suspect(whole, old, old)
    assert is_suspect(whole, old, status(1, replicas=3, ready=4, pools=[{"ready": 3}]))
    assert is_suspect(whole, old, status(1, replicas=3, ready=3, pools=[{"ready": 4}]))
