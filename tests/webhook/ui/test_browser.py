"""What a real browser makes of the pages."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.webhook.serving_process import serve_process
from tests.widgets import review, rule
from webhook.ui.frame import HEADERS, Place
from webhook.ui.pages import overview, rule_list, rule_page

from .browser import DARK, Browser, hosting, needs_chromium
from .test_pages import HARMLESS
from .test_style import DARK as DARK_COLOURS
from .test_style import LIGHT as LIGHT_COLOURS
from .views import HEBREW, LONG, MARKUP, SCRIPT, TURNED, Read, hostile

pytestmark = needs_chromium

WIDE, NARROW = 1280, 390

INJECTED = '<script>document.title = "owned"</script><img src="x" onerror="document.title = \'owned\'">'


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(tmp_path)


def pages() -> dict[str, str]:
    found = hostile()
    made = {
        "/ui": overview(Place("/ui"), found),
        "/ui/rules": rule_list(Place("/ui/rules"), found, 1),
        "/ui/rules/widgets": rule_page(Place("/ui/rules/widgets"), found, "widgets"),
    }
    return {path: page for path, page in made.items() if page is not None}


@pytest.fixture
def site() -> Iterator[str]:
    """The pages of hostile values, with the headers that they have."""
    with hosting(pages(), HEADERS) as address:
        yield address


def test_hostile_values_of_real_writes_are_text_in_the_document(browser: Browser, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    said = rule("widgets").replace("- name: generation", f"- name: generation\n    message: '{SCRIPT}'")
    (rules / "a.yaml").write_text(said)
    with serve_process("--rules", rules) as server:
        for name, writer in ((SCRIPT, MARKUP), (TURNED, HEBREW), ("w", LONG)):
            assert not server.response(review(5, 2, name=name, userInfo={"username": writer}))["allowed"]
        dom = browser.dom(f"http://127.0.0.1:{server.ops_port}/ui")
        assert server.stop() == 0
    read = Read(dom)
    assert read.all_of("title")[0] == "Statusguard"
    assert read.names() <= HARMLESS
    for told in (f"Widget default/{SCRIPT}", MARKUP, f"{SCRIPT}: ", HEBREW, r"\u202euser\u200f\u001b[2J\u0000\u000a"):
        assert told in read.text
    assert "x" * 199 + "\u2026" in read.text
    assert "\u202e" not in dom


@pytest.mark.parametrize(("headers", "title"), [({}, "owned"), (HEADERS, "Statusguard")], ids=["without", "with"])
def test_the_policy_keeps_out_a_script_that_got_in(browser: Browser, headers: dict[str, str], title: str) -> None:
    page = pages()["/ui"].replace("</main>", f"{INJECTED}</main>")
    with hosting({"/ui": page}, headers) as address:
        dom = browser.dom(f"{address}/ui")
    assert INJECTED[:8] in dom
    assert re.findall(r"<head>.*?<title>(.*?)</title>", dom, re.DOTALL) == [title]


@pytest.mark.parametrize(("headers", "is_shown"), [({}, True), (HEADERS, False)], ids=["without", "with"])
def test_the_policy_keeps_the_page_out_of_a_frame(browser: Browser, headers: dict[str, str], *, is_shown: bool) -> None:
    frame = "<!doctype html><body style='margin:0'><iframe src='/ui' width=800 height=600 style='border:0'></iframe>"
    with (
        hosting({"/ui": pages()["/ui"]}, headers) as framed,
        hosting({"/": frame.replace("/ui", f"{framed}/ui")}, {}) as ours,
    ):
        seen = browser.screenshot(f"{ours}/", "framed", 800, 600, DARK)
    assert (seen.corner == f"#{DARK_COLOURS['ground']}") == is_shown


@pytest.mark.parametrize("width", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize(("flags", "colours"), [((), LIGHT_COLOURS), ((DARK,), DARK_COLOURS)], ids=["light", "dark"])
def test_it_has_its_style_in_light_and_dark(
    browser: Browser, site: str, width: int, flags: tuple[str, ...], colours: dict[str, str]
) -> None:
    seen = browser.screenshot(f"{site}/ui", "seen", width, 900, *flags)
    assert (seen.width, seen.height) == (width, 900)
    assert seen.corner == f"#{colours['ground']}"


PROBE = """\
<!doctype html><title>probe</title>
<iframe width={width} height=800 srcdoc="{page}"></iframe><iframe width={width} height=800 srcdoc="{wide}"></iframe>
<script>
onload = () => {{
  document.title = [...document.querySelectorAll("iframe")].map(each => each.contentDocument.documentElement.scrollWidth)
}}
</script>
"""
"""Says how wide the content of a page is, and of one that is too wide: the page itself may run nothing."""


@pytest.mark.parametrize("width", [WIDE, NARROW, 320])
@pytest.mark.parametrize("path", ["/ui", "/ui/rules", "/ui/rules/widgets"])
def test_nothing_is_wider_than_the_window(browser: Browser, path: str, width: int) -> None:
    too_wide = f"<!doctype html><body style='margin:0'><div style='width:{width + 9}px'>.</div>"
    # The frame has a border of its own, outside of these.
    probe = PROBE.format(width=width, page=html.escape(pages()[path]), wide=html.escape(too_wide))
    with hosting({"/": probe}, {}) as address:
        dom = browser.dom(f"{address}/")
    assert re.findall(r"<title>([\d,]+)</title>", dom) == [f"{width},{width + 9}"]
