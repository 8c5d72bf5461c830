from __future__ import annotations

import pytest

from tests.rules.judging import broken, violations


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        pytest.param("status.a", "{a: 1}", "{a: 2}", [], id="its value may change"),
        pytest.param("status.a", "{a: 1}", "{a: ''}", [], id="'' is present"),
        pytest.param("status.a", "{a: 1}", "{a: []}", [], id="[] is present"),
        pytest.param("status.a", "{a: 1}", "{}", ["status.a"], id="dropped"),
        pytest.param("status.a", "{a: 1}", "{a: null}", ["status.a"], id="null is absent"),
        pytest.param("status.a", "{}", "{}", [], id="never was"),
        pytest.param("status.a.b", "{a: {b: 1}}", "{a: 3}", ["status.a.b"], id="another type is absent"),
        pytest.param(
            "status.c[k]", "{c: [{k: x}, {k: y}]}", "{c: [{k: y}]}", ["status.c[k=x]"], id="an item is dropped"
        ),
        pytest.param("status.c[k]", "{c: [{k: x}]}", "{}", ["status.c[k=x]"], id="the list is dropped"),
        pytest.param("status.c[k]", "{c: [{k: x}]}", "{c: [{k: y}]}", ["status.c[k=x]"], id="an item is renamed"),
        pytest.param(
            "status.c[k].v", "{c: [{k: x, v: 1}]}", "{c: []}", ["status.c[k=x].v"], id="a field with its item"
        ),
        pytest.param("status.c[k].v", "{c: [{k: x}]}", "{c: []}", [], id="the item did not have the field"),
        pytest.param("status.c[k=x].v", "{c: [{k: x, v: 1}]}", "{c: []}", ["status.c[k=x].v"], id="the one item"),
        pytest.param(
            "status.m.*", "{m: {a: 1, b.c: 2}}", "{m: {}}", ["status.m.a", 'status.m["b.c"]'], id="map entries"
        ),
        pytest.param("status.m.*", "{m: {a: 1}}", "{m: null}", ["status.m.a"], id="the map"),
        pytest.param("status.m.*", "{m: {a: null}}", "{m: {}}", [], id="a null entry was not there"),
    ],
)
def test_what_was_present_stays_present(path: str, old: str, new: str, expected: list[str]) -> None:
    assert broken(f"preserved: {{fields: ['{path}']}}", f"status: {old}", f"status: {new}") == expected


def test_nothing_is_judged_on_create() -> None:
    assert broken("preserved: {fields: [status.a]}", None, "status: {}") == []


def test_problem() -> None:
    (violation,) = violations("status: {a: 1}", "{}", "preserved: {fields: [status.a]}")
    assert violation.finding.problem == "was dropped: it was {old}"
    assert violation.cured_by_waiting
