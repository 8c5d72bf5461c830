"""Conditions as we compose them, taken apart at what binds least, and written again: on several lines if they are long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from rules.native.expression import Expression

WIDTH: Final = 100
"""Characters of a line."""

_INDENT: Final = "  "
_SIGN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[()\[\]{}]| (?:\?|:|\|\||&&|==|!=|<=|>=|<|>|in) |.", re.DOTALL)
RELATIONS: Final = frozenset({" == ", " != ", " <= ", " >= ", " < ", " > ", " in "})
_MACRO: Final = re.compile(r"\.(all|exists)\(([a-z][0-9]*), ")


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition that is not taken apart."""

    text: str


@dataclass(frozen=True, slots=True)
class Not:
    """That a condition is not true."""

    part: Node


@dataclass(frozen=True, slots=True)
class Many:
    """Parts of which one (`||`) or all (`&&`) hold."""

    operator: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One condition or another, as a third one is true."""

    condition: Node
    then: Node
    otherwise: Node


Node: TypeAlias = Atom | Not | Many | Choice
TRUE: Final = Atom("true")
FALSE: Final = Atom("false")


def parsed(text: str) -> Node:
    """Return a condition taken apart."""
    if is_enclosed(text):
        return parsed(text[1:-1])
    marks = [(at, sign) for at, sign in outer(text) if sign in {" ? ", " : ", " || ", " && "} | RELATIONS]
    signs = [sign for _, sign in marks]
    if " ? " in signs:
        return _choice(text, marks)
    for operator in ("||", "&&"):
        cuts = [at for at, sign in marks if sign == f" {operator} "]
        if cuts:
            starts, ends = [0, *(at + 4 for at in cuts)], [*cuts, len(text)]
            return joined(operator, [parsed(text[a:b]) for a, b in zip(starts, ends, strict=True)])
    if text.startswith("!") and not signs:
        return negated(parsed(text[1:]))
    return Atom(text)


def _choice(text: str, marks: list[tuple[int, str]]) -> Node:
    start = next(at for at, sign in marks if sign == " ? ")
    depth = 0
    for at, sign in marks:
        if at <= start or sign not in {" ? ", " : "}:
            continue
        if sign == " : " and depth == 0:
            return Choice(parsed(text[:start]), parsed(text[start + 3 : at]), parsed(text[at + 3 :]))
        depth += 1 if sign == " ? " else -1
    raise AssertionError(text)


def outer(text: str) -> Iterator[tuple[int, str]]:
    """Yield the signs that are within no brackets, with their places."""
    depth = 0
    for match in _SIGN.finditer(text):
        sign = match.group()
        depth += (sign in {"(", "[", "{"}) - (sign in {")", "]", "}"})
        if depth == 0:
            yield match.start(), sign


def is_enclosed(text: str) -> bool:
    """Tell whether a text stands in brackets as a whole."""
    return text.startswith("(") and next((at for at, sign in outer(text) if sign == ")"), -1) == len(text) - 1


def joined(operator: str, parts: list[Node]) -> Node:
    """Return parts joined, constants and repetitions left out."""
    deciding, neutral = (TRUE, FALSE) if operator == "||" else (FALSE, TRUE)
    kept: dict[Node, None] = {}
    for part in parts:
        for each in part.parts if isinstance(part, Many) and part.operator == operator else (part,):
            if each == deciding:
                return deciding
            if each != neutral:
                kept[each] = None
    if len(kept) > 1:
        return Many(operator, tuple(kept))
    return next(iter(kept), neutral)


def negated(node: Node) -> Node:
    """Return that a condition is not true."""
    if isinstance(node, Not):
        return node.part
    if node in (TRUE, FALSE):
        return FALSE if node == TRUE else TRUE
    return Not(node)


def _closes(text: str, start: int) -> int:
    """Return where the first bracket after `start` closes."""
    at = text.index("(", start)
    return next((at + place for place, sign in outer(text[at:]) if sign == ")"), -1)


def written(node: Node, level: int = 0) -> str:
    """Return the text of a condition, in brackets if it binds less than `level`."""
    match node:
        case Atom(text):
            return f"({text})" if is_relation(text) and level > 3 else text
        case Not(part):
            return f"!{written(part, 4)}"
        case Many(operator, parts):
            own = 1 if operator == "||" else 2
            found = f" {operator} ".join(written(part, own + 1) for part in parts)
        case Choice(condition, then, otherwise):
            own = 0
            found = f"{written(condition, 1)} ? {written(then, 1)} : {written(otherwise)}"
    return f"({found})" if own < level else found


def in_lines(expression: Expression) -> str:
    """Return the text of a condition over several lines if it is long; white space says nothing in CEL."""
    return "\n".join(_lines(parsed(expression.text), 0))


def _lines(node: Node, level: int) -> list[str]:
    short = written(node, level)
    if len(short) <= WIDTH:
        return [short]
    led: list[tuple[str, list[str]]] = []
    match node:
        case Atom(text):
            found = _opened(text)
            own = 3 if is_relation(text) else 4
        case Not(part):
            first, *others = _lines(part, 4)
            return [f"!{first}", *others]
        case Many(operator, parts):
            own = 1 if operator == "||" else 2
            led = [("" if index == 0 else f"{operator} ", _lines(part, own + 1)) for index, part in enumerate(parts)]
        case Choice(condition, then, otherwise):
            own = 0
            led = [("", _lines(condition, 1)), ("? ", _lines(then, 1)), (": ", _lines(otherwise, 0))]
    if led:
        found = [
            line for lead, (first, *others) in led for line in (lead + first, *(_INDENT + other for other in others))
        ]
    return ["(", *(_INDENT + line for line in found), ")"] if own < level else found


def _opened(text: str) -> list[str]:
    """Return an atom with what it asks of each item on lines of their own."""
    match = macro(text)
    if match is None:
        return [text]
    return [text[: match.end()].rstrip(), *(_INDENT + line for line in _lines(parsed(text[match.end() : -1]), 0)), ")"]


def is_relation(text: str) -> bool:
    """Tell whether an atom is a comparison."""
    return any(sign in RELATIONS for _, sign in outer(text))


def macro(text: str) -> re.Match[str] | None:
    """Return where the macro is that a text ends with."""
    if is_relation(text):
        return None
    return next((each for each in _MACRO.finditer(text) if _closes(text, each.start(1)) == len(text) - 1), None)
