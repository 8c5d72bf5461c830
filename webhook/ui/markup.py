"""Markup, made of parts; the one place where text becomes HTML.

Words are escaped unless they are `Markup` already, and only the functions here make that.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, TypeAlias

from webhook.display import short

MAX_TEXT: Final = 2_000
"""Characters of one piece of text that are shown. Incidents are cut before; this is for what rules and their mistakes say."""

_VOID: Final = frozenset({"meta"})
"""Elements without an end tag."""


class Markup(str):
    """HTML that can stand in a page as it is."""

    __slots__ = ()


Child: TypeAlias = str | int
"""Markup, or what is text."""


def text(words: Child, limit: int = MAX_TEXT) -> Markup:
    """Return words as they stand in an element or an attribute: cut, and with an escape for what cannot be seen.

    Control characters and those that turn the direction of writing are such.
    """
    return words if isinstance(words, Markup) else Markup(html.escape(short(str(words), limit)))


def element(name: str, /, *children: Child, **attributes: str | float | None) -> Markup:
    """Return an element. In the name of an attribute `_` is `-`, one at the end is dropped; one that is None is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value if isinstance(value, str) else str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{''.join(map(text, children))}</{name}>")


def joined(parts: Iterable[Child], separator: str = "") -> Markup:
    """Return parts one after the other."""
    return Markup(text(separator).join(map(text, parts)))


def foreign(words: str, limit: int = MAX_TEXT) -> Markup:
    """Return words that others chose. Letters that run from right to left turn nothing that stands beside these words."""
    return element("bdi", text(words, limit), dir="ltr")


def moment(at: datetime) -> Markup:
    """Return a time."""
    at = at.astimezone(UTC)
    return element("time", at.strftime("%Y-%m-%d %H:%M:%S UTC"), datetime=at.strftime("%Y-%m-%dT%H:%M:%SZ"))


def counted(number: int, one: str, more: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"
