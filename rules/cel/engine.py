"""The CEL engine of cel-expr-python, Google's own in C++. The one module that knows it."""

from __future__ import annotations

import re
from typing import Any, Final

from cel_expr_python import cel
from cel_expr_python.ext import ext_math, ext_optional, ext_strings

from rules.cel.elsewhere import UNAVAILABLE
from rules.cel.functions import PRICES
from rules.cel.language import VARIABLES, CelRuntimeError, CelSyntaxError, Compiled, ResultType, Variables
from rules.cel.wire import tree_of
from rules.diagnosis import suggestion

_ERROR: Final = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): ([^\n]*)")
_UNDECLARED: Final = re.compile(r"undeclared reference to '([^']*)'")
_STATUS: Final = re.compile(r"^[A-Z_]+: |\(in container ''\)|\[[A-Z_]+\]$")
_EXPECTED: Final = re.compile(r" expecting (?:\{.*|'[^']*'$)")
_TOO_DEEP: Final = re.compile("recursion (?:depth|limit)")
_VALUE: Final = re.compile(r'(?<=not found in map : ).*|"(?:[^"\\]|\\.)*"|\b[0-9][0-9.]*\b')
_TYPES: Final = {"bool": cel.Type.BOOL, "string": cel.Type.STRING}
_KNOWN: Final = [*VARIABLES, *(name for name in PRICES if name.isidentifier())]
_MAX_MESSAGE: Final = 200


class _CelExprPython:
    def __init__(self) -> None:
        self._environment = cel.NewEnv(
            variables=dict.fromkeys(VARIABLES, cel.Type.DYN),
            extensions=[ext_strings.ExtStrings(), ext_math.ExtMath(), ext_optional.ExtOptional()],
        )

    def compile(self, expression: str, result: ResultType) -> Compiled:
        """Return a compiled expression. Raises CelSyntaxError."""
        try:
            compiled = self._environment.compile(expression)
        except RuntimeError as error:
            raise _syntax_error(expression, str(error)) from None
        wanted = _TYPES[result]
        found = compiled.return_type()
        if found not in (wanted, cel.Type.DYN):
            raise CelSyntaxError(f"gives a value of type {found.name().lower()}, expected {result}")

        def evaluate(variables: Variables) -> Any:
            try:
                value = compiled.eval(data=variables)
            except (RuntimeError, MemoryError) as error:  # the iteration budget, and values that it cannot take
                raise CelRuntimeError(_without_values(str(error), expression)) from None
            if value.type() == cel.Type.ERROR:
                raise CelRuntimeError(_without_values(_error_of(value), expression))
            if value.type() != wanted:
                raise CelRuntimeError(f"gives a value of type {value.type().name().lower()}, expected {result}")
            return value.value()

        return Compiled(tree_of(compiled.serialize()), evaluate)


def _error_of(value: Any) -> str:
    """Return what an error value says; an optional that is the result passes for one, without words."""
    try:
        return str(value.value())
    except TypeError:
        return "gives an optional: end with orValue()"


def _syntax_error(expression: str, message: str) -> CelSyntaxError:
    if _TOO_DEEP.search(message):
        return CelSyntaxError("nested too deeply, or more than 32 operators or members in one chain")
    errors = [(int(line), int(column), words) for line, column, words in _ERROR.findall(message)]
    if not errors:
        return CelSyntaxError(_words(message))
    # What the API server has explains best what else is not understood: the variables of a macro, for instance.
    line, column, words = next((error for error in errors if _undeclared(error[2]) in UNAVAILABLE), errors[0])
    before = expression.split("\n")[: line - 1]
    offset = sum(len(each) + 1 for each in before) + column - 1
    name = _undeclared(words)
    if not name:
        return CelSyntaxError(_EXPECTED.sub("", _words(words)), offset)
    if expression[:offset].endswith(name):
        offset -= len(name)  # the engine's place of a call is its parenthesis, of a member its dot
    if name in UNAVAILABLE:
        return CelSyntaxError(f"{name} is {UNAVAILABLE[name]}", offset)
    return CelSyntaxError(f"unknown name {name}{suggestion(name, _KNOWN)}", offset)


def _undeclared(words: str) -> str:
    """Return the name, up to a dot, that an error says is unknown."""
    match = _UNDECLARED.match(words)
    return match.group(1).split(".")[0] if match else ""


def _without_values(message: str, expression: str) -> str:
    """Return a message of the engine without values that the expression does not say itself: they may be secret."""
    return _VALUE.sub(lambda found: found[0] if found[0].strip('"') in expression else "...", _words(message))


def _words(message: str) -> str:
    """Return a message of the engine on one line, without its own codes."""
    first = message.split("\n", 1)[0]
    return _STATUS.sub("", _STATUS.sub("", first)).strip()[:_MAX_MESSAGE]


ENGINE: Final = _CelExprPython()
