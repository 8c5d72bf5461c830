"""Shorthand for the tests: rules and objects from snippets of YAML, and what a write breaks."""

from __future__ import annotations

from typing import Any

from rules.compile import CompiledRule, compile_rule
from rules.documents import parse
from rules.located import LocatedProblem, locate
from rules.problem import InvalidRuleError
from rules.ruleset import judge as judge_rules
from rules.values import MISSING
from rules.violation import RuleVerdict, Violation
from rules.write import Request, Resource, Roots, Write

WIDGETS = Resource("example.test", "v1", "widgets", "status")

_HEAD = """\
apiVersion: statusguard.dev/v1alpha1
kind: ClusterStatusRule
metadata: {name: r}
spec:
"""
MATCH_EVERYTHING = "matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']}]}"


def snippet(text: str) -> Any:
    """Return what a piece of YAML says."""
    (document,) = parse(text.encode(), "snippet.yaml")
    return document.data


def rule(*invariants: str, name: str = "r", **spec: Any) -> CompiledRule:
    """Return a rule about everything with these invariants, named i, i2, i3 unless they say otherwise."""
    document = snippet(f"{_HEAD}  {MATCH_EVERYTHING}\n  invariants: []")
    entries = [{"name": f"i{index or ''}", **snippet(text)} for index, text in enumerate(invariants) if text]
    document["metadata"]["name"] = name
    document["spec"] |= {"invariants": entries, **spec}
    return compile_rule(document)


def write(old: str | None, new: str, patch: Any = MISSING, **request: Any) -> Write:
    """Return a write to `widgets/status`; without an old object it creates the new one."""
    operation = "UPDATE" if old is not None else "CREATE"
    asked = Request(**{"resource": WIDGETS, "operation": operation, "name": "w", "uid": "u-1", **request})
    return Write(asked, Roots(snippet(new)), Roots(snippet(old) if old else None), patch)


def verdict(judged: CompiledRule, to_judge: Write) -> RuleVerdict:
    """Return what one rule says of a write."""
    (found,) = judge_rules([judged], to_judge)
    return found


def violations(old: str | None, new: str, *invariants: str, **request: Any) -> tuple[Violation, ...]:
    """Return what a write breaks; that something kept the rule from judging fails the test."""
    found = verdict(rule(*invariants), write(old, new, **request))
    assert found.error is None, found.error
    return found.violations


def judge(old: str | None, new: str, *invariants: str, **request: Any) -> list[tuple[str, str]]:
    """Return (invariant, field) of everything that a write breaks."""
    return [(each.invariant, each.field) for each in violations(old, new, *invariants, **request)]


def broken(invariant: str, old: str | None, new: str, **request: Any) -> list[str]:
    """Return the fields that a write breaks by one invariant."""
    return [field for _, field in judge(old, new, invariant, **request)]


def mistakes(text: str) -> list[str]:
    """Return the problems of the rule documents in a text, as `lint` prints them."""
    found: list[LocatedProblem] = []
    for document in parse(text.encode(), "r.yaml"):
        try:
            compile_rule(document.data)
        except InvalidRuleError as error:
            found += [locate(problem, document) for problem in error.problems]
    return list(map(str, sorted(found)))


def spec_mistakes(spec: str) -> list[str]:
    """Return the problems of a rule whose spec begins on line 5 at column 3."""
    return mistakes(_HEAD + "".join(f"  {line}\n" for line in spec.splitlines()))


def invariant_mistakes(invariant: str) -> list[str]:
    """Return the problems of an invariant `i` whose kind stands on line 8 from column 5."""
    return mistakes(f"{_HEAD}  {MATCH_EVERYTHING}\n  invariants:\n  - name: i\n    {invariant}\n")
