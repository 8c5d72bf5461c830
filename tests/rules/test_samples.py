from __future__ import annotations

from typing import Any

import pytest

from rules import fieldpath, relations
from rules.predicates import Predicate
from rules.samples import TIMES, amounts, answers, compared, literals, measures, plausible, states_of, typed

from .judging import snippet


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("status.phase", ["a", "b", None]),
        ("status.readyReplicas", [1, 0, 2, 3, None]),
        ("status.lastUpdateTime", [*TIMES, None]),
        ("status.finishedAt", [*TIMES, None]),
        ("status.notAfter", [*TIMES, None]),
        ("status.format", ["a", "b", None]),
        ("status.conditions[type=Ready].status", ["True", "False", None]),
        ("status.conditions[type]", [{"status": "True"}, {"status": "False"}, None]),
        ("status.items[name=x]", [{"value": "a"}, {"value": "b"}, None]),
        ("status.holds.*", ["a", "b", None]),
        ('metadata.annotations["a/count"]', ["a", "b", None]),
        ("metadata.generation", [1, 0, 2, 3, None]),
    ],
)
def test_plausible_values_fit_the_name(path: str, expected: list[Any]) -> None:
    assert plausible(fieldpath.parse(path)) == expected


def test_measures_have_an_order() -> None:
    assert measures(fieldpath.parse("status.startTime"))[:-1] == list(TIMES)
    assert measures(fieldpath.parse("status.anything")) == [1, 0, 2, 3, None]


@pytest.mark.parametrize(
    ("path", "names", "expected"),
    [
        ("status.phase", ["A", "", "A"], ["A", None, "Other"]),
        ("status.phase", ["Other"], ["Other", "Other2"]),
        ("status.ready", ["true"], [True, False]),
        ("status.ready", ["true", "false"], [True, False, "Other"]),
        ("status.conditions[type=Ready].status", ["True"], ["True", "False"]),
        ("status.level", ["1", "2"], [1, 2, 3]),
        ('metadata.labels["x"]', ["true", "1"], ["true", "1", "false"]),
    ],
)
def test_states_have_one_more(path: str, names: list[str], expected: list[Any]) -> None:
    found = states_of(fieldpath.parse(path), names)
    assert [(type(value), value) for value in found] == [(type(value), value) for value in expected]


def test_of_thousands_of_states_few_are_tried() -> None:
    found = states_of(fieldpath.parse("status.phase"), [f"s{number}" for number in range(5_000)])
    assert len(found) == 11


def test_labels_are_text() -> None:
    assert typed(fieldpath.parse('metadata.labels["x"]'), "3") == "3"
    assert typed(fieldpath.parse("status.x"), "3") == 3


@pytest.mark.parametrize(
    ("predicates", "first", "last"),
    [
        (["operator: In, values: [A, B]"], "A", None),
        (["operator: NotIn, values: [A]"], "Other", "A"),
        (["operator: Exists"], "a", None),
        (["operator: DoesNotExist"], None, "b"),
        (["operator: Matches, values: ['v[0-9]+']"], "v0", None),
        (["operator: Exists", "operator: NotIn, values: [a, A]"], "b", None),
    ],
)
def test_answers_come_with_the_best_first(predicates: list[str], first: Any, last: Any) -> None:
    asked = [Predicate.model_validate(snippet(f"{{field: status.x, {predicate}}}")) for predicate in predicates]
    found = answers(asked)
    assert (found[0], found[-1]) == (first, last)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("status.a <= status.b", [0, 1, 2, None]),
        ("status.a == status.b + 100", [0, 1, 2, 100, 101, 99, None]),
        ("status.a > -5", [0, 1, 2, 5, 6, 4, -5, -4, -6, None]),
        ("status.a == 10 - 3", [0, 1, 2, 7, 8, 6, 13, 14, 12, 10, 11, 9, 3, 4, None]),
    ],
)
def test_amounts_are_near_the_integers_of_a_relation(relation: str, expected: list[Any]) -> None:
    assert amounts([relations.parse(relation)]) == expected


def test_literals_of_an_expression() -> None:
    assert literals("""object.status.a == 'x' && object.b2 > 1.5 || size(object.c) == 10 && d == "y" """) == [
        *("x", 1, 2, 0, 10, 11, 9, "y")
    ]


def test_what_an_expression_compares() -> None:
    assert compared(fieldpath.parse("status.phase"), "object.status.phase == 'A'") == [
        "A",
        "a",
        "b",
        1,
        0,
        True,
        False,
        None,
    ]
    assert compared(fieldpath.parse("metadata.name"), "object.metadata.name == 'A' || 1 < 2")[:2] == ["A", "a"]
    conditions = compared(fieldpath.parse("status.conditions"), "object.status.conditions.exists(c, c.type == 'A')")
    assert [] in conditions
