"""One use of a path, held against one schema: is there such a field, and can it hold what is asked of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rules.diagnosis import suggestion
from rules.roles import Role
from rules.schemas.finding import Finding, listed
from rules.schemas.schema import Schema
from rules.schemas.uses import Use
from rules.schemas.walk import Remark, follow

_EXPECTED: Final[Mapping[Role, tuple[frozenset[str], str]]] = {
    Role.NUMBER: (frozenset({"integer", "number"}), "a number"),
    Role.ORDERED: (frozenset({"integer", "number", "string"}), "a number, a time or a quantity"),
    Role.SCALAR: (frozenset({"string", "integer", "number", "boolean"}), "a string, a number or a boolean"),
    Role.TEXT: (frozenset({"string"}), "a string"),
    Role.CONDITIONS: (frozenset({"array"}), "a list of conditions"),
}
"""The JSON types that can hold what a role wants."""

_ORDERED_FORMATS: Final = frozenset({None, "date-time", "int-or-string"})
"""Formats of text that may be a time or a quantity; text without a format may be either."""


def check(use: Use, root: Schema) -> Iterator[Finding]:
    """Yield what a schema says against one use of a path; `root` is the schema of the whole object."""
    found, remarks = follow(use.path, root)
    for remark in (*remarks, *_of_role(use, found)):
        offset = None if use.offset is None else use.offset + remark.offset
        yield Finding(use.location, offset, remark.code, remark.what, remark.rest, remark.severity)
    yield from _of_values(use, found)


def _of_role(use: Use, found: Schema) -> Iterator[Remark]:
    if use.role not in _EXPECTED or not found.types:
        return
    types, expected = _EXPECTED[use.role]
    what = f"{use.path} is {found.title}"
    if not found.types & types:
        yield Remark(0, "wrong-type", what, f", expected {expected}")
    elif not found.types <= types:
        yield Remark(0, "wrong-type", what, f", expected {expected}: anything else is not judged", "warning")
    elif use.role is Role.ORDERED and "string" in found.types and found.format not in _ORDERED_FORMATS:
        yield Remark(0, "wrong-type", f"{what} with the format {found.format}", f", expected {expected}")
    elif use.role is Role.CONDITIONS and found.item.types and found.item.field("type") is None:
        yield Remark(0, "wrong-type", f'the items of {use.path} have no field "type"', f", expected {expected}")


def _of_values(use: Use, found: Schema) -> Iterator[Finding]:
    for location, value in use.values:
        if found.texts and value not in found.texts:
            hint = suggestion(value, list(found.texts)) or listed(found.texts)
            yield Finding(location, 0, "unknown-value", f'{use.path} is never "{value}"', hint, "warning")
