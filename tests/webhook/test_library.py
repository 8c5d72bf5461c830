from __future__ import annotations

import pytest

from tests.library import LIBRARY
from webhook.library import LibraryFile, library


def test_every_file_of_rules_is_found_with_its_suite() -> None:
    names = {file.name for file in LIBRARY.rglob("*.yaml")}
    assert names == {name for file in library() for name in (file.rules.name, file.suite.name)}


@pytest.mark.parametrize("file", library(), ids=lambda file: file.name)
def test_a_file_says_in_its_first_line_what_it_is_for(file: LibraryFile) -> None:
    first = file.rules.read_text("utf-8").partition("\n")[0]
    assert first.startswith(f"# {file.title}: ")
    assert 0 < len(file.title) <= 80


@pytest.mark.parametrize("file", library(), ids=lambda file: file.name)
def test_a_summary_counts(file: LibraryFile) -> None:
    summary = file.summary()
    assert 0 < summary["rules"] <= summary["invariants"] < summary["cases"]


def test_those_are_optional_that_are_in_the_folder() -> None:
    assert [file.name for file in library() if file.optional] == sorted(
        path.stem for path in (LIBRARY / "optional").glob("*.yaml") if not path.name.endswith(".test.yaml")
    )
