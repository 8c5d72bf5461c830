"""The example of the page about CRDs is what the command prints."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.command import statusguard
from tests.golden import VARIABLE

PAGE = Path(__file__).parents[2] / "docs/crd-validations.md"
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_example_is_what_is_printed(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    rule, crd, _ = (match.group(1) for match in BLOCK.finditer(page))
    (tmp_path / "rules.yaml").write_text(rule, "utf-8")
    (tmp_path / "boxes.crd.yaml").write_text(crd, "utf-8")
    ran = statusguard("export", "crd-validations", tmp_path / "rules.yaml", "--crd", tmp_path / "boxes.crd.yaml")
    assert ran.code == 0
    *_, printed = BLOCK.finditer(page)
    if VARIABLE in os.environ:
        PAGE.write_text(page[: printed.start(1)] + ran.out + page[printed.end(1) :], "utf-8")
        return
    assert printed.group(1) == ran.out
