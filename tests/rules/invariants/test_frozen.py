from __future__ import annotations

import pytest

from tests.rules.judging import broken, violations


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        pytest.param("spec.a", "{a: 1}", "{a: 1.0}", [], id="equal"),
        pytest.param("spec.a", "{a: 1}", "{a: 2}", ["spec.a"], id="changed"),
        pytest.param("spec.a", "{a: 1}", "{}", ["spec.a"], id="disappeared"),
        pytest.param("spec.a", "{}", "{a: 1}", ["spec.a"], id="set"),
        pytest.param("spec", "{a: 1}", "{a: 2}", ["spec"], id="a whole root"),
        pytest.param("spec.c[k].v", "{c: [{k: x, v: 1}]}", "{c: [{k: x, v: 2}]}", ["spec.c[k=x].v"], id="an item"),
        pytest.param("spec.c[k].v", "{c: [{k: x, v: 1}]}", "{c: []}", [], id="an item that is gone"),
        pytest.param("spec.c[k].v", "{c: []}", "{c: [{k: x, v: 1}]}", [], id="a new item"),
        pytest.param("spec.c[k].v", "{c: [{k: x, v: 1}]}", "{c: [{k: x}]}", ["spec.c[k=x].v"], id="an item's field"),
        pytest.param("spec.m.*", "{m: {a: 1, b: 1}}", "{m: {a: 2, c: 1}}", ["spec.m.a"], id="a map"),
        pytest.param("spec.c", "{c: [{k: x}]}", "{c: []}", ["spec.c"], id="a list as a whole"),
    ],
)
def test_may_not_change(path: str, old: str, new: str, expected: list[str]) -> None:
    assert broken(f"frozen: {{fields: ['{path}']}}", f"spec: {old}", f"spec: {new}") == expected


GUARDED = """
when: [{field: 'metadata.annotations["in-place.example/pending"]', operator: Exists}]
frozen: {fields: [spec.version]}
"""
PENDING = "annotations: {in-place.example/pending: hook}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(f"{{{PENDING}}}", f"{{{PENDING}}}", ["spec.version"], id="while it is pending"),
        pytest.param("{}", f"{{{PENDING}}}", ["spec.version"], id="as it begins"),
        pytest.param(f"{{{PENDING}}}", "{}", [], id="as it ends"),
        pytest.param("{}", "{}", [], id="before and after"),
    ],
)
def test_guarded_by_an_annotation(old: str, new: str, expected: list[str]) -> None:
    before, after = f"{{metadata: {old}, spec: {{version: 1}}}}", f"{{metadata: {new}, spec: {{version: 2}}}}"
    assert broken(GUARDED, before, after) == expected


def test_a_guard_that_turns_true_finds_no_change_in_what_stayed() -> None:
    assert broken(GUARDED, "{spec: {version: 1}}", f"{{metadata: {{{PENDING}}}, spec: {{version: 1}}}}") == []


def test_nothing_is_judged_on_create() -> None:
    assert broken("frozen: {fields: [spec.a]}", None, "spec: {a: 1}") == []


def test_problem() -> None:
    (violation,) = violations("spec: {a: 1}", "spec: {a: 2}", "frozen: {fields: [spec.a]}")
    assert violation.finding.problem == "changed from {old} to {new}"
    assert not violation.cured_by_waiting
