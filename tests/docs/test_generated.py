"""What `make docs` generates is committed as it would be generated now."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from webhook.commands.crds import manifests

ROOT = Path(__file__).parents[2]


def test_the_crds_are_those_of_the_models() -> None:
    assert (ROOT / "manifests/crds/statusguard.dev.yaml").read_text("utf-8") == manifests(), "run `make docs`"


def test_the_reference_is_that_of_the_models() -> None:
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs/make_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs/reference.md").read_text("utf-8") == module.reference(), "run `make docs`"
