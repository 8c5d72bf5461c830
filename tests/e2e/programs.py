"""Where the programs of a control plane are: as kubebuilder's envtest has it, a folder that KUBEBUILDER_ASSETS names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

FOLDER: Final = Path(os.environ.get("KUBEBUILDER_ASSETS") or "/usr/local/kubebuilder/bin")

NEEDED: Final = ("etcd", "kube-apiserver")
"""Without these there is nothing to run."""


def missing(*names: str) -> list[str]:
    """Return those programs that are not there."""
    return [name for name in names if not os.access(FOLDER / name, os.X_OK)]


def program(name: str) -> Path:
    """Return the path of a program; skip the test if it is not there."""
    require(name)
    return FOLDER / name


def require(*names: str) -> None:
    """Skip the test if a program is not there."""
    if absent := missing(*names):
        pytest.skip(f"no {' and no '.join(absent)} in {FOLDER} (KUBEBUILDER_ASSETS names another folder)")
