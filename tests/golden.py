"""Answers that are compared with files: they are read by a person once, and then must stay."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(__file__).with_name("data")
VARIABLE = "STATUSGUARD_WRITE_GOLDENS"
"""Set it to write the files anew instead of comparing; then read what `git diff` shows."""


def compare(name: str, found: str) -> None:
    """Compare a text with the golden file `name`."""
    golden = DATA / name
    if VARIABLE in os.environ:
        golden.write_text(found)
    assert found == golden.read_text(), f"{name} differs; if it should, run the test with {VARIABLE}=1"
