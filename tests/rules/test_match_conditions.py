from __future__ import annotations

import pytest

from rules.ruleset import judge
from rules.violation import RuleVerdict

from .judging import rule, spec_mistakes, write

FROZEN = "frozen: {fields: [status.a]}"
TRUE, FALSE = "object.status.a == 2", "object.status.a == 1"
ERROR = "object.status.missing == 1"


def judged(*expressions: str, policy: str = "Ignore") -> list[RuleVerdict]:
    conditions = [{"name": f"c{index}", "expression": each} for index, each in enumerate(expressions)]
    judging = rule(FROZEN, matchConditions=conditions, failurePolicy=policy)
    return judge([judging], write("{status: {a: 1}}", "{status: {a: 2}}", groups=("system:masters",)))


@pytest.mark.parametrize("expressions", [(), (TRUE,), (TRUE, TRUE)])
def test_all_hold(expressions: tuple[str, ...]) -> None:
    (verdict,) = judged(*expressions)
    assert [violation.field for violation in verdict.violations] == ["status.a"]


@pytest.mark.parametrize(
    "expressions",
    [
        (FALSE,),
        (TRUE, FALSE),
        ("!('system:masters' in request.userInfo.groups)",),
        pytest.param((ERROR, FALSE), id="one that is false decides over an error before it"),
        pytest.param((FALSE, ERROR), id="and over one after it"),
    ],
)
@pytest.mark.parametrize("policy", ["Ignore", "Fail"])
def test_one_that_is_false_skips_the_rule(expressions: tuple[str, ...], policy: str) -> None:
    assert judged(*expressions, policy=policy) == []


@pytest.mark.parametrize("policy", ["Ignore", "Fail"])
def test_an_error_keeps_the_rule_from_judging(policy: str) -> None:
    (verdict,) = judged(TRUE, ERROR, "object.status.other == 1", policy=policy)
    assert verdict == RuleVerdict(verdict.rule, error='matchCondition c1: Key not found in map : "missing"')


MATCH = "matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']}]}"
REST = f"{MATCH}\ninvariants: [{{name: i, {FROZEN}}}]\nmatchConditions:\n"


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        (
            '- {name: c, expression: "objekt.a"}',
            'r.yaml:8:28: error: expression: unknown name objekt, did you mean "object"? [cel]',
        ),
        ("- {name: -c, expression: 'true'}", "r.yaml:8:12: error: name: '-c' is no valid name: use letters, digits"),
        (
            "- {name: a..b/c, expression: 'true'}",
            "r.yaml:8:12: error: name: 'a..b/c' is no valid name: use letters, digits",
        ),
        ("- {expression: 'true'}", "name is missing"),
        ("- {name: c, expression: 1}", "expression must be a string"),
        (
            "- {name: c, expression: \"'a'\"}",
            "r.yaml:8:27: error: expression: gives a value of type string, expected bool [cel]",
        ),
        (
            "- {name: c, expression: 'true'}\n- {name: c, expression: 'true'}",
            "r.yaml:9:12: error: name: two conditions are named c [duplicate-name]",
        ),
    ],
)
def test_mistakes(conditions: str, said: str) -> None:
    (found,) = spec_mistakes(REST + conditions)
    assert said in found
