from __future__ import annotations

from typing import Annotated

from rules.fieldpath import FieldPath
from rules.model import Model, OnePath
from rules.roles import Role, role_of

Counter = Annotated[FieldPath, Role.NUMBER]


class Spec(Model):
    plain: OnePath
    declared: Annotated[list[OnePath], Role.ORDERED]
    optional: Annotated[OnePath | None, Role.TEXT] = None
    named: list[Counter] | None = None


def test_a_role_is_found_wherever_the_declaration_says_it() -> None:
    assert {name: role_of(Spec, name) for name in Spec.model_fields} == {
        "plain": Role.ANYTHING,
        "declared": Role.ORDERED,
        "optional": Role.TEXT,
        "named": Role.NUMBER,
    }
