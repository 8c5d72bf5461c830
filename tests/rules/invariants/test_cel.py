from __future__ import annotations

from typing import Any

import pytest

from rules.check import Finding
from rules.invariants.cel import Cel
from rules.lint import warnings
from rules.violation import RuleVerdict
from rules.write import Roots, UndecodableError
from tests.rules.judging import broken, rule, verdict, violations, write

BOUND = "cel: {expression: 'object.status.a <= object.spec.b'}"
TURNED = """cel: {expression: "oldObject == null || oldObject.status.a != 'Done' || object.status.a == 'Done'"}"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("{status: {a: 1}, spec: {b: 2}}", "{status: {a: 2}, spec: {b: 2}}", [], id="holds"),
        pytest.param("{status: {a: 1}, spec: {b: 2}}", "{status: {a: 3}, spec: {b: 2}}", ["status.a"], id="broken"),
        pytest.param("{status: {a: 3}, spec: {b: 3}}", "{status: {a: 3}, spec: {b: 2}}", ["spec.b"], id="what changed"),
        pytest.param("{status: {a: 3}, spec: {b: 2}}", "{status: {a: 3, c: 1}, spec: {b: 2}}", [], id="an old fault"),
        pytest.param("{status: {a: 3}, spec: {b: 2}}", "{status: {a: 3.0}, spec: {b: 2}}", [], id="spelt anew"),
        pytest.param(
            "{status: {a: 3}, spec: {b: 2}}", "{status: {a: 4}, spec: {b: 2}}", ["status.a"], id="a fault touched"
        ),
        pytest.param(None, "{status: {a: 3}, spec: {b: 2}}", ["status.a"], id="created"),
    ],
)
def test_must_be_true_if_something_it_reads_changed(old: str | None, new: str, expected: list[str]) -> None:
    assert broken(BOUND, old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("{status: {a: Done}}", "{status: {a: Failed}}", ["status.a"], id="both objects"),
        pytest.param("{status: {a: Failed}}", "{status: {a: Done}}", [], id="holds"),
        pytest.param(None, "{status: {a: Failed}}", [], id="created"),
    ],
)
def test_reads_of_either_object_count(old: str | None, new: str, expected: list[str]) -> None:
    assert broken(TURNED, old, new) == expected


def test_a_field_that_only_the_old_object_is_asked_for() -> None:
    assert broken("cel: {expression: 'oldObject.status.a == 1'}", "{status: {a: 2}}", "{status: {a: 3}}") == [
        "status.a"
    ]
    assert broken("cel: {expression: 'oldObject.status.a == 1'}", "{status: {a: 2}}", "{status: {a: 2, b: 3}}") == []


def test_the_whole_object_is_named_object_and_shows_no_value() -> None:
    (violation,) = violations("{status: {a: 1}}", "{status: {a: 2}}", "cel: {expression: object == oldObject}")
    assert violation.finding == Finding("object", "breaks object == oldObject")
    assert broken("cel: {expression: object == oldObject}", "{status: {a: 1}}", "{status: {a: 1}}") == []


def test_the_first_field_that_changed_is_shown() -> None:
    (violation,) = violations("{status: {a: 1}, spec: {b: 2}}", "{status: {a: 3}, spec: {b: 2}}", BOUND)
    assert violation.finding == Finding("status.a", "breaks object.status.a <= object.spec.b", 1, 3)


def test_braces_of_an_expression_mean_themselves() -> None:
    (violation,) = violations("{}", "{status: {a: 1}}", "cel: {expression: \"object.status.a in {'old': 1}\"}")
    assert violation.finding.problem.format(old="?", new="?") == "breaks object.status.a in {'old': 1}"


GUARDED = "{when: [{field: status.on, operator: Exists}], cel: {expression: \"'x' in request.userInfo.groups\"}}"


def test_an_expression_without_objects_is_judged_if_what_when_reads_changed() -> None:
    assert broken(GUARDED, "{}", "{status: {on: 1}}", groups=("y",)) == ["object"]
    assert broken(GUARDED, "{}", "{status: {on: 1}}", groups=("x",)) == []
    assert broken(GUARDED, "{status: {on: 1}}", "{status: {on: 1, a: 1}}", groups=("y",)) == []


def test_an_expression_without_objects_is_warned_of() -> None:
    found = [
        problem for problem in warnings(rule("cel: {expression: 'request.dryRun'}")) if problem.code == "never-judged"
    ]
    assert [problem.location for problem in found] == [("spec", "invariants", 0, "cel", "expression")]
    assert not any(problem.code == "never-judged" for problem in warnings(rule(BOUND)))


def remark(
    message: str, old: str = "{}", new: str = "{status: {a: 3, name: ann}, spec: {b: 2}}"
) -> tuple[str, tuple[str, ...]]:
    spec = f"cel: {{expression: object.status.a <= object.spec.b, messageExpression: {message}}}"
    (violation,) = violations(old, new, spec)
    return violation.finding.remark, violation.finding.remark_reads


@pytest.mark.parametrize(
    ("message", "said", "reads"),
    [
        pytest.param("\"'too many: %d'.format([object.status.a])\"", "too many: 3", ("status.a",), id="values"),
        pytest.param("\"' ' + object.status.name + ' '\"", "ann", ("status.name",), id="blanks"),
        pytest.param("\"'  '\"", "", (), id="nothing"),
        pytest.param("\"'two\\\\nlines'\"", "", (), id="several lines"),
        pytest.param("object.status.missing", "", ("status.missing",), id="an error"),
        pytest.param("object.status.a", "", ("status.a",), id="no text"),
        pytest.param("\"'%s'.format([object == oldObject])\"", "false", ("object",), id="the whole object"),
        pytest.param("request.name", "w", (), id="the request"),
    ],
)
def test_message_expression(message: str, said: str, reads: tuple[str, ...]) -> None:
    assert remark(message) == (said, reads)


def test_a_message_of_what_cannot_be_decoded_says_nothing() -> None:
    def decode(name: str) -> Any:
        if name == "metadata":
            raise UndecodableError("object.metadata cannot be decoded")
        return {"a": 2}

    judged = rule("cel: {expression: object.status.a == 1, messageExpression: object.metadata.name}")
    to_judge = write("{}", "{}")
    to_judge = type(to_judge)(to_judge.request, Roots(decode=decode, encoded=("metadata", "status")))
    found = verdict(judged, to_judge)
    assert found.error is None
    assert [each.finding.remark for each in found.violations] == [""]


ERROR = "cel: {expression: 'object.status.a > object.status.missing'}"


def test_an_expression_without_a_value_is_an_error_and_the_others_are_judged() -> None:
    found = verdict(rule(ERROR, "frozen: {fields: [spec.x]}"), write("{}", "{spec: {x: 1}, status: {a: 1}}"))
    assert found.error == 'invariant i: Key not found in map : "missing"'
    assert [violation.invariant for violation in found.violations] == ["i1"]


def test_several_expressions_without_a_value_are_one_error() -> None:
    found = verdict(rule(ERROR, ERROR, ERROR), write("{}", "{status: {a: 1}}"))
    assert found == RuleVerdict(found.rule, error='invariant i: Key not found in map : "missing" (and 2 more)')


def test_an_expression_that_is_not_asked_has_no_error() -> None:
    assert broken(ERROR, "{status: {a: 1}}", "{status: {a: 1, b: 2}}") == []


def test_paths_are_those_of_both_objects() -> None:
    spec = Cel(
        expression="object.status.a == 1 && oldObject.metadata.annotations['x/y'] == '' && object != oldObject || true"
    )
    assert list(map(str, spec.compile().paths)) == []
    spec = Cel(expression="object.status.a == 1 && oldObject.metadata.annotations['x/y'] == ''")
    assert list(map(str, spec.compile().paths)) == ["status.a", 'metadata.annotations["x/y"]']
    assert spec.sentences() == [f"{spec.expression} is true."]
