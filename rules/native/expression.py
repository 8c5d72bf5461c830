"""CEL expressions as they are composed: text, how tightly it binds, and what the API server will charge for it at most.

Only what is needed to say invariants. Constants are folded, so that what is printed is what a person would write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_CHOICE, _OR, _AND, _RELATION, _SUM, _UNARY, MEMBER = range(7)

LIST: Final = 10
"""What the API server's CEL charges for a list that is made (cel-go, `ListCreateBaseCost`); everything else we use costs 1."""

MAP: Final = 30
"""What it charges for a map that is made (`MapCreateBaseCost`)."""

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
RESERVED: Final = frozenset(
    (
        *("as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"),
        *("namespace", "null", "package", "return", "true", "var", "void", "while"),
    )
)
"""Words that are no names in CEL."""

_OPPOSITES: Final = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_ESCAPED: Final = re.compile(r"[\\'\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ESCAPES: Final = {"\\": r"\\", "'": r"\'", "\n": r"\n", "\t": r"\t", "\r": r"\r"}


@dataclass(frozen=True, slots=True)
class Expression:
    """A CEL expression; `level` says how tightly its outermost operator binds, `cost` is what one evaluation costs at most.

    `opposite` is its negation where that has a shorter form than `!`. `optional`: what is read as an optional, if the value is
    what that holds or something else; it is read again sooner than a name could be bound to it.
    """

    text: str
    level: int = MEMBER
    cost: int = 1
    opposite: str = ""
    optional: str = ""

    def within(self, level: int) -> str:
        """Return the text as an operand of an operator that binds at `level`."""
        return self.text if self.level >= level else f"({self.text})"

    def __str__(self) -> str:
        return self.text


TRUE: Final = Expression("true", cost=0)
FALSE: Final = Expression("false", cost=0)
NULL: Final = Expression("null", cost=0)
ZERO: Final = Expression("0", cost=0)


def name(identifier: str) -> Expression:
    """Return a variable."""
    return Expression(identifier)


def quote(value: str) -> str:
    """Return a string as a CEL literal in single quotes."""

    def escape(match: re.Match[str]) -> str:
        character = match.group()
        return _ESCAPES.get(character, f"\\u{ord(character):04x}")

    return f"'{_ESCAPED.sub(escape, value)}'"


def literal(value: str | int) -> Expression:
    """Return a constant."""
    if isinstance(value, int):
        return Expression(str(value), MEMBER if value >= 0 else _UNARY, 0)
    return Expression(quote(value), cost=0)


def constants(values: Iterable[str | int]) -> Expression:
    """Return a list of constants of one type."""
    written = [literal(value).text for value in values]
    return Expression(f"[{', '.join(written)}]", cost=LIST + len(written))


def all_of(*parts: Expression) -> Expression:
    """Return that all parts are true."""
    return _joined(parts, " && ", _AND, FALSE, TRUE)


def any_of(*parts: Expression) -> Expression:
    """Return that one of the parts is true."""
    return _joined(parts, " || ", _OR, TRUE, FALSE)


def _joined(
    parts: Iterable[Expression], operator: str, level: int, deciding: Expression, neutral: Expression
) -> Expression:
    kept: list[Expression] = []
    for part in parts:
        if part.text == deciding.text:
            return deciding
        if part.text != neutral.text and all(part.text != other.text for other in kept):
            kept.append(part)
    if not kept:
        return neutral
    if len(kept) == 1:
        return kept[0]
    return Expression(operator.join(part.within(level) for part in kept), level, sum(part.cost + 1 for part in kept))


def negate(part: Expression) -> Expression:
    """Return that something is not true."""
    if part.text in {"true", "false"}:
        return FALSE if part.text == "true" else TRUE
    if part.opposite:
        return Expression(part.opposite, part.level, part.cost, part.text)
    return Expression(f"!{part.within(_UNARY)}", _UNARY, part.cost + 1)


def compare(left: Expression, operator: str, right: Expression) -> Expression:
    """Return a comparison: one of `== != < <= > >=`. Equality of a thing with itself is folded."""
    if left.text == right.text and operator in {"==", "<=", ">="} and left.level == MEMBER:
        return TRUE
    if operator in {"==", "!="} and "null" in (left.text, right.text) and _is_constant(left) and _is_constant(right):
        # CEL refuses to compare null with a constant of another type.
        return TRUE if (left.text == right.text) is (operator == "==") else FALSE
    one, other = left.within(_SUM), right.within(_SUM)
    opposite = f"{one} {_OPPOSITES[operator]} {other}"
    return Expression(f"{one} {operator} {other}", _RELATION, left.cost + right.cost + 1, opposite)


def _is_constant(value: Expression) -> bool:
    return value.cost == 0


def contained(value: Expression, values: Expression) -> Expression:
    """Return that a value is in a list, or a key in a map."""
    return Expression(f"{value.within(_SUM)} in {values.within(_SUM)}", _RELATION, value.cost + 2 * values.cost + 1)


def one_of(value: Expression, values: Iterable[str | int]) -> Expression:
    """Return that a value is one of some constants of one type."""
    listed = list(dict.fromkeys(values))
    if not listed or value.text == "null":
        return FALSE
    if len(listed) == 1:
        return compare(value, "==", literal(listed[0]))
    return contained(value, constants(listed))


def choose(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """Return one of two values."""
    if condition.text in {"true", "false"}:
        return then if condition.text == "true" else otherwise
    if then.text == otherwise.text:
        return then
    if then.text == "true":
        return any_of(condition, otherwise)
    if otherwise.text == "true":
        return any_of(negate(condition), then)
    if then.text == "false":
        return all_of(negate(condition), otherwise)
    if otherwise.text == "false":
        return all_of(condition, then)
    text = f"{condition.within(_OR)} ? {then.within(_OR)} : {otherwise.within(_CHOICE)}"
    return Expression(text, _CHOICE, condition.cost + then.cost + otherwise.cost + 1)


def add(left: Expression, operator: str, right: Expression) -> Expression:
    """Return a sum or a difference."""
    return Expression(f"{left.within(_SUM)} {operator} {right.within(_UNARY)}", _SUM, left.cost + right.cost + 1)


def call(function: str, *arguments: Expression) -> Expression:
    """Return a call: `type(x)`."""
    listed = ", ".join(argument.text for argument in arguments)
    return Expression(f"{function}({listed})", MEMBER, sum(each.cost for each in arguments) + 1)


def method(target: Expression, function: str, *arguments: Expression) -> Expression:
    """Return a call of a member function: `x.size()`."""
    listed = ", ".join(argument.text for argument in arguments)
    cost = target.cost + sum(each.cost for each in arguments) + 1
    return Expression(f"{target.within(MEMBER)}.{function}({listed})", MEMBER, cost)


def is_type(value: Expression, kind: str) -> Expression:
    """Return that a value has a type: `int`, `double`, `string`, `bool`, `map`, `list`."""
    return compare(call("type", value), "==", Expression(kind, cost=0))


def member(target: Expression, key: str) -> Expression:
    """Return a member of a map that is there."""
    if is_selectable(key):
        return Expression(f"{target.within(MEMBER)}.{key}", MEMBER, target.cost + 1)
    return Expression(f"{target.within(MEMBER)}[{quote(key)}]", MEMBER, target.cost + 1)


def has(target: Expression, key: str) -> Expression:
    """Return that a map has a member, null or not."""
    if is_selectable(key):
        return call("has", member(target, key))
    return contained(literal(key), target)


def item(target: Expression, index: Expression) -> Expression:
    """Return an item of a list, or the value of a key."""
    return Expression(f"{target.within(MEMBER)}[{index.text}]", MEMBER, target.cost + index.cost + 1)


def is_selectable(key: str) -> bool:
    """Tell whether a key may follow a dot."""
    return _IDENTIFIER.fullmatch(key) is not None and key not in RESERVED


def macro(target: Expression, function: str, variables: str, body: Expression, turns: int) -> Expression:
    """Return a comprehension: `target.all(v, body)`; `turns` is how often the body is evaluated at most."""
    # Four operations a turn: the condition of the loop, the step, and the two variables (measured against cel-go's tracker).
    cost = target.cost + turns * (body.cost + 4) + 2
    return Expression(f"{target.within(MEMBER)}.{function}({variables}, {body.text})", MEMBER, cost)


def listed(*values: Expression) -> Expression:
    """Return a list that is made."""
    return Expression(
        f"[{', '.join(value.text for value in values)}]", MEMBER, LIST + sum(each.cost for each in values)
    )


def let(variable: Expression, value: Expression, body: Expression) -> Expression:
    """Return what holds where a variable stands for a value. CEL has no `let` there, but a list of one item will do."""
    if body.text in {"true", "false"}:
        return body
    return macro(listed(value), "all", variable.text, body, 1)
