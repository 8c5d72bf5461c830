"""The outermost structure of an expression."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

_TOKEN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[()\[\]{}]")
"""A text, or a bracket."""

_MARK: Final = re.compile(r" [?:] ")
_LET: Final = re.compile(r"\]\.all\(([A-Za-z_][A-Za-z0-9_]*), ")


@dataclass(frozen=True)
class Either:
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Both:
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Not:
    part: str


@dataclass(frozen=True)
class Choice:
    condition: str
    then: str
    otherwise: str


@dataclass(frozen=True)
class Let:
    name: str
    value: str
    body: str


Structure: TypeAlias = Either | Both | Not | Choice | Let | None


@lru_cache(maxsize=16_384)
def parsed(expression: str) -> Structure:
    """Return how an expression is put together at its top; None for what is evaluated as it is."""
    expression = expression.strip()
    if expression.startswith("(") and closing(expression, 1) == len(expression) - 1:
        return parsed(expression[1:-1]) or Both((expression[1:-1],))
    if choice := _choice(expression):
        return choice
    for operator, kind in (("||", Either), ("&&", Both)):
        parts = _split(expression, operator)
        if len(parts) > 1:
            return kind(tuple(parts))
    if expression.startswith("!"):
        return Not(expression[1:])
    if expression.startswith("["):
        end = closing(expression, 1)
        match = _LET.match(expression, end)
        if match and closing(expression, match.end()) == len(expression) - 1:
            value = expression[1:end]
            if len(_split(value, ",")) == 1:
                return Let(match.group(1), value, expression[match.end() : -1])
    return None


def _choice(expression: str) -> Choice | None:
    marks = list(_MARK.finditer(_outermost(expression)))
    if not marks:
        return None
    first, *others = marks
    open_marks = 0
    for mark in others:
        if mark.group() == " ? ":
            open_marks += 1
        elif open_marks == 0:
            return Choice(expression[: first.start()], expression[first.end() : mark.start()], expression[mark.end() :])
        else:
            open_marks -= 1
    raise AssertionError(expression)


def _split(expression: str, operator: str) -> list[str]:
    parts, start = [], 0
    for part in _outermost(expression).split(operator):
        parts.append(expression[start : start + len(part)])
        start += len(part) + len(operator)
    return parts


@lru_cache(maxsize=1_024)
def _outermost(expression: str) -> str:
    """Return an expression of the same length in which underscores stand for brackets and texts with all that is in them."""
    kept, depth, start = "", 0, 0
    for match in _TOKEN.finditer(expression):
        token = match.group()
        if depth == 0:
            kept += expression[start : match.start()]
            start = match.start()
        depth += (token in "([{") - (token in ")]}")
        if depth == 0:
            kept += "_" * (match.end() - start)
            start = match.end()
    assert depth == 0, expression
    return kept + expression[start:]


def closing(expression: str, start: int) -> int:
    """Return where the bracket that was opened before `start` closes."""
    depth = 1
    for match in _TOKEN.finditer(expression, start):
        token = match.group()
        depth += (token in "([{") - (token in ")]}")
        if depth == 0:
            return match.start()
    raise AssertionError(expression)


def operand_before(expression: str, end: int) -> int:
    """Return where the operand of a member macro begins."""
    depth = 0
    for at in range(end - 1, -1, -1):
        character = expression[at]
        depth += (character in ")]") - (character in "([")
        if depth < 0 or (depth == 0 and not (character.isalnum() or character in "_.()[]")):
            return at + 1
    return 0
