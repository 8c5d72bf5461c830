"""What a kind takes the strings of its spec for; a field of a spec says it by `Annotated[..., Role.NUMBER]`.

From this, and from nothing that knows the kinds, a schema tells whether a rule's paths can hold what the kind judges.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel


class Role(Enum):
    """What a field path must lead to, or what another string of a spec is."""

    ANYTHING = "a path to a value of any type"
    NUMBER = "a path to a number"
    ORDERED = "a path to a number, a time or a quantity"
    SCALAR = "a path to what is compared as text: a string, a number or a boolean"
    TEXT = "a path to a string"
    CONDITIONS = "a path to a list of conditions"
    VALUE = "a value, as text, of the field that a path of the same model leads to"
    EXPRESSION = "a CEL expression that gives true or false"
    MESSAGE = "a CEL expression that gives a string"


@cache
def role_of(model: type[BaseModel], name: str) -> Role:
    """Return the role that the declaration of a field of a model gives to its strings."""
    info = model.model_fields[name]
    return next(_roles((*info.metadata, info.annotation)), Role.ANYTHING)


def _roles(parts: tuple[Any, ...]) -> Iterator[Role]:
    for part in parts:
        if isinstance(part, Role):
            yield part
        yield from _roles(get_args(part))
