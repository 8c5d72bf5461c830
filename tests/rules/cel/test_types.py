from __future__ import annotations

import sys

import pytest

from rules.cel.program import compile_cel
from tests.rules.judging import MATCH_EVERYTHING, invariant_mistakes, spec_mistakes


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "cel: {expression: object.status.a + 1 == objekt.b}",
            '8:46: error: expression: unknown name objekt, did you mean "object"? [cel]',
        ),
        (
            "cel: {expression: \"object.status.a == 'é' && 1 + 'a' == 2\"}",
            "8:52: error: expression: found no matching overload for '_+_' applied to '(int, string)' [cel]",
        ),
        (
            "cel: {expression: object.status.replicas + 1}",
            "8:23: error: expression: gives a value of type int, expected bool [cel]",
        ),
        (
            "cel: {expression: 'true', messageExpression: 1 + 1}",
            "8:50: error: messageExpression: gives a value of type int, expected string [cel]",
        ),
        (
            "cel: {expression: object.status.list.isSorted()}",
            "8:42: error: expression: isSorted is a function of the API server that is not available here [cel]",
        ),
        (
            "cel: {expression: object.status.a.matches(object.status.b)}",
            "8:46: error: expression: matches takes its pattern as a literal here: compiling one may take long [cel]",
        ),
        ("cel: {expression: ''}", "8:23: error: expression must not be empty [string-too-short]"),
        (
            f"cel: {{expression: {'x' * 1_025}}}",
            "8:23: error: expression is longer than 1024 characters [string-too-long]",
        ),
        ("cel: {expression: 1}", "8:23: error: expression must be a string [string-type]"),
        ("cel: {}", "8:10: error: expression is missing [missing-field]"),
    ],
)
def test_mistakes_have_file_line_and_column(written: str, said: str) -> None:
    assert invariant_mistakes(written) == [f"r.yaml:{said}"]


@pytest.mark.parametrize("header", ["|", "|-", ">-", "> # folded"])
def test_a_mistake_on_a_further_line_of_an_expression(header: str) -> None:
    expression = f"    expression: {header}\n      object.status.a == 1 &&\n      1 + 'a' == 2\n"
    assert spec_mistakes(f"{MATCH_EVERYTHING}\ninvariants:\n- name: i\n  cel:\n{expression}") == [
        "r.yaml:11:11: error: expression: found no matching overload for '_+_' applied to '(int, string)' [cel]"
    ]


def test_without_the_extra_each_expression_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rules.cel.engine", None)
    compile_cel.cache_clear()
    said = "error: expression: CEL needs the extra `cel`: pip install 'statusguard[cel]' [cel]"
    assert invariant_mistakes("cel: {expression: object.a == 1}") == [f"r.yaml:8:23: {said}"]
    conditions = (
        "matchConditions: [{name: c, expression: object.a == 1}]\ninvariants: [{name: i, frozen: {fields: [status.a]}}]"
    )
    assert spec_mistakes(f"{MATCH_EVERYTHING}\n{conditions}") == [f"r.yaml:6:43: {said}"]
