"""Every way to write a status: a bad write is refused with the contract's code and message, a good one passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .api import Answer, done
from .process import eventually
from .replica import Replica
from .rules import Rules, rule
from .widgets import Widgets

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("e2e")]

GOOD = {"observedGeneration": 2, "replicas": 3, "ready": 2}
BETTER = {**GOOD, "ready": 3}
BACK = {**GOOD, "observedGeneration": 1}
ABOVE = {**GOOD, "ready": 4}


@pytest.fixture
def guarded(guard: Replica, widgets: Widgets, rules: Rules) -> Widgets:
    """Widgets with a rule; `w` is of generation 2 and says so."""
    widgets.new("w", {"observedGeneration": 1})
    done(widgets.api.merge(widgets.path("w"), {"spec": {"changed": True}}))
    done(widgets.put("w", GOOD))
    rules.serve(rule(widgets.namespace, widgets.group))
    eventually(lambda: widgets.merge("w", BACK, dryRun="All").code == 409)
    return widgets


@pytest.mark.parametrize("way", [Widgets.put, Widgets.merge, Widgets.json_patch, Widgets.apply])
def test_each_way_to_write_a_custom_resource(guard: Replica, guarded: Widgets, way: Callable[..., Answer]) -> None:
    back = way(guarded, "w", BACK)
    assert back.refusal == (409, "Conflict")
    message = back.body["message"]
    assert message.startswith('admission webhook "widgets-status.v1.')
    for said in ("denied the request", guarded.namespace, "status.observedGeneration", "2", "1", "widget-controller"):
        assert said in message
    assert [cause["field"] for cause in back.body["details"]["causes"]] == ["status.observedGeneration"]
    above = way(guarded, "w", ABOVE)
    assert above.refusal == (422, "Invalid")
    assert "status.ready <= status.replicas" in above.body["message"]
    assert guarded.read()["status"] == GOOD
    assert done(way(guarded, "w", BETTER))["status"] == BETTER
