"""The API server is gone for a while: what was served is served on, and all is in sync soon after it is back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from tests.widgets import review

from .api import Api
from .control_plane import ControlPlane
from .process import eventually
from .replica import Replica, response
from .rules import COUNTERS, GENERATION, Rules, bundle, path_to, rule, webhooks
from .widgets import Widgets

pytestmark = pytest.mark.e2e

START = {"observedGeneration": 1, "replicas": 3, "ready": 2}
ABOVE = {**START, "ready": 4}

SOON = 10.0
"""Seconds within which all is in sync again: two of the longest waits between tries."""


@contextmanager
def judging_meanwhile(guard: Replica, admin: Api, widgets: Widgets, rules: Rules) -> Iterator[None]:
    """Bring the replica a bad write before and after, as an API server would that still can; then change the rule."""
    widgets.new("w", START)
    rules.serve(rule(widgets.namespace, widgets.group, GENERATION))
    (entry,) = webhooks(admin, widgets.group)
    bad = review(2, 1, resource={"group": widgets.group, "version": "v1", "resource": "widgets"})

    def refused() -> bool:
        with closing(guard.connection(bundle(entry))) as connection:
            return not response(connection, path_to(entry), bad)["allowed"]

    assert refused()
    yield
    assert refused()
    assert guard.is_ready()


def in_sync_again(widgets: Widgets, rules: Rules) -> float:
    """Change the rule, and return after how many seconds the change judges."""
    start = time.monotonic()
    rules.serve(rule(widgets.namespace, widgets.group, COUNTERS))
    eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").code == 422)
    return time.monotonic() - start


def test_the_api_server_starts_again(
    guard: Replica, plane: ControlPlane, admin: Api, widgets: Widgets, rules: Rules
) -> None:
    with judging_meanwhile(guard, admin, widgets, rules):
        plane.kill()
    plane.start()
    assert in_sync_again(widgets, rules) < SOON


def silent_for(seconds: float, guard: Replica, plane: ControlPlane, admin: Api, widgets: Widgets, rules: Rules) -> None:
    lost = len(guard.events("the Lease is lost"))
    with judging_meanwhile(guard, admin, widgets, rules):
        plane.suspend()
        time.sleep(seconds)
    plane.resume()
    assert in_sync_again(widgets, rules) < SOON
    assert len(guard.events("the Lease is lost")) == lost + 1


def test_the_api_server_says_nothing_for_longer_than_a_leader_goes_on(
    guard: Replica, plane: ControlPlane, admin: Api, widgets: Widgets, rules: Rules
) -> None:
    silent_for(12, guard, plane, admin, widgets, rules)


@pytest.mark.slow
def test_the_api_server_says_nothing_for_a_minute(
    guard: Replica, plane: ControlPlane, admin: Api, widgets: Widgets, rules: Rules
) -> None:
    silent_for(60, guard, plane, admin, widgets, rules)
