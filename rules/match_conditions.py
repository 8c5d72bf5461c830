"""matchConditions: CEL conditions that must all hold, else the rule is skipped, as in ValidatingAdmissionPolicy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints

from rules.cel.program import CelRuntimeError, Program
from rules.cel.types import BoolExpression
from rules.fieldpath import custom_error
from rules.model import Model
from rules.write import Write

_MAX_NAME: Final = 253 + len("/") + 63
_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME: Final = re.compile(rf"({_LABEL}(\.{_LABEL})*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?")


def _is_qualified(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        message = (
            f'{name!r} is no valid name: use letters, digits, "-", "_" and ".", as "my-name" or "example.com/MyName"'
        )
        raise custom_error("name", message)
    return name


QualifiedName: TypeAlias = Annotated[
    str,
    StringConstraints(min_length=1, max_length=_MAX_NAME),
    AfterValidator(_is_qualified),
    Field(json_schema_extra={"pattern": f"^{_NAME.pattern}$"}),
]
"""A name as Kubernetes gives to conditions, with a DNS name before it or not."""


class MatchCondition(Model):
    """A CEL condition that must hold, else the rule is skipped."""

    name: QualifiedName = Field(description="The condition's name in messages, unique in the rule.")
    expression: BoolExpression = Field(
        description="A CEL expression over object, oldObject, request and namespaceObject that gives true or false.",
    )


def _names_differ(conditions: list[MatchCondition]) -> list[MatchCondition]:
    names = [condition.name for condition in conditions]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise custom_error("duplicate-name", f"two conditions are named {name}", None, index, "name")
    return conditions


MatchConditions: TypeAlias = Annotated[list[MatchCondition], Field(max_length=64), AfterValidator(_names_differ)]


def all_hold(conditions: Sequence[tuple[str, Program]], write: Write) -> bool:
    """Tell whether all conditions hold. One that is false decides, whatever else has no value; else raises CelRuntimeError."""
    failed: CelRuntimeError | None = None
    for name, program in conditions:
        try:
            if not program.evaluate(write):
                return False
        except CelRuntimeError as error:
            failed = failed or CelRuntimeError(f"matchCondition {name}: {error}")
    if failed is not None:
        raise failed
    return True
