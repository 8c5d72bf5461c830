"""What the image's recipe says, and that it says the same as the rest of the repository."""

from __future__ import annotations

import re
import tomllib

import pytest

from .build import ROOT, VERSION

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
CONTEXT = (ROOT / ".dockerignore").read_text("utf-8").splitlines()


def test_the_version_is_that_of_the_project() -> None:
    assert re.findall(r"^ARG VERSION=(.*)$", DOCKERFILE, re.MULTILINE) == [VERSION]


def test_the_base_is_pinned_by_a_date() -> None:
    assert re.search(r"^ARG BASE_IMAGE=debian:[a-z]+-\d{8}-slim$", DOCKERFILE, re.MULTILINE)
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"${BASE_IMAGE}", "python"}


def test_it_runs_as_nobody_by_number() -> None:
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["65532:65532"], "runAsNonRoot needs a number"


@pytest.mark.parametrize("needed", ["constraints.txt", "pyproject.toml", "README.md", "LICENSE"])
def test_what_the_build_needs_is_sent_to_it(needed: str) -> None:
    assert f"!{needed}" in CONTEXT


def test_all_packages_are_sent_and_nothing_that_is_not_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {f"!{package}" for package in packages} <= set(CONTEXT)
    assert next(line for line in CONTEXT if not line.startswith("#")) == "*"
