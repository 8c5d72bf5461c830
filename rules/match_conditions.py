"""matchConditions: CEL conditions that must all hold, else the rule is skipped, as in ValidatingAdmissionPolicy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, StringConstraints

from rules.cel import CelRuntimeError, Program
from rules.cel_types import BoolExpression
from rules.model import Model
from rules.write import Write

Name = Annotated[
    str, StringConstraints(min_length=1, max_length=63, pattern=r"^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")
]


class MatchCondition(Model):
    """A CEL condition that must hold, else the rule is skipped."""

    name: Name = Field(description="The condition's name in messages.")
    expression: BoolExpression = Field(
        description="A CEL expression over object, oldObject, request and namespaceObject that gives true or false.",
    )


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
