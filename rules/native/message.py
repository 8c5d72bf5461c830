"""The message of a native policy: what was demanded, and the values, as far as CEL can say them."""

from __future__ import annotations

from typing import Final

from rules.fieldpath import FieldPath
from rules.native.dynamic import SIDES
from rules.native.exact import ExactForm
from rules.native.expression import Expression, call, choose, literal
from rules.native.form import CannotSayError, Clause
from rules.native.value import dynamic

MAX_SHOWN: Final = 4
"""Fields whose values are shown."""


def message_expression(message: str, clause: Clause, form: ExactForm) -> str | None:
    """Return an expression for the message and the values of the fields before and after, None if they name many values.

    It fails, and the message stands alone, only where a value is longer than CEL's budget for messages.
    """
    paths = [path for path in dict.fromkeys(clause.paths) if path.names_one_value][:MAX_SHOWN]
    if not paths or len(paths) < min(len(set(clause.paths)), MAX_SHOWN):
        return None
    try:
        parts = [part for path in paths for part in _values(path, form)]
    except CannotSayError:
        return None
    return " + ".join([literal(f"{message} Here").text, *parts, "'.'"])


def _values(path: FieldPath, form: ExactForm) -> list[str]:
    old, new = (_shown(form.single(side, path), form) for side in SIDES)
    return [literal(f" {path} was ").text, old, "' and is '", new]


def _shown(value: Expression, form: ExactForm) -> str:
    field = dynamic(value)
    scalar = choose(field.is_a("string", "int", "bool", "double"), call("string", value), literal("not a scalar"))
    shown = choose(field.absent, literal("absent"), scalar)
    return form.variables.named(f"{value.text.removeprefix(form.variables.prefix)}_text", shown).text
