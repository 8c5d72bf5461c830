"""Every file of the library has a page, which names its rules and says what a person asks before using them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rules.documents import parse
from webhook.library import LibraryFile, library

PAGES = Path(__file__).parents[2] / "docs/library"

MADE = {"README.md", "mutations.md"}


def test_every_page_is_about_a_file() -> None:
    assert {page.name for page in PAGES.glob("*.md")} == MADE | {f"{file.name}.md" for file in library()}


@pytest.mark.parametrize("file", library(), ids=lambda file: file.name)
def test_a_page_names_every_rule_and_every_invariant(file: LibraryFile) -> None:
    rules = [document.data for document in parse(file.rules.read_bytes(), file.name)]
    names = [
        name
        for rule in rules
        for name in (rule["metadata"]["name"], *(each["name"] for each in rule["spec"]["invariants"]))
    ]
    page = (PAGES / f"{file.name}.md").read_text("utf-8")
    assert [name for name in names if f"`{name}`" not in page] == []


@pytest.mark.parametrize("file", library(), ids=lambda file: file.name)
def test_a_page_is_one_page_and_says_what_the_rules_cannot_see(file: LibraryFile) -> None:
    page = (PAGES / f"{file.name}.md").read_text("utf-8")
    assert re.search(r"cannot see", page, re.IGNORECASE)
    assert "Deny" in page
    assert len(page.splitlines()) < 150
