"""The colours can be told from their ground, in light and dark (WCAG 2: 4.5 to 1 for text, 3 to 1 for bars)."""

from __future__ import annotations

import re

import pytest

from webhook.ui.frame import STYLE

LIGHT, DARK = (dict(re.findall(r"--([a-z-]+): #([0-9a-f]{6});", part)) for part in STYLE.split("prefers-color-scheme"))

TEXTS = ("text", "muted", "link", "refused", "warned", "reported")
PAIRS = [
    *((name, ground) for name in TEXTS for ground in ("ground", "raised")),
    ("removed", "removed-ground"),
    ("added", "added-ground"),
]


def luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def test_the_measure_is_that_of_the_standard() -> None:
    assert contrast("000000", "ffffff") == pytest.approx(21)
    assert contrast("767676", "ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("name", "ground"), PAIRS)
def test_text_can_be_read(colours: dict[str, str], name: str, ground: str) -> None:
    assert contrast(colours[name], colours[ground]) >= 4.5


def test_both_have_every_colour() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert set(re.findall(r"var\(--([a-z-]+)\)", STYLE)) == LIGHT.keys()


@pytest.mark.parametrize("foreign", ["url(", "@import", "http", "<"])
def test_the_style_loads_nothing(foreign: str) -> None:
    assert foreign not in STYLE
