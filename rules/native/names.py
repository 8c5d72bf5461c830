"""Names for what an expression binds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rules.native.expression import Expression, let

_SIMPLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?|-?[0-9]+|null|true|false|'[^'\\]*'")

LONG: Final = 4
"""Characters of a name for which a shorter one is given."""


class Names:
    """Gives names to what is bound: `o`, and `o2` within the scope of an `o`.

    `shortest`: long names are given short ones, for expressions whose size is bounded.
    """

    def __init__(self, *, shortest: bool = False) -> None:
        self._shortest = shortest
        self._open: dict[str, int] = {}

    @contextmanager
    def bound(self, stem: str) -> Iterator[Expression]:
        """Lend a name for a scope."""
        depth = self._open[stem] = self._open.get(stem, 0) + 1
        try:
            yield Expression(stem if depth == 1 else f"{stem}{depth}")
        finally:
            self._open[stem] -= 1

    def let(self, value: Expression, stem: str, then: Callable[[Expression], Expression]) -> Expression:
        """Return what holds of a value that has a name."""
        if value.optional or (is_simple(value) and not (self._shortest and len(value.text) > LONG)):
            return then(value)
        with self.bound(stem) as variable:
            body = then(variable)
        return let(variable, value, body)


def is_simple(value: Expression) -> bool:
    """Whether a value needs no name: it is one, or a constant."""
    return _SIMPLE.fullmatch(value.text) is not None
