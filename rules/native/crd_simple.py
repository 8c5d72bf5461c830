"""Shorter expressions of the same meaning: what has been asked is not asked again.

`!has(self.x) || has(self.x) && self.x > 0` is `!has(self.x) || self.x > 0`. Only of expressions as we compose them: what is
asked twice has no value that could fail the first time and not the second.
"""

from __future__ import annotations

import re
from functools import reduce
from typing import Final, TypeAlias

from rules.native.crd_conditions import (
    FALSE,
    RELATIONS,
    TRUE,
    Atom,
    Choice,
    Many,
    Node,
    Not,
    is_enclosed,
    joined,
    macro,
    negated,
    outer,
    parsed,
    written,
)
from rules.native.expression import Expression

_Facts: TypeAlias = dict[str, bool]
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*|[0-9]+|'[^'\\]*'")


def simplified(expression: Expression) -> Expression:
    """Return a condition without what it asks twice."""
    found = _simple(parsed(expression.text), {})
    return Expression(written(found), 0, expression.cost)


def _simple(node: Node, facts: _Facts) -> Node:
    match node:
        case Atom(text):
            known = facts.get(text)
            return _inside(text, facts) if known is None else (TRUE if known else FALSE)
        case Not(part):
            return negated(_simple(part, facts))
        case Many(operator, parts):
            found: list[Node] = []
            for part in parts:
                found.append(_simple(part, facts))
                facts = facts | _facts(found[-1], is_true=operator == "&&")
            return joined(operator, found)
        case Choice(condition, then, otherwise):
            condition = _simple(condition, facts)
            if condition in (TRUE, FALSE):
                return _simple(then if condition == TRUE else otherwise, facts)
            then = _simple(then, facts | _facts(condition, is_true=True))
            otherwise = _simple(otherwise, facts | _facts(condition, is_true=False))
            return _chosen(condition, then, otherwise)


def _chosen(condition: Node, then: Node, otherwise: Node) -> Node:
    if then == otherwise:
        return then
    if then == TRUE:
        return joined("||", [condition, otherwise])
    if then == FALSE:
        return joined("&&", [negated(condition), otherwise])
    if otherwise == TRUE:
        return joined("||", [negated(condition), then])
    if otherwise == FALSE:
        return joined("&&", [condition, then])
    return Choice(condition, then, otherwise)


def _facts(node: Node, *, is_true: bool) -> _Facts:
    """Return what is known where a condition is true, or false."""
    match node:
        case Atom(text):
            return {text: is_true}
        case Not(part):
            return _facts(part, is_true=not is_true)
        case Many(operator, parts) if is_true == (operator == "&&"):
            return reduce(lambda known, part: known | _facts(part, is_true=is_true), parts, {})
    return {}


def _inside(text: str, facts: _Facts) -> Node:
    """Return an atom; of one that goes through a list what is asked of each item is made simpler too."""
    relations = [(at, sign) for at, sign in outer(text) if sign in RELATIONS]
    if relations:
        (at, sign), *_ = relations
        return Atom(sign.join(_operand(side, facts) for side in (text[:at], text[at + len(sign) :])))
    match = macro(text)
    if match is None:
        return Atom(text)
    body = _simple(parsed(text[match.end() : -1]), facts)
    if body == (TRUE if match.group(1) == "all" else FALSE):
        return body
    return Atom(f"{text[: match.end()]}{written(body)})")


def _operand(text: str, facts: _Facts) -> str:
    """Return a side of a comparison; a choice of which it is known how it goes is made."""
    choice = parsed(text) if is_enclosed(text) else None
    if not isinstance(choice, Choice):
        return text
    condition = _simple(choice.condition, facts)
    if condition not in (TRUE, FALSE):
        return text
    found = written(choice.then if condition == TRUE else choice.otherwise)
    return found if _PLAIN.fullmatch(found) else f"({found})"
