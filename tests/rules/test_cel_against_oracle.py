"""CEL in rules, against a plain meaning of the same expressions in Python.

Each expression is grown together with what it means: true, false, or None where it has no value. `&&` and `||` do not care
about a side without a value if the other decides (the CEL specification, "Logical Operators").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from rules.compile import compile_rule
from rules.ruleset import judge
from rules.write import Request, Resource, Roots, Write

Status: TypeAlias = dict[str, Any]
Truth: TypeAlias = bool | None


class Expression(NamedTuple):
    """An expression, what it means for the old and the new status, and which fields it reads."""

    written: str
    means: Callable[[Status, Status], Truth]
    reads: frozenset[str]


FIELDS = st.sampled_from(["a", "b"])
SIDES = st.sampled_from(["object", "oldObject"])
VALUES = st.integers(0, 2)
STATUSES = st.fixed_dictionaries({"x": VALUES}, optional={"a": VALUES, "b": VALUES})


def side(name: str, old: Status, new: Status) -> Status:
    return new if name == "object" else old


def has(name: str, field: str) -> Expression:
    return Expression(f"has({name}.status.{field})", lambda o, n: field in side(name, o, n), frozenset({field}))


def compares(name: str, field: str, sign: str, number: int) -> Expression:
    def means(old: Status, new: Status) -> Truth:
        found = side(name, old, new).get(field)
        if found is None:
            return None
        return bool({"==": found == number, "<": found < number, ">=": found >= number}[sign])

    return Expression(f"{name}.status.{field} {sign} {number}", means, frozenset({field}))


def negated(inner: Expression) -> Expression:
    def means(old: Status, new: Status) -> Truth:
        value = inner.means(old, new)
        return None if value is None else not value

    return Expression(f"!({inner.written})", means, inner.reads)


def joined(left: Expression, right: Expression, sign: str) -> Expression:
    decides = sign == "||"

    def means(old: Status, new: Status) -> Truth:
        values = left.means(old, new), right.means(old, new)
        if decides in values:
            return decides
        return None if None in values else not decides

    return Expression(f"({left.written}) {sign} ({right.written})", means, left.reads | right.reads)


LEAVES = st.builds(has, SIDES, FIELDS) | st.builds(compares, SIDES, FIELDS, st.sampled_from(["==", "<", ">="]), VALUES)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.builds(negated, inner) | st.builds(joined, inner, inner, st.sampled_from(["&&", "||"])),
    max_leaves=5,
)


def outcome(expression: Expression, condition: Expression, old: Status, new: Status) -> str:
    """Return what must come of a write: skipped, fine, broken, or no value."""
    applies = condition.means(old, new)
    if applies is not True:
        return "skipped" if applies is False else "no value"
    if all(old.get(field) == new.get(field) for field in expression.reads):
        return "fine"  # what it reads did not change: it is not judged
    return {True: "fine", False: "broken", None: "no value"}[expression.means(old, new)]


@given(EXPRESSIONS, EXPRESSIONS, STATUSES, STATUSES)
def test_an_invariant_and_a_match_condition_mean_what_they_say(
    expression: Expression, condition: Expression, old: Status, new: Status
) -> None:
    rule = compile_rule(
        {
            "apiVersion": "statusguard.dev/v1alpha1",
            "kind": "ClusterStatusRule",
            "metadata": {"name": "r"},
            "spec": {
                "matchConstraints": {
                    "resourceRules": [{"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["xs/status"]}]
                },
                "matchConditions": [{"name": "c", "expression": condition.written}],
                "invariants": [{"name": "i", "cel": {"expression": expression.written}}],
            },
        }
    )
    request = Request(Resource("g", "v1", "xs", "status"))
    verdicts = judge([rule], Write(request, Roots({"status": new}), Roots({"status": old})))
    found = "skipped"
    for verdict in verdicts:
        found = "no value" if verdict.error else "broken" if verdict.violations else "fine"
    assert found == outcome(expression, condition, old, new)
