"""A rule judges the writes that the oracle says it judges, of any constraints and any request."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from rules.compile import compile_rule
from rules.ruleset import RuleSet, judge
from rules.write import Request, Resource, Roots, Write
from tests.oracle.matching import Asked, matches

from .strategies.constraints import OBJECTS, requests, rules


def is_judged(rule: dict[str, Any], asked: Asked, old: dict[str, Any], new: dict[str, Any]) -> bool:
    request = Request(
        Resource(asked.group, asked.version, asked.resource, asked.subresource),
        operation=asked.operation,
        name=asked.name,
        namespace=asked.namespace,
        namespace_labels=asked.namespace_labels,
        username=asked.username,
        groups=asked.groups,
    )
    write = Write(request, Roots(new), Roots() if asked.operation == "CREATE" else Roots(old))
    verdicts = judge(RuleSet([compile_rule(rule)]).concerned(request), write)
    assert all(verdict.error is None for verdict in verdicts)
    return any(not verdict.exempt for verdict in verdicts)


@given(st.data(), rules(), OBJECTS, OBJECTS)
def test_which_writes_a_rule_judges(
    data: st.DataObject, rule: dict[str, Any], old: dict[str, Any], new: dict[str, Any]
) -> None:
    asked = data.draw(requests(rule))
    expected = matches(rule, asked, old, new)
    event(f"judged: {expected}")
    assert is_judged(rule, asked, old, new) is expected
