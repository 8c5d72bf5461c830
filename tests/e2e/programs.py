"""Where the programs of a control plane are: as kubebuilder's envtest has it, a folder that KUBEBUILDER_ASSETS names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("KUBEBUILDER_ASSETS") or "/usr/local/kubebuilder/bin")


def program(name: str) -> Path:
    """Return the path of a program; skip the test if it is not there."""
    path = FOLDER / name
    if not os.access(path, os.X_OK):
        pytest.skip(f"no {name} in {FOLDER}: not run on a real API server (KUBEBUILDER_ASSETS names another folder)")
    return path
