"""Long expressions on several lines, as a person would break them: at the operator that binds least, then within brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

WIDTH: Final = 100
"""Characters of a line; a longer one has no place where it could be broken."""

_OPERATORS: Final = ((", ",), (" ? ", " : "), (" || ",), (" && ",), (" + ",))
"""What a line may be broken at: what binds least first."""

_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'")
_BINDING: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*), ")
_TOKEN: Final = re.compile(rf"{_QUOTED.pattern}|[()\[\]{{}}]|, | (?:\?|:|\|\||&&|\+) |.", re.DOTALL)
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_FOREIGN: Final = re.compile(r"[\"\n\r]|//|'''|\b[rRbB]+'")
"""What we never write: it comes from an expression of the rule itself, which stays as its author wrote it."""


def broken(expression: str) -> str:
    """Return an expression with line breaks between its parts, if it is too long for one line. It means the same."""
    if len(expression) <= WIDTH or _FOREIGN.search(_QUOTED.sub("''", expression)):
        return expression
    return "\n".join(_lines(expression, WIDTH))


def _lines(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    for operators in _OPERATORS:
        parts = _split(text, operators)
        if len(parts) > 1:
            return [line for operator, part in parts for line in _part(operator.strip(), part, width)]
    return _bracketed(text, width)


def _part(operator: str, part: str, width: int) -> Iterator[str]:
    # A comma stays where it is: at the end of the line before.
    lead = "" if operator == "," else f"{operator} ".lstrip()
    first, *rest = _lines(part, width - len(lead))
    yield lead + first
    indent = "  " if lead else ""
    yield from (indent + line for line in rest)


def _split(text: str, operators: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the parts of a text between operators that are within no brackets, each with the operator before it."""
    parts, start, before, depth = [], 0, "", 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth == 0 and token in operators:
            parts.append((before, text[start : match.start() + token.startswith(",")]))
            start, before = match.end(), token
    return [*parts, (before, text[start:])]


def _bracketed(text: str, width: int) -> list[str]:
    """Return the lines of a text whose only operators stand in brackets: what is in the longest of them goes on lines below."""
    opening, closing = max(_groups(text), key=lambda group: group[1] - group[0], default=(0, 0))
    inner = text[opening + 1 : closing]
    if not inner:
        return [text]
    *above, last = _lines(text[:opening], width)
    last += text[opening]
    binding = _BINDING.match(inner)
    if binding is not None:
        last, inner = last + binding.group().rstrip(), inner[binding.end() :]
    after, *below = _lines(text[closing + 1 :], width - 1)
    return [*above, last, *(f"  {line}" for line in _lines(inner, width - 2)), text[closing] + after, *below]


def _groups(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each outermost pair of brackets opens and closes."""
    depth, opening = 0, 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in _OPENING:
            opening = match.start() if depth == 0 else opening
            depth += 1
        elif token in _CLOSING:
            depth -= 1
            if depth == 0:
                yield opening, match.start()
