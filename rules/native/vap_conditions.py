"""The matchConditions of a policy: those of the rule, and what its exemptions and deletions become."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import chain, count
from typing import Final

from rules.api import RuleSpec
from rules.native.expression import constants

MAX_CONDITIONS: Final = 64
"""Conditions that the API server takes; a rule may have as many of its own."""

PREFIX: Final = "statusguard.dev/"


def conditions_of(spec: RuleSpec) -> list[dict[str, str]]:
    """Return the conditions, at most MAX_CONDITIONS, each with a name of its own."""
    expressions = {each.name: str(each.expression) for each in spec.match_conditions}
    for name, expression in _own(spec):
        expressions[_free(name, expressions)] = expression
    surplus = len(expressions) - MAX_CONDITIONS
    if surplus > 0:
        # The shortest ones stay readable as parts of one expression, and far from the size that CEL's parser takes.
        shortest = sorted(expressions, key=lambda name: len(expressions[name]))[: surplus + 1]
        parts = [expressions.pop(name) for name in shortest]
        expressions[_free("together", expressions)] = "\n&& ".join(map(_in_brackets, parts))
    return [{"name": name, "expression": expression} for name, expression in expressions.items()]


def _own(spec: RuleSpec) -> Iterator[tuple[str, str]]:
    if spec.exemptions.users:
        yield "exempt-users", f"!(request.userInfo.username in {constants(spec.exemptions.users).text})"
    if spec.exemptions.groups:
        exempt = constants(spec.exemptions.groups).text
        yield "exempt-groups", f"!has(request.userInfo.groups) || !request.userInfo.groups.exists(g, g in {exempt})"
    if not spec.enforce_while_deleting and spec.action != "Audit":
        yield "not-being-deleted", "!has(object.metadata.deletionTimestamp)"


def _free(name: str, taken: Container[str]) -> str:
    numbered = (f"{PREFIX}{name}-{number}" for number in count(2))
    return next(each for each in chain([f"{PREFIX}{name}"], numbered) if each not in taken)


def _in_brackets(expression: str) -> str:
    # A comment at the end would swallow the bracket.
    return f"({expression}\n)" if "//" in expression else f"({expression})"
