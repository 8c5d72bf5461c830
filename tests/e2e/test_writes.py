"""Every way to write a status: a bad write is refused with the contract's code and message, a good one passes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .api import STRATEGIC, Answer, Api, done
from .control_plane import ADMIN, ControlPlane
from .install import apply
from .process import eventually
from .programs import program
from .replica import Replica
from .rules import GENERATION, Rules, resources, rule
from .widgets import Widgets

pytestmark = pytest.mark.e2e

GOOD = {"observedGeneration": 2, "replicas": 3, "ready": 2}
BETTER = {**GOOD, "ready": 3}
BACK = {**GOOD, "observedGeneration": 1}
ABOVE = {**GOOD, "ready": 4}

WAYS = pytest.mark.parametrize("way", [Widgets.put, Widgets.merge, Widgets.json_patch, Widgets.apply])
Way = Callable[..., Answer]


def of_two_generations(widgets: Widgets, name: str = "w") -> str:
    """Make a widget of generation 2 whose status says so."""
    widgets.new(name, {"observedGeneration": 1})
    done(widgets.api.merge(widgets.path(name), {"spec": {"size": 2}}))
    done(widgets.put(name, GOOD))
    return name


@pytest.fixture(scope="module")
def guarded(guard: Replica, kinds: Iterator[Widgets], admin: Api) -> Iterator[Widgets]:
    """Widgets with a rule of the name of their namespace."""
    widgets, rules = next(kinds), Rules(admin)
    rules.serve(rule(widgets.namespace, widgets.group))
    of_two_generations(widgets)
    eventually(lambda: widgets.merge("w", BACK, dryRun="All").code == 409)
    yield widgets
    rules.delete_all()


@WAYS
def test_a_bad_write_is_refused_and_a_good_one_passes(guarded: Widgets, way: Way) -> None:
    name = of_two_generations(guarded, f"real-{way.__name__.replace('_', '-')}")
    back = way(guarded, name, BACK)
    assert back.refusal == (409, "Conflict")
    message = back.body["message"]
    assert message.startswith('admission webhook "widgets-status.v1.')
    said = f"status.observedGeneration went back from 2 to 1 (rule {guarded.namespace}, invariant generation)"
    assert f"denied the request: {said}. " in message
    assert 'Written by "a-controller" with field manager "widget-controller"' in message
    assert 'the field was last written by "widget-controller" at 20' in message
    assert [cause["field"] for cause in back.body["details"]["causes"]] == ["status.observedGeneration"]
    above = way(guarded, name, ABOVE)
    assert above.refusal == (422, "Invalid")
    assert "breaks status.ready <= status.replicas" in above.body["message"]
    assert guarded.read(name)["status"] == GOOD
    assert done(way(guarded, name, BETTER))["status"] == BETTER


@WAYS
def test_a_dry_run_gets_the_same_verdict_and_leaves_no_trace(guard: Replica, guarded: Widgets, way: Way) -> None:
    name = of_two_generations(guarded, f"dry-{way.__name__.replace('_', '-')}")

    def denied(dry_run: str) -> float:
        labels = {"group": guarded.group, "dry_run": dry_run, "verdict": "denied"}
        return guard.count("statusguard_requests_total", **labels)

    def traces() -> tuple[object, ...]:
        violations = guard.count("statusguard_violations_total", rule=guarded.namespace)
        return guarded.read(name), violations, len(guard.events("violation"))

    dry, really, before = denied("true"), denied("false"), traces()
    assert way(guarded, name, BACK, dryRun="All").refusal == (409, "Conflict")
    assert done(way(guarded, name, BETTER, dryRun="All"))["status"] == BETTER
    assert (denied("true"), denied("false"), traces()) == (dry + 1, really, before)


def test_a_patch_of_the_status_of_a_deployment(guard: Replica, admin: Api, rules: Rules) -> None:
    namespace = "deployed"
    apply(admin, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    labels = {"app": "a"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    admin.create(deployments, {"metadata": {"name": "d"}, "spec": spec})
    status = f"{deployments}/d/status"
    done(admin.merge(status, {"status": {"observedGeneration": 1, "replicas": 3}}))
    counters = {"name": "counters", "relation": {"holds": ["status.readyReplicas <= status.replicas"]}}
    of_deployments = {"resourceRules": resources("apps", "deployments/status")}
    rules.serve(rule("deployments", "apps", GENERATION, counters, matchConstraints=of_deployments))

    def patch(**fields: int) -> Answer:
        return admin.call("PATCH", status, {"status": fields}, STRATEGIC)

    eventually(lambda: patch(readyReplicas=4).code == 422)
    assert patch(readyReplicas=4).refusal == (422, "Invalid")
    assert patch(observedGeneration=0).refusal == (409, "Conflict")
    assert done(patch(readyReplicas=3))["status"]["readyReplicas"] == 3


@pytest.mark.parametrize(("policy", "other_version"), [("Exact", 200), ("Equivalent", 409)])
def test_writes_in_another_version(
    guard: Replica, widgets: Widgets, rules: Rules, policy: str, other_version: int
) -> None:
    of_two_generations(widgets)
    constraints = {"resourceRules": resources(widgets.group), "matchPolicy": policy}
    rules.serve(rule(widgets.namespace, widgets.group, matchConstraints=constraints))
    eventually(lambda: widgets.merge("w", BACK).code == 409)
    assert widgets.merge("w", BACK, version="v1beta1").code == other_version


def test_kubectl_shows_the_message(plane: ControlPlane, guarded: Widgets) -> None:
    name = of_two_generations(guarded, "patched-by-kubectl")

    def refused(status: str) -> str:
        words: list[str | Path] = [program("kubectl"), "--kubeconfig", plane.kubeconfig(ADMIN)]
        words += ["--namespace", guarded.namespace, "patch", f"widgets.{guarded.group}", name]
        words += ["--subresource=status", "--type=merge", "--patch", f'{{"status":{status}}}']
        ran = subprocess.run(words, check=False, capture_output=True, text=True)
        assert ran.returncode == 1
        return ran.stderr

    back = refused('{"observedGeneration":1}')
    assert "status.observedGeneration went back from 2 to 1" in back
    assert "read the object again" in back
    above = refused('{"ready":4}')
    assert "breaks status.ready <= status.replicas" in above
    assert 'Written by "admin"' in above


def test_a_warning_reaches_the_writer(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    of_two_generations(widgets)
    rules.serve(rule(widgets.namespace, widgets.group, validationActions=["Warn"]))
    eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").warnings)
    answer = widgets.merge("w", ABOVE)
    assert answer.code == 200
    (warning,) = answer.warnings
    assert "status.ready" in warning


def test_rules_with_cel_and_without_judge_the_same_write(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    of_two_generations(widgets)
    cel = {"name": "cel", "cel": {"expression": "object.status.ready <= object.status.replicas"}}
    rules.serve(rule(f"{widgets.namespace}-plain", widgets.group, GENERATION))
    rules.serve(rule(f"{widgets.namespace}-cel", widgets.group, cel))
    eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").code == 422)
    assert widgets.merge("w", BACK).code == 409
    assert done(widgets.merge("w", BETTER))["status"] == BETTER


def test_the_message_tells_who_writes_from_who_wrote_last(guarded: Widgets) -> None:
    name = of_two_generations(guarded, "written-by-two")
    done(guarded.apply(name, BETTER))
    message = guarded.merge(name, BACK, fieldManager="intruder").body["message"]
    assert 'Written by "a-controller" with field manager "intruder"' in message
    assert 'was last written by "widget-controller"' in message
