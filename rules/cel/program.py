"""CEL expressions: programs that convert only what they read, and that cannot take longer than is affordable.

The engine is the extra `cel` (`rules.cel.engine`). The API server has functions that it lacks (`rules.cel.elsewhere`): an
expression that must mean the same there is tried there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rules.cel.cost import BUDGET, USUAL, affordable, cost
from rules.cel.language import CelRuntimeError, CelSyntaxError, Compiled, Engine, ResultType
from rules.cel.reads import Reads, reads_in
from rules.cel.size import Size
from rules.cel.subset import check_text, check_tree
from rules.cel.variables import Sizes, check_namespace, collect
from rules.write import Write

__all__ = ["CelRuntimeError", "CelSyntaxError", "Program", "ResultType", "compile_cel"]


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled expression, ready to be evaluated. `roomy` is a size up to which nobody needs to ask what it costs."""

    expression: str
    reads: Reads
    _compiled: Compiled
    _roomy: Size

    def evaluate(self, write: Write) -> Any:
        """Return the expression's value for a write. Raises CelRuntimeError, and UndecodableError of what it reads."""
        found = collect(self.reads, write)
        self._check_cost(found.sizes)
        return self._compiled.evaluate(found.variables)

    def _check_cost(self, sizes: Sizes) -> None:
        if all(size.within(self._roomy) for size in sizes.values()):
            return
        if cost(self._compiled.tree, sizes) > BUDGET:
            raise CelRuntimeError("the object is too large for this expression: it might take too long")


@lru_cache(maxsize=4_096)
def compile_cel(expression: str, result: ResultType) -> Program:
    """Compile an expression. Raises CelSyntaxError."""
    check_text(expression)
    compiled = _engine().compile(expression, result)
    check_tree(compiled.tree)
    reads = reads_in(compiled.tree)
    check_namespace(reads)
    roomy = affordable(compiled.tree, reads)
    if not USUAL.within(roomy):
        raise CelSyntaxError("too expensive: with lists of 32 items it might take too long, or too much memory")
    return Program(expression, reads, compiled, roomy)


def _engine() -> Engine:
    try:
        from rules.cel.engine import ENGINE  # noqa: PLC0415  an optional extra, and slow to load
    except ImportError:
        raise CelSyntaxError("CEL needs the extra `cel`: pip install 'statusguard[cel]'") from None
    return ENGINE
