"""What all pages have in common: head, style, header and footer, and the headers by which a browser keeps to them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from webhook.ui.markup import Child, Markup, element, moment

STYLE: Final = Markup(files("webhook.ui").joinpath("style.css").read_text("utf-8"))

_STYLE_DIGEST: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()

HEADERS: Final = {
    "Content-Type": "text/html; charset=utf-8",
    # No script, no image, no connection; of styles only the one above.
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_DIGEST}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

ROOT: Final = "/ui"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is asked for. Links are relative, so that they hold behind a proxy that adds a path."""

    path: str

    def overview(self) -> str:
        """Return the link to the overview."""
        return f"{self._up()}ui"

    def rules(self, page: int = 1) -> str:
        """Return the link to a page of the list of rules."""
        return f"{self._up()}ui/rules" + (f"?page={page}" if page > 1 else "")

    def rule(self, title: str) -> str:
        """Return the link to the page of a rule."""
        return f"{self._up()}ui/rules/{quote(title, safe='/', errors='replace')}"

    def _up(self) -> str:
        return "../" * (self.path.count("/") - 1)


def document(
    place: Place, title: str, made: datetime, content: Iterable[Markup], parts: Mapping[str, str] = MappingProxyType({})
) -> Markup:
    """Return a whole page, made at a time; `parts` are ids in it that are linked at its head, with what the links say."""
    jumps = (_link(f"#{part}", words) for part, words in parts.items())
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", STYLE),
    )
    top = element(
        "header",
        element("h1", title),
        element(
            "nav", _link(place.overview(), "Overview"), _link(place.rules(), "All rules"), *jumps, aria_label="Pages"
        ),
    )
    bottom = element(
        "footer",
        element(
            "p",
            "Made at ",
            moment(made),
            "; load the page again for what came since. Each replica shows what it judged itself since it started. "
            "Dry runs and writers whom a rule exempts are not shown.",
            class_="note",
        ),
    )
    skip = element("a", "To the content", href="#content", class_="skip")
    body = element("body", skip, top, element("main", *content, id="content"), bottom)
    return Markup(f"<!doctype html>\n{element('html', head, body, lang='en')}\n")


def _link(href: str, words: Child) -> Markup:
    return element("a", words, href=href)
