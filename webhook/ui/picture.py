"""The rates of an hour as a picture, and the same as a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from webhook.ui.markup import Markup, counted, element, joined
from webhook.ui.rates import OUTCOMES, Minute

_HEIGHT: Final = 100
"""Units of the picture's height; a minute is ten units wide. The page stretches both."""

_WIDTH: Final = 10
_GAP: Final = 2


def rates(hour: Sequence[Minute]) -> Markup:
    """Return a figure of violations a minute: bars by what became of the writes, and the numbers as a table."""
    top = ceiling(max(minute.total for minute in hour))
    return element(
        "figure",
        element("figcaption", joined(_legend(each, hour) for each in OUTCOMES), class_="legend"),
        element(
            "div",
            element("div", *(element("span", f"{each:,}") for each in (top, 0)), class_="scale", aria_hidden="true"),
            _bars(hour, top),
            element(
                "div", element("span", _clock(hour[0])), element("span", f"{_clock(hour[-1])} UTC"), class_="times"
            ),
            class_="plot",
        ),
        _table(hour),
    )


def ceiling(peak: int) -> int:
    """Return the number at the top of the picture: 1, 2 or 5 with zeros."""
    unit = 1
    while True:
        for step in (1, 2, 5):
            if step * unit >= peak:
                return step * unit
        unit *= 10


def _legend(name: str, hour: Sequence[Minute]) -> Markup:
    total = sum(getattr(minute, name) for minute in hour)
    return element("span", element("span", class_=f"key {name}", aria_hidden="true"), f"{total:,} {name}")


def _bars(hour: Sequence[Minute], top: int) -> Markup:
    width = _WIDTH * len(hour)
    bars = joined(_bar(minute, place * _WIDTH, top) for place, minute in enumerate(hour) if minute.total)
    lines = joined(element("line", x1=0, x2=width, y1=y, y2=y, class_="grid") for y in (0, _HEIGHT // 2, _HEIGHT))
    return element(
        "svg",
        element("title", "Violations a minute in the last hour", id="rates-title"),
        element("desc", _description(hour), id="rates-description"),
        lines,
        bars,
        viewBox=f"0 0 {width} {_HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_labelledby="rates-title rates-description",
    )


def _bar(minute: Minute, x: int, top: int) -> Markup:
    parts: list[Markup] = []
    y = float(_HEIGHT)
    for name in OUTCOMES:
        height = getattr(minute, name) * _HEIGHT / top
        if not height:
            continue
        y -= height
        parts.append(
            element("rect", x=x + _GAP / 2, y=round(y, 2), width=_WIDTH - _GAP, height=round(height, 2), class_=name)
        )
    return joined(parts)


def _description(hour: Sequence[Minute]) -> str:
    total = sum(minute.total for minute in hour)
    if not total:
        return "No violation in the last hour."
    most = max(hour, key=lambda minute: minute.total)
    return f"{counted(total, 'violation')}; most in one minute: {most.total:,} at {_clock(most)} UTC."


def _table(hour: Sequence[Minute]) -> Markup:
    busy = [minute for minute in reversed(hour) if minute.total]
    if not busy:
        return element("p", "No violation in the last hour.", class_="note")
    heads = joined(element("th", each, scope="col") for each in ("minute (UTC)", *OUTCOMES))
    rows = (
        element(
            "tr",
            element("th", _clock(minute), scope="row"),
            *(element("td", f"{getattr(minute, name):,}") for name in OUTCOMES),
        )
        for minute in busy
    )
    caption = element("caption", "Violations a minute; minutes without any are left out")
    table = element("table", caption, element("thead", element("tr", heads)), element("tbody", *rows), class_="numbers")
    return element("details", element("summary", "The numbers as a table"), table)


def _clock(minute: Minute) -> str:
    return datetime.fromtimestamp(minute.number * 60, UTC).strftime("%H:%M")
