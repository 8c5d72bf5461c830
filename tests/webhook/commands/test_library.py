from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import statusguard
from tests.library import LIBRARY
from webhook.library import LibraryFile, library


def test_the_list_has_every_file() -> None:
    ran = statusguard("library")
    assert (ran.code, ran.err) == (0, "")
    headings, *rows = ran.out.splitlines()
    assert headings.split() == ["NAME", "RULES", "INVARIANTS", "CASES", "SYSTEM"]
    assert [row.split()[0] for row in rows] == [file.name for file in library()]
    assert [row.endswith(", optional") for row in rows] == [file.optional for file in library()]


def test_the_list_for_programs() -> None:
    ran = statusguard("library", "--output", "json")
    assert json.loads(ran.out) == [file.summary() for file in library()]
    (flux,) = (each for each in json.loads(ran.out) if each["name"] == "flux")
    assert flux["title"] == "Flux (fluxcd)"
    assert flux["optional"] is False


@pytest.mark.parametrize("file", library(), ids=lambda file: file.name)
def test_a_file_is_written_as_it_is(file: LibraryFile) -> None:
    (path,) = LIBRARY.rglob(f"{file.name}.yaml")
    assert statusguard("library", file.name).out == path.read_text("utf-8")
    assert statusguard("library", file.name, "--test").out == path.with_suffix(".test.yaml").read_text("utf-8")


def test_what_is_written_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "flux.yaml").write_text(statusguard("library", "flux").out)
    (tmp_path / "flux.test.yaml").write_text(statusguard("library", "flux", "--test").out)
    assert statusguard("test", tmp_path).code == 0


def test_several_files_are_one_stream_of_documents(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(statusguard("library", "flux", "generic", "flux").out)
    ran = statusguard("lint", tmp_path)
    rules = {file.name: file.summary()["rules"] for file in library()}
    assert (ran.code, ran.out.split()[0]) == (0, str(rules["flux"] + rules["generic"]))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["fluxx"], 'there is no file fluxx in the library, did you mean "flux"?\n'),
        (["flux", "???"], "there is no file ??? in the library; `statusguard library` lists them\n"),
        (["--test"], "--test needs the NAME of a file\n"),
        (["flux", "--output", "json"], "--output json is for the list: a file is written as it is\n"),
    ],
)
def test_what_cannot_be_done_is_one_line(words: list[str], complaint: str) -> None:
    ran = statusguard("library", *words)
    assert (ran.code, ran.out, ran.err) == (2, "", complaint)
