"""A control plane for all tests, a replica for each module, and widgets and rules for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count, pairwise, starmap
from pathlib import Path

import pytest

from .api import Api
from .control_plane import CONTROLLER, ControlPlane
from .install import install
from .programs import NEEDED, missing
from .replica import Replica, replica
from .rules import Rules
from .widgets import Widgets


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave all files out but the one that says why, where the programs are missing."""
    is_another = collection_path.name.startswith("test_") and collection_path.name != "test_programs.py"
    return True if is_another and missing(*NEEDED) else None


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server with Statusguard's manifests applied."""
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


@pytest.fixture(scope="session")
def kinds(plane: ControlPlane) -> Iterator[Widgets]:
    """Kinds that nobody knows yet. The next one is defined in advance: it takes the API server two seconds to serve it."""
    api = plane.user(CONTROLLER)
    defined = (Widgets.defined(api, f"e2e{number}.example.test") for number in count(1))
    return starmap(_after, pairwise(defined))


def _after(present: Widgets, _upcoming: Widgets) -> Widgets:
    present.until_served()
    return present


@pytest.fixture
def widgets(kinds: Iterator[Widgets]) -> Widgets:
    """A kind that no other test knows, with a namespace."""
    return next(kinds)


@pytest.fixture
def rules(admin: Api) -> Iterator[Rules]:
    """Rules that are gone after the test."""
    rules = Rules(admin)
    yield rules
    rules.delete_all()


@pytest.fixture
def logs(tmp_path: Path) -> Callable[[], Path]:
    """Name a log file for each replica of a test."""
    numbers = count(1)
    return lambda: tmp_path / f"replica-{next(numbers)}.log"
