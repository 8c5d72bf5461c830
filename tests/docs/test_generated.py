"""What `make docs` generates is committed as it would be generated now."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from webhook.commands.crds import manifests

ROOT = Path(__file__).parents[2]


def program(name: str) -> ModuleType:
    """Return a program of the documentation, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for the types of their fields
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def library_table() -> ModuleType:
    return program("make_library_table")


def test_the_crds_are_those_of_the_models() -> None:
    assert (ROOT / "manifests/crds/statusguard.dev.yaml").read_text("utf-8") == manifests(), "run `make docs`"


def test_the_reference_is_that_of_the_models() -> None:
    assert (ROOT / "docs/reference.md").read_text("utf-8") == program("make_reference").reference(), "run `make docs`"


def test_the_table_of_native_policies_is_that_of_the_forms() -> None:
    made = program("make_native_table")
    assert (ROOT / "docs/native-policies-table.md").read_text("utf-8") == made.page(), "run `make docs`"


def test_the_policy_on_the_page_of_native_policies_is_what_the_command_prints() -> None:
    text = (ROOT / "docs/native-policies.md").read_text("utf-8")
    assert program("make_native_table").with_example(text) == text, "run `make docs`"


def test_every_mutation_of_the_library_is_noticed_or_explained(library_table: ModuleType) -> None:
    assert library_table.holes() == []


def test_the_pages_of_the_library_are_those_of_its_files(library_table: ModuleType) -> None:
    assert (ROOT / "docs/library/README.md").read_text("utf-8") == library_table.index(), "run `make docs`"
    assert (ROOT / "docs/library/mutations.md").read_text("utf-8") == library_table.mutations(), "run `make docs`"
