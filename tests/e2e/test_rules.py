"""The life of a rule: applied, changed, broken, mended, deleted; what is served and what its status says follow."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml

from tests.library import LIBRARY

from .api import APPLY, Api, Object, done
from .control_plane import ADMIN, ControlPlane
from .process import eventually
from .programs import program
from .replica import Replica
from .rules import CONFIGURATIONS, COUNTERS, GENERATION, Rules, path_of, resources, rule, webhooks
from .widgets import Widgets

pytestmark = pytest.mark.e2e

SOON = 2.0
"""Seconds within which a change is served."""
LAG = 3.0
"""Seconds by which a busy machine may be late."""

START = {"observedGeneration": 1, "replicas": 3, "ready": 2}
ABOVE = {**START, "ready": 4}
BACK = {**START, "observedGeneration": 0}


@contextmanager
def within(seconds: float) -> Iterator[None]:
    start = time.monotonic()
    yield
    assert time.monotonic() - start < seconds + LAG


@contextmanager
def suspended(guard: Replica) -> Iterator[None]:
    """Let the replica be there and say nothing."""
    guard.process.send(signal.SIGSTOP)
    try:
        yield
    finally:
        guard.process.send(signal.SIGCONT)


def test_it_is_applied_changed_broken_mended_and_deleted(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    widgets.new("w", START)
    counted = rule(widgets.namespace, widgets.group, COUNTERS)

    def refuses(status: Object) -> bool:
        return widgets.merge("w", status, dryRun="All").code == 422

    with within(SOON):
        rules.serve(counted)
        eventually(lambda: refuses(ABOVE))
    with within(SOON):
        looser = {"name": "counters", "relation": {"holds": ["status.ready <= 2 + status.replicas"]}}
        changed = rule(widgets.namespace, widgets.group, looser)
        rules.serve(changed)
        eventually(lambda: not refuses(ABOVE) and refuses({**START, "ready": 6}))
    broken = rule(widgets.namespace, widgets.group, {"name": "counters", "relation": {"holds": ["status.ready <="]}})
    with suspended(guard):
        # Nobody is there to refuse it when it is applied.
        done(rules.write(broken))
    with within(SOON):
        eventually(lambda: rules.is_(broken, "Compiled", "False"))
    assert "spec.invariants[0].relation.holds[0]" in rules.condition(broken, "Compiled")["message"]
    assert rules.condition(broken, "Served")["reason"] == "LastGood"
    assert refuses({**START, "ready": 6})
    assert not refuses(ABOVE)
    with within(SOON):
        rules.serve(counted)
        eventually(lambda: refuses(ABOVE))
    assert rules.condition(counted, "Served")["reason"] == "Current"
    with within(SOON):
        rules.delete(counted)
        eventually(lambda: not webhooks(rules.api, widgets.group))
        eventually(lambda: not refuses(ABOVE))
    done(widgets.merge("w", ABOVE))


def test_the_time_of_a_condition_moves_only_with_its_status(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    manifest = rule(widgets.namespace, widgets.group)
    rules.serve(manifest)
    before = rules.condition(manifest, "Ready")
    time.sleep(1.1)  # the time is in whole seconds
    rules.serve(rule(widgets.namespace, widgets.group, COUNTERS))
    after = rules.condition(manifest, "Ready")
    assert after["observedGeneration"] == before["observedGeneration"] + 1
    assert after["lastTransitionTime"] == before["lastTransitionTime"]


def test_kubectl_apply_of_a_broken_rule_shows_what_lint_says(
    guard: Replica, plane: ControlPlane, widgets: Widgets
) -> None:
    broken = rule(widgets.namespace, widgets.group, {"name": "counters", "relation": {"holds": ["status.ready <="]}})
    words = [str(program("kubectl")), "--kubeconfig", str(plane.kubeconfig(ADMIN)), "apply", "-f", "-"]
    ran = subprocess.run(words, check=False, capture_output=True, text=True, input=yaml.safe_dump(broken))
    assert ran.returncode == 1
    assert "spec.invariants[0].relation.holds[0]" in ran.stderr
    assert not plane.admin.exists(path_of(broken))


def test_the_api_server_refuses_by_itself_what_the_schema_says(guard: Replica, admin: Api, widgets: Widgets) -> None:
    two_kinds = rule(widgets.namespace, widgets.group, {**GENERATION, "relation": COUNTERS["relation"]})
    two_actions = rule(widgets.namespace, widgets.group, validationActions=["Deny", "Warn"])
    with suspended(guard):
        for manifest, said in ((two_kinds, "exactly one kind"), (two_actions, "exclude each other")):
            answer = admin.apply(path_of(manifest), manifest)
            assert answer.refusal == (422, "Invalid")
            assert said in answer.body["message"]


def test_the_ready_made_rules_are_accepted(guard: Replica, admin: Api) -> None:
    ready_made = [
        manifest
        for file in LIBRARY.rglob("*.yaml")
        if not file.name.endswith(".test.yaml")
        for manifest in yaml.safe_load_all(file.read_text())
    ]
    assert len(ready_made) > 20
    query = {"fieldManager": "e2e", "dryRun": "All"}
    for manifest in ready_made:
        answer = admin.call("PATCH", path_of(manifest), manifest, APPLY, query)
        assert (answer.code, answer.warnings) == (201, ()), answer.body


def test_kubectl_get_shows_how_rules_are(guard: Replica, plane: ControlPlane, widgets: Widgets, rules: Rules) -> None:
    rules.serve(rule(widgets.namespace, widgets.group))
    words = [str(program("kubectl")), "--kubeconfig", str(plane.kubeconfig(ADMIN)), "get", "statusguard"]
    header, row = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    assert header.split() == ["NAME", "ACTION", "READY", "PREFILTER", "AGE"]
    assert row.split()[1:4] == ["Deny", "True", "Full"]


def test_what_lint_warns_of_is_a_warning_when_it_is_applied(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    anything = {"resourceRules": resources("*", "*/status", versions=("*",))}
    answer = rules.write(rule(widgets.namespace, "*", COUNTERS, matchConstraints=anything, validationActions=["Audit"]))
    assert answer.code == 201
    assert any("status.ready" in warning for warning in answer.warnings)


def test_a_broken_rule_can_still_be_labelled_and_deleted(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    broken = rule(widgets.namespace, widgets.group, {"name": "counters", "relation": {"holds": ["status.ready <="]}})
    broken["metadata"]["finalizers"] = ["example.test/waits"]
    with suspended(guard):
        done(rules.write(broken))
    eventually(lambda: rules.is_(broken, "Served", "False"))
    done(rules.api.merge(path_of(broken), {"metadata": {"labels": {"seen": "yes"}}}))
    rules.delete(broken)
    done(rules.api.merge(path_of(broken), {"metadata": {"finalizers": []}}))
    assert not rules.api.exists(path_of(broken))


def test_a_namespaced_rule_judges_in_its_namespace_only(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    elsewhere = widgets.add_namespace(f"{widgets.namespace}-elsewhere")
    for each in (widgets, elsewhere):
        each.new("w", START)
    namespaced = rule("own", widgets.group, COUNTERS, namespace=widgets.namespace, validationActions=["Warn"])
    rules.serve(namespaced)
    eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").warnings)
    assert not elsewhere.merge("w", ABOVE, dryRun="All").warnings
    (entry,) = webhooks(rules.api, widgets.group)
    assert entry["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": widgets.namespace}}


def test_a_namespaced_rule_refuses_only_what_the_settings_allow(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    widgets.new("w", START)
    namespaced = rule("own", widgets.group, COUNTERS, namespace=widgets.namespace)
    rules.serve(namespaced)
    assert "only reported" in rules.condition(namespaced, "Served")["message"]

    def reported() -> bool:
        done(widgets.merge("w", ABOVE))
        done(widgets.merge("w", START))
        return guard.count("statusguard_violations_total", rule=f"{widgets.namespace}/own", action="Audit") > 0

    eventually(reported)


@pytest.mark.parametrize(
    ("group", "resource", "why"),
    [
        ("coordination.k8s.io", "leases", "leader election"),
        ("", "events", "trouble"),
        ("", "namespaces/status", "deleted"),
        ("apiextensions.k8s.io", "customresourcedefinitions/status", "CRD"),
        ("statusguard.dev", "clusterstatusrules/status", "our own rules"),
    ],
)
def test_what_is_never_guarded_is_left_out_with_a_reason(
    guard: Replica, rules: Rules, group: str, resource: str, why: str
) -> None:
    excluded = rule("excluded", group, GENERATION, matchConstraints={"resourceRules": resources(group, resource)})
    done(rules.write(excluded))
    eventually(lambda: rules.is_(excluded, "Ready", "False"))
    ready = rules.condition(excluded, "Ready")
    assert ready["reason"] == "NotGuarded"
    assert why in ready["message"]
    assert not webhooks(rules.api, group or "core")


def test_a_wildcard_leaves_out_what_is_never_guarded(
    guard: Replica, admin: Api, widgets: Widgets, rules: Rules
) -> None:
    everything = {"resourceRules": resources("*", "*/status", versions=("*",))}
    phase = {"name": "phase", "frozen": {"fields": ["status.phase"]}}
    rules.serve(rule("everything", "*", GENERATION, phase, matchConstraints=everything))
    widgets.new("w", START)
    eventually(lambda: widgets.merge("w", BACK, dryRun="All").code == 409)
    namespace = f"/api/v1/namespaces/{widgets.namespace}"
    admin.call("POST", f"{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    admin.create(
        f"{namespace}/pods", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    )
    # The status of a pod is only reported, that of a CRD not even asked about.
    done(admin.merge(f"{namespace}/pods/p/status", {"status": {"phase": "Running"}}))
    assert guard.count("statusguard_violations_total", rule="everything", invariant="phase", action="Audit") == 1
    definition = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{widgets.group}/status"
    done(admin.merge(definition, {"status": {"observedGeneration": 7}}))
    done(admin.merge(definition, {"status": {"observedGeneration": 6}}))


def test_a_wildcard_that_fails_closed_is_not_served(guard: Replica, rules: Rules) -> None:
    everything = {"resourceRules": resources("*", "*/status", versions=("*",))}
    closed = rule("closed", "*", GENERATION, matchConstraints=everything, failurePolicy="Fail")
    done(rules.write(closed))
    eventually(lambda: rules.is_(closed, "Ready", "False"))
    assert "would stop the whole cluster" in rules.condition(closed, "Ready")["message"]


def test_our_own_namespace_is_never_guarded(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    own = Widgets(widgets.api, widgets.group, "statusguard")
    for each in (own, widgets):
        each.new("w", START)
    rules.serve(rule(widgets.namespace, widgets.group))
    eventually(lambda: widgets.merge("w", ABOVE).code == 422)
    done(own.merge("w", ABOVE))


def test_an_equal_configuration_is_not_written_again(
    guard: Replica, admin: Api, widgets: Widgets, rules: Rules
) -> None:
    path = f"{CONFIGURATIONS}/statusguard-{widgets.group}"
    # The second entry stands before the first one.
    rules.serve(rule(f"{widgets.namespace}-b", widgets.group))
    both = [*resources(widgets.group, "widgets"), *resources(widgets.group)]
    rules.serve(rule(f"{widgets.namespace}-a", widgets.group, matchConstraints={"resourceRules": both}))
    before = admin.get(path)
    assert [each["name"].partition(".")[0] for each in before["webhooks"]] == ["widgets-status", "widgets"]
    unrelated = rule(f"{widgets.namespace}-c", "unrelated.example.test")
    rules.serve(unrelated)
    assert admin.get(path) == before


def test_what_somebody_else_changed_is_put_right(guard: Replica, admin: Api, widgets: Widgets, rules: Rules) -> None:
    rules.serve(rule(widgets.namespace, widgets.group))
    before = webhooks(admin, widgets.group)
    path = f"{CONFIGURATIONS}/statusguard-{widgets.group}"
    done(admin.merge(path, {"webhooks": []}))
    rules.serve(rule(f"{widgets.namespace}-next", widgets.group))
    assert webhooks(admin, widgets.group) == before


def test_an_object_that_goes_away_passes_while_nobody_answers(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    widgets.new("going", START, finalizers=["example.test/waits"])
    widgets.new("staying", START)
    rules.serve(rule(widgets.namespace, widgets.group, failurePolicy="Fail"))
    eventually(lambda: widgets.merge("staying", ABOVE).code == 422)
    widgets.api.delete(widgets.path("going"))
    with suspended(guard):
        refused = widgets.merge("staying", ABOVE)
        assert refused.refusal == (500, "InternalError")
        done(widgets.merge("going", ABOVE))
        done(widgets.api.merge(widgets.path("going"), {"metadata": {"finalizers": []}}))
    eventually(lambda: widgets.merge("staying", ABOVE).code == 422)
    assert not widgets.api.exists(widgets.path("going"))


def test_by_default_nothing_is_refused_while_nobody_answers(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    widgets.new("w", START)
    rules.serve(rule(widgets.namespace, widgets.group))
    eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").code == 422)
    with suspended(guard):
        done(widgets.merge("w", ABOVE))


def test_the_canarys_bad_write_is_refused_on_its_way_through_the_api_server(
    guard: Replica, widgets: Widgets, rules: Rules
) -> None:
    rules.serve(rule(widgets.namespace, widgets.group))
    eventually(lambda: guard.count("statusguard_canary_write_refused") == 1)


def test_the_condition_says_how_the_prefilter_is(guard: Replica, widgets: Widgets, rules: Rules) -> None:
    manifest = rule(widgets.namespace, widgets.group)
    rules.serve(manifest)
    shown: dict[str, Any] = rules.api.get(path_of(manifest))["status"]["prefilter"]
    assert shown["mode"] == "Full"
    rules.serve(rule(widgets.namespace, widgets.group, prefilter="Off"))
    shown = rules.api.get(path_of(manifest))["status"]["prefilter"]
    assert shown == {"mode": "Off", "reason": "the rule says so"}
