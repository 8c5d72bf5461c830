"""The outermost structure of an expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'")
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
    marks = [at for at, depth in _depths(expression) if depth == 0 and expression.startswith(" ? ", at)]
    if not marks:
        return None
    first, open_marks = marks[0], 0
    for at, depth in _depths(expression):
        if depth or at <= first:
            continue
        if expression.startswith(" ? ", at):
            open_marks += 1
        elif expression.startswith(" : ", at):
            if open_marks == 0:
                return Choice(expression[:first], expression[first + 3 : at], expression[at + 3 :])
            open_marks -= 1
    raise AssertionError(expression)


def _split(expression: str, operator: str) -> list[str]:
    parts, start = [], 0
    for at, depth in _depths(expression):
        if depth == 0 and expression.startswith(operator, at):
            parts.append(expression[start:at])
            start = at + len(operator)
    return [*parts, expression[start:]]


def _depths(expression: str) -> Iterator[tuple[int, int]]:
    quoted = _quoted(expression)
    depth = 0
    for at, character in enumerate(expression):
        if at in quoted:
            continue
        depth += (character in "([{") - (character in ")]}")
        yield at, depth


def _quoted(expression: str) -> frozenset[int]:
    return frozenset(at for match in _QUOTED.finditer(expression) for at in range(*match.span()))


def closing(expression: str, start: int) -> int:
    """Return where the bracket that was opened before `start` closes."""
    quoted = _quoted(expression)
    depth = 1
    for at in range(start, len(expression)):
        if at not in quoted:
            depth += (expression[at] in "([{") - (expression[at] in ")]}")
            if depth == 0:
                return at
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
