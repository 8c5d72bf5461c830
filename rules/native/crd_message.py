"""The messages of a CustomResourceDefinition's own validations, and the fields that they are about."""

from __future__ import annotations

import re
from typing import Final

from rules.api import InvariantBase, Rule
from rules.native.crd_form import CrdForm
from rules.native.crd_places import Place
from rules.native.expression import choose, literal
from rules.native.form import CannotSayError, Clause
from rules.native.message import Hides
from rules.path_syntax import Name

MAX_MESSAGE: Final = 1_024
"""Characters of a message, as for the webhook's; the API server takes 2,048."""

_SIMPLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def message_of(rule: Rule, invariant: InvariantBase, clause: Clause) -> str:
    """Return what a person reads who is refused."""
    own = f"{invariant.message} " if invariant.message else ""
    said = f"statusguard: rule {rule.title}, invariant {invariant.name}: {own}{clause.says}"
    return " ".join(said.split())[:MAX_MESSAGE]


def message_expression(message: str, clause: Clause, form: CrdForm, hides: Hides) -> str | None:
    """Return an expression for the message with the values of the one field that it is about, None if there is none.

    Only of text, and not of items of lists: the API server takes what is made of a number to be as long as a text can be, and
    multiplies what an item's message may cost by how many there may be.
    """
    paths = set(clause.paths)
    if len(paths) != 1 or form.place.is_in_items:
        return None
    (path,) = paths
    if hides(str(path)) or not all(isinstance(segment, Name) for segment in path.segments):
        return None
    try:
        old, new = form.field("old", path), form.field("new", path)
    except CannotSayError:
        return None
    if new.type != "string" or form.presence != "both":
        return None
    was, is_ = (choose(field.present, field.it, literal("absent")) for field in (old, new))
    said = [literal(f"{message} It was ").text, f"({was.text})", "' and is '", f"({is_.text})", "'.'"]
    return "\n+ ".join(said)


def field_path(clause: Clause, place: Place) -> str | None:
    """Return the path from a place to the one field that a clause is about, as far as it leads through objects."""
    paths = set(clause.paths)
    if len(paths) != 1:
        return None
    (path,) = paths
    written, schema = "", place.schema
    for segment in path.segments[len(place.segments) :]:
        if not isinstance(segment, Name) or segment.name not in schema.names:
            break
        below = schema.field(segment.name)
        if below is None:
            break
        written += f".{segment.name}" if _SIMPLE.fullmatch(segment.name) else f"['{segment.name}']"
        schema = below
    return written or None
