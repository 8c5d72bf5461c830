"""What Prometheus' own program says of our metrics."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from .everything import everything


def test_promtool_has_nothing_to_say() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("no promtool on PATH")
    checked = subprocess.run(
        [promtool, "check", "metrics"], input=everything().exposition(), capture_output=True, timeout=30, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")
