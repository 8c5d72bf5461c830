from __future__ import annotations

import pytest

from rules.documents import DocumentError, parse
from rules.located import LocatedProblem, locate, unreadable
from rules.places import Place
from rules.problem import Problem

from .judging import mistakes

TEXT = """\
rules:
- spec:
    fields: [status.a, "status..b"]
    feilds: 3
"""


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (Problem(("spec", "fields", 1), "m", "c"), "r.yaml:3:24: error: m [c]"),
        (Problem(("spec", "fields", 1), "m", "c", offset=7), "r.yaml:3:32: error: m [c]"),
        (Problem(("spec", "feilds"), "m", "c"), "r.yaml:4:13: error: m [c]"),
        (Problem(("spec", "feilds"), "m", "unknown-field"), "r.yaml:4:5: error: m [unknown-field]"),
        (Problem(("spec", "gone", "deeper"), "m", "c", "warning"), "r.yaml:3:5: warning: m [c]"),
        (Problem((), "m", "c"), "r.yaml:2:3: error: m [c]"),
    ],
)
def test_a_problem_with_its_place(problem: Problem, expected: str) -> None:
    (document,) = parse(TEXT.encode(), "r.yaml")
    assert str(locate(problem, document, ("rules", 0))) == expected


def test_a_file_that_cannot_be_parsed_is_a_problem_too() -> None:
    with pytest.raises(DocumentError) as caught:
        parse(b"a: [", "r.yaml")
    problem = unreadable(caught.value)
    assert str(problem).startswith("r.yaml:1:5: error: ")
    assert str(problem).endswith(" [syntax]")


def test_problems_are_ordered_as_they_are_read() -> None:
    places = [Place("b", 1, 1), Place("a", 10, 1), Place("a", 9, 2), Place("a", 9, 10)]
    ordered = sorted(LocatedProblem(place, "m", "c") for place in places)
    assert [str(problem.place) for problem in ordered] == ["a:9:2", "a:9:10", "a:10:1", "b:1:1"]


def test_the_offset_in_an_escaped_string_is_where_an_editor_sees_it() -> None:
    (said,) = mistakes(
        "apiVersion: statusguard.dev/v1alpha1\n"
        "kind: ClusterStatusRule\n"
        "metadata: {name: r}\n"
        "spec:\n"
        "  matchConstraints: {resourceRules: [{apiGroups: [g], apiVersions: [v1], resources: [xs]}]}\n"
        "  invariants:\n"
        "  - name: i\n"
        "    frozen:\n"
        "      fields:\n"
        '      - "status[\\"a\\"].."\n'
    )
    assert said.startswith("r.yaml:10:24: error: fields[0]: expected a name")
