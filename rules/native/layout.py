"""An expression over several lines: white space says nothing in CEL, and much to a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_TOKEN: Final = re.compile(
    r"'(?:[^'\\\\]|\\\\.)*'|\.(?:all|exists|filter|map)\([a-z][A-Za-z0-9_]*(?:, [a-z0-9]+)?, | && | \|\| |[()\[\]]|."
)
_INDENT: Final = "  "

LONG: Final = 100
"""Characters of a line above which it is broken."""


def laid_out(expression: str, indent: str = "") -> Iterator[str]:
    """Yield the lines of an expression: broken after what is bound, and before `&&` and `||`, where it is long."""
    if len(indent) + len(expression) <= LONG:
        yield f"{indent}{expression}"
        return
    parts = _split(expression)
    if len(parts) == 1:
        yield from _opened(expression, indent)
        return
    for part in parts:
        yield from laid_out(part, indent)


def _split(expression: str) -> list[str]:
    """Return an expression in parts before each outermost operator: `||`, or `&&` if there is none."""
    for operator in (" || ", " && "):
        parts, depth, start, at = [], 0, 0, 0
        for match in _TOKEN.finditer(expression):
            token = match.group()
            at = match.start()
            if token == operator and depth == 0:
                parts.append(expression[start:at])
                start = at + 1
            depth += _depth(token)
        if parts:
            return [*parts, expression[start:]]
    return [expression]


def _opened(expression: str, indent: str) -> Iterator[str]:
    """Yield an expression that is one thing, with the body of its last outermost bracket on lines of its own."""
    depth, opened = 0, -1
    for match in _TOKEN.finditer(expression):
        step = _depth(match.group())
        if depth == 0 and step > 0:
            opened = match.end()
        depth += step
    if opened < 0 or not expression.endswith(")"):
        yield f"{indent}{expression}"
        return
    yield f"{indent}{expression[:opened].rstrip()}"
    yield from laid_out(expression[opened:-1], indent + _INDENT)
    yield f"{indent})"


def _depth(token: str) -> int:
    if len(token) > 1:
        return 1 if token.startswith(".") else 0
    return int(token in {"(", "["}) - int(token in {")", "]"})
