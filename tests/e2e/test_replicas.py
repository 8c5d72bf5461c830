"""Several replicas behind a Service: nothing is lost when they come and go, and there is always one that leads."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from .api import Api
from .control_plane import ControlPlane
from .load import load
from .process import eventually
from .replica import Replica, replica
from .rules import Rules, rule
from .service import Service, service
from .widgets import Widgets

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("e2e")]

START = {"observedGeneration": 1, "replicas": 3, "ready": 2}
ABOVE = {**START, "ready": 4}

LEASE = "/apis/coordination.k8s.io/v1/namespaces/statusguard/leases/statusguard"
SECRET = "/api/v1/namespaces/statusguard/secrets/statusguard-tls"
LEASE_SECONDS = 15.0
RETRY_SECONDS = 2.4
LAG = 5.0
"""Seconds by which a busy machine may be late."""

Start = Callable[..., Replica]


@pytest.fixture
def behind() -> Iterator[Service]:
    with service() as made:
        yield made


@pytest.fixture
def start(plane: ControlPlane, behind: Service, logs: Callable[[], Path]) -> Iterator[Start]:
    """Start replicas behind the Service."""
    with ExitStack() as stack:

        def one(*settings: str, program: tuple[str | Path, ...] = ()) -> Replica:
            started = stack.enter_context(replica(plane, logs(), *settings, service_port=behind.port, program=program))
            behind.add(started)
            return started

        yield one


def holder(admin: Api) -> str:
    return str(admin.get(LEASE)["spec"].get("holderIdentity", ""))


def guarded(widgets: Widgets, rules: Rules) -> None:
    """Guard widgets so that a write fails if it cannot be judged."""
    widgets.new("w", START)
    rules.serve(rule(widgets.namespace, widgets.group, failurePolicy="Fail"))
    eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").code == 422)


def test_a_rolling_restart_loses_no_write(start: Start, widgets: Widgets, rules: Rules) -> None:
    drain = ("--drain-delay", "1")
    running = [start(*drain), start(*drain)]
    guarded(widgets, rules)
    with load(widgets) as written:
        written.wait_for(50)
        for old in running:
            start(*drain)
            assert old.process.end() == 0
            written.wait_for(50)
        assert written.failed == []
    assert widgets.merge("w", ABOVE).code == 422


def test_when_the_leader_is_killed_another_takes_over(
    start: Start, behind: Service, admin: Api, widgets: Widgets, rules: Rules
) -> None:
    first = start()
    eventually(lambda: first.events("elected as leader"))
    second = start()
    guarded(widgets, rules)
    lost = holder(admin)
    killed = time.monotonic()
    first.process.end(signal.SIGKILL)
    # The other one judges at once; only what the leader writes has to wait.
    eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").code == 422)
    eventually(lambda: holder(admin) not in ("", lost))
    assert time.monotonic() - killed < LEASE_SECONDS + RETRY_SECONDS + LAG
    assert second.events("elected as leader")
    rules.serve(rule(f"{widgets.namespace}-later", widgets.group))
