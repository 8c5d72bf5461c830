"""CEL expressions in rule documents: strings that compile."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, StringConstraints

from rules.cel.program import CelSyntaxError, ResultType, compile_cel
from rules.fieldpath import MAX_LENGTH, custom_error
from rules.roles import Role


def _compiles(result: ResultType) -> Any:
    def validate(expression: str) -> str:
        try:
            compile_cel(expression, result)
        except CelSyntaxError as error:
            raise custom_error("cel", error.message, error.offset) from None
        return expression

    return AfterValidator(validate)


_Written = StringConstraints(min_length=1, max_length=MAX_LENGTH)

BoolExpression: TypeAlias = Annotated[str, _Written, _compiles("bool"), Role.EXPRESSION]
"""A CEL expression that gives true or false."""

StringExpression: TypeAlias = Annotated[str, _Written, _compiles("string"), Role.MESSAGE]
"""A CEL expression that gives a string."""
