"""A control plane for all tests, a replica for each module, and widgets and rules for each test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from .api import Api
from .control_plane import CONTROLLER, ControlPlane
from .install import install
from .programs import program
from .replica import Replica, replica
from .rules import Rules
from .widgets import Widgets

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server with Statusguard's manifests applied."""
    for name in ("etcd", "kube-apiserver"):
        program(name)
    with ExitStack() as stack:
        plane = ControlPlane(tmp_path_factory.mktemp("control-plane"), stack)
        install(plane.admin)
        yield plane


@pytest.fixture(scope="session")
def admin(plane: ControlPlane) -> Api:
    return plane.admin


@pytest.fixture(scope="module")
def guard(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replica]:
    """The only replica."""
    with replica(plane, tmp_path_factory.mktemp("replica") / "log") as running:
        yield running
        assert running.process.end() == 0


@pytest.fixture
def widgets(plane: ControlPlane) -> Widgets:
    """A kind that no other test knows."""
    return Widgets.defined(plane.user(CONTROLLER), f"e2e{next(_numbers)}.example.test")


@pytest.fixture
def rules(admin: Api) -> Iterator[Rules]:
    """Rules that are gone after the test."""
    rules = Rules(admin)
    yield rules
    for path in rules.applied:
        admin.delete(path)


@pytest.fixture
def logs(tmp_path: Path) -> Callable[[], Path]:
    """Name a log file for each replica of a test."""
    numbers = itertools.count(1)
    return lambda: tmp_path / f"replica-{next(numbers)}.log"
