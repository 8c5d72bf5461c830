"""The CEL engine of cel-expr-python, Google's own in C++. The one module that knows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from cel_expr_python import cel
from cel_expr_python.ext import ext_math, ext_optional, ext_strings

from rules.cel import VARIABLES, CelRuntimeError, CelSyntaxError, ResultType

_PLACE: Final = re.compile(r"ERROR: <input>:(\d+):(\d+): ([^\n]*)")
_STATUS: Final = re.compile(r"^[A-Z_]+: |\(in container ''\)|\[[A-Z_]+\]$")
_TYPES: Final = {"bool": cel.Type.BOOL, "string": cel.Type.STRING}
_MAX_MESSAGE: Final = 200


class _CelExprPython:
    def __init__(self) -> None:
        self._environment = cel.NewEnv(
            variables=dict.fromkeys(VARIABLES, cel.Type.DYN),
            extensions=[ext_strings.ExtStrings(), ext_math.ExtMath(), ext_optional.ExtOptional()],
        )

    def compile(self, expression: str, result: ResultType) -> Callable[[Mapping[str, Any]], Any]:
        """Return a function that evaluates an expression. Raises CelSyntaxError."""
        wanted = _TYPES[result]
        try:
            compiled = self._environment.compile(expression)
        except RuntimeError as error:
            raise _syntax_error(expression, str(error)) from None
        found = compiled.return_type()
        if found not in (wanted, cel.Type.DYN):
            raise CelSyntaxError(f"gives a value of type {found.name().lower()}, expected {result}")

        def evaluate(variables: Mapping[str, Any]) -> Any:
            try:
                value = compiled.eval(data=variables)
            except RuntimeError as error:  # the iteration budget, and values that it cannot take
                raise CelRuntimeError(_words(str(error))) from None
            if value.type() == cel.Type.ERROR:
                raise CelRuntimeError(_words(str(value.value())))
            if value.type() != wanted:
                raise CelRuntimeError(f"gives a value of type {value.type().name().lower()}, expected {result}")
            return value.value()

        return evaluate


def _syntax_error(expression: str, message: str) -> CelSyntaxError:
    match = _PLACE.search(message)
    if match is None:
        return CelSyntaxError(_words(message))
    line, column, words = int(match.group(1)), int(match.group(2)), match.group(3)
    before = expression.splitlines(keepends=True)[: line - 1]
    return CelSyntaxError(_words(words), sum(map(len, before)) + column - 1)


def _words(message: str) -> str:
    """Return a message of the engine on one line, without its own codes."""
    first = message.split("\n", 1)[0]
    return _STATUS.sub("", _STATUS.sub("", first)).strip()[:_MAX_MESSAGE]


ENGINE: Final = _CelExprPython()
