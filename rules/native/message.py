"""The message of a native policy: what was demanded, and the values, as far as CEL can say them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from rules.api import InvariantBase, Rule
from rules.cel.program import compile_cel
from rules.cel.reads import path_of
from rules.fieldpath import FieldPath
from rules.invariants.cel import Cel
from rules.invariants.conditions import Conditions
from rules.native.exact import ExactForm
from rules.native.expression import Expression, call, choose, literal
from rules.native.form import CannotSayError, Clause
from rules.native.reader import SIDES
from rules.native.value import dynamic

MAX_SHOWN: Final = 4
"""Fields whose values are shown."""

MAX_MESSAGE: Final = 1_024
"""Characters of a message, as for the webhook's."""

HIDDEN: Final = "<hidden>"

Hides: TypeAlias = Callable[[str], bool]
"""Tells whether the value of a field may not be shown."""


def message(rule: Rule, invariant: InvariantBase, clause: Clause, hides: Hides) -> str:
    """Return the message: one line, of at most MAX_MESSAGE characters."""
    own = f"{invariant.message} " if invariant.message else ""
    asked = (each.sentence() if not hides(str(each.field)) else f"{each.field} is {HIDDEN}" for each in invariant.when)
    guard = " and ".join(asked)
    said = f"{own}While {guard}: {clause.says}" if guard else f"{own}{clause.says}"
    return " ".join(f"statusguard: rule {rule.title}, invariant {invariant.name}: {said}".split())[:MAX_MESSAGE]


def message_expression(
    message: str, invariant: InvariantBase, clause: Clause, form: ExactForm, hides: Hides
) -> str | None:
    """Return an expression for the message and what there is to say of this write, None if there is nothing.

    The message stands alone where it fails, or gives more than the API server takes (5 KB) or more than one line.
    """
    if isinstance(invariant.spec, Cel):
        remark = invariant.spec.message_expression
        if remark is None or _says_what_is_hidden(str(remark), hides):
            return None
        # A comment at the end would swallow the bracket.
        return f"{literal(f'{message} ').text} + ({remark}{chr(10) if '//' in remark else ''})"
    # That a list of conditions was a list says nothing.
    fields = [] if isinstance(invariant.spec, Conditions) else clause.paths
    shown = [path for path in dict.fromkeys(fields) if path.names_one_value][:MAX_SHOWN]
    if not shown:
        return None
    try:
        values = [_values(path, form, hides) for path in shown]
    except CannotSayError:
        return None
    return " + ".join(_parts(message, [str(path) for path in shown], values))


def _says_what_is_hidden(remark: str, hides: Hides) -> bool:
    """Tell whether an expression reads what may not be shown; of a whole object nobody can say what it shows."""
    parts = compile_cel(remark, "string").reads.parts
    return any(not part or hides(path_of(part)) for part in parts) if hides is not nothing_hidden else False


def nothing_hidden(field: str) -> bool:
    """Hide nothing."""
    return False


def _parts(message: str, paths: Sequence[str], values: Sequence[tuple[str, str]]) -> Iterator[str]:
    before = f"{message} Here "
    for path, (old, new) in zip(paths, values, strict=True):
        yield from (literal(f"{before}{path} was ").text, old, "' and is '", new)
        before = ", "
    yield "'.'"


def _values(path: FieldPath, form: ExactForm, hides: Hides) -> tuple[str, str]:
    if hides(str(path)):
        return literal(HIDDEN).text, literal(HIDDEN).text
    old, new = (_shown(form.single(side, path)) for side in SIDES)
    return old, new


def _shown(value: Expression) -> str:
    """Return a scalar as text. Of an object or a list it fails: there the message stands alone."""
    return f"({choose(dynamic(value).absent, literal('absent'), call('string', value))})"
