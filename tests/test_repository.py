"""What holds for the repository as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from webhook import cli, commands
from webhook.commands import export

ROOT = Path(__file__).parents[1]

NOT_COMMITTED = re.compile(r"\.git|\.venv|\..*_cache|\.hypothesis|\.coverage.*|__pycache__|.*\.egg-info|build|dist")
"""Names of files and folders that no commit holds."""

MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work|root|home|tmp|Users)/\w")
PACKAGE_INDEX = re.compile(
    r"\b(?:pypi|pythonhosted|npmjs|crates|rubygems)\.(?:org|io|com)\b|--(?:extra-)?index-url|--find-links"
)

LONGEST_MODULE = 300
"""Lines: more are more than one concern."""


def committed(folder: Path = ROOT) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if NOT_COMMITTED.fullmatch(entry.name):
            continue
        if entry.is_dir():
            yield from committed(entry)
        else:
            yield entry


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


@pytest.mark.parametrize("foreign", [MACHINE_PATH, PACKAGE_INDEX], ids=["path of a machine", "package index"])
def test_no_file_knows_where_it_was_written(foreign: re.Pattern[str]) -> None:
    found = [
        f"{name_of(file)}: {match[0]}"
        for file in committed()
        if file != Path(__file__)
        for match in foreign.finditer(file.read_bytes().decode(errors="replace"))
    ]
    assert found == []


@pytest.mark.parametrize("text", ["see /work" + "/main", "(/tmp/x)", "file:///home/me"])
def test_the_path_of_a_machine_would_be_found(text: str) -> None:
    assert MACHINE_PATH.search(text)


def test_modules_are_small() -> None:
    modules = [file for package in ("rules", "webhook") for file in (ROOT / package).rglob("*.py")]
    assert len(modules) > 50
    assert [name_of(file) for file in modules if len(file.read_text().splitlines()) > LONGEST_MODULE] == []


def test_every_module_begins_with_what_it_is_for() -> None:
    modules = [file for package in ("rules", "webhook") for file in (ROOT / package).rglob("*.py")]
    assert [name_of(file) for file in modules if not file.read_text().startswith(('"""', 'r"""'))] == []


def test_every_command_has_its_module() -> None:
    modules = {file.stem for file in Path(str(commands.__file__)).parent.glob("*.py")}
    targets = {f"export_{target.replace('-', '_')}" for target in export.TARGETS}
    assert modules - {"__init__", "arguments"} == {*cli.COMMANDS, *targets}
