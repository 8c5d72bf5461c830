"""Every suite in the documentation passes, and every rule in it compiles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rules.compile import compile_rule
from rules.documents import parse
from rules.invariants import KINDS
from rules.suite import is_rule, is_suite
from webhook.cli import main

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text("utf-8"))


def test_there_is_a_page_for_every_kind() -> None:
    assert {page.stem for page in (ROOT / "docs/kinds").glob("*.md")} == {*KINDS, "README"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_rules_compile_and_suites_pass(page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for index, block in enumerate(blocks(page)):
        for document in parse(block.encode(), f"{page.name}#{index}.yaml"):
            if is_rule(document.data):
                compile_rule(document.data)
            elif is_suite(document.data):
                suite = tmp_path / f"{index}.yaml"
                suite.write_text(block, "utf-8")
                assert main(["test", str(suite)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_a_kind_has_a_suite_that_passes_and_breaks(kind: str) -> None:
    (suite,) = blocks(ROOT / "docs/kinds" / f"{kind}.md")
    cases = parse(suite.encode(), "suite.yaml")[0].data["cases"]
    broken = [case for case in cases if case["expect"].get("violations")]
    assert broken
    assert len(broken) < len(cases)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_a_page_lead_to_a_heading(page: Path) -> None:
    text = page.read_text("utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
    for target in re.findall(r"\]\(#([^)]+)\)", text):
        assert target in anchors, target
