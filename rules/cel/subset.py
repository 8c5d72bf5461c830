"""What of CEL expressions may use here: what is known to be safe to evaluate, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rules.cel.functions import MATCHES, PRICES, TIME_GETTERS
from rules.cel.language import CelSyntaxError
from rules.cel.patterns import pattern_parts
from rules.cel.tree import Call, Literal, MapOf, Node, parts_of
from rules.pattern_classes import PatternError

MAX_OPTIONAL_MAPS: Final = 4
"""How often `optMap` and `optFlatMap` may stand in an expression.

Each doubles what stands before it when it is compiled. Measured with 1,024 characters: 0.06 s at four, 1.2 s at seven, without
end at twenty.
"""

_OPTIONAL_MAP: Final = re.compile("optMap|optFlatMap")

_ZONE: Final = re.compile(r"UTC|[+-]?[0-9]{1,2}:[0-9]{2}|[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*){0,2}")


def check_text(expression: str) -> None:
    """Raise CelSyntaxError for what may not even be compiled."""
    found = list(_OPTIONAL_MAP.finditer(expression))
    if len(found) > MAX_OPTIONAL_MAPS:
        message = f"at most {MAX_OPTIONAL_MAPS} optMap and optFlatMap in one expression: each doubles what is before it"
        raise CelSyntaxError(message, found[MAX_OPTIONAL_MAPS].start())


def check_tree(tree: Node) -> None:
    """Raise CelSyntaxError for what may not be evaluated."""
    for node in _walk(tree):
        match node:
            case MapOf(_, message, offset) if message:
                raise CelSyntaxError(f"messages such as {message} are not available here", offset)
            case Call(function, (_, pattern), offset) if function == MATCHES:
                _check_pattern(pattern, offset)
            case Call(function, (_, zone), offset) if function in TIME_GETTERS:
                _check_zone(zone, offset)
            case Call(function, _, offset) if function not in PRICES:
                raise CelSyntaxError(f"{function} is not available here", offset)


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for part in parts_of(node):
        yield from _walk(part)


def _check_pattern(pattern: Node, offset: int | None) -> None:
    if not isinstance(pattern, Literal) or not isinstance(pattern.text, str):
        raise CelSyntaxError("matches takes its pattern as a literal here: compiling one may take long", offset)
    try:
        pattern_parts(pattern.text)
    except PatternError as error:
        raise CelSyntaxError(
            f"pattern {pattern.text!r} at character {error.offset + 1}: {error.message}", offset
        ) from None


def _check_zone(zone: Node, offset: int | None) -> None:
    # The engine opens the file of that name, wherever it is: a pipe or a device would stop the process for ever.
    if not isinstance(zone, Literal) or not isinstance(zone.text, str) or not _ZONE.fullmatch(zone.text):
        message = 'the time zone must be a literal here, as "Europe/Berlin", "UTC" or "+01:00"'
        raise CelSyntaxError(message, offset)
