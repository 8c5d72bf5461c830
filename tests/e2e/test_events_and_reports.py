"""Events and policy reports, as kubectl shows them, on an API server that has reports."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from tests.golden import DATA
from tests.widgets import review

from .api import JSON, Api, Object, done
from .control_plane import ADMIN, CONTROLLER, STATUSGUARD, ControlPlane
from .install import apply, install
from .process import eventually
from .programs import program
from .replica import Replica, replica, response
from .report_kinds import define
from .rules import Rules, bundle, path_to, rule, webhooks
from .service import Service, service
from .widgets import LOOSE, Widgets

pytestmark = pytest.mark.e2e

TALKATIVE = (sys.executable, "-P", Path(__file__).with_name("talkative.py"))

START = {"observedGeneration": 1, "replicas": 3, "ready": 2}
ABOVE = {**START, "ready": 4}
MANY = 10_000
KINDS = 7
"""One for each test that needs one."""
MEBIBYTE = 1_024 * 1_024


@dataclass(frozen=True)
class Cluster:
    """An API server of these tests' own, two replicas, and rules."""

    plane: ControlPlane
    replicas: tuple[Replica, ...]
    rules: Rules
    kinds: Iterator[Widgets]

    @property
    def admin(self) -> Api:
        return self.plane.admin

    def kubectl(self, *words: str) -> str:
        """Return what kubectl prints."""
        command: list[str | Path] = [program("kubectl"), "--kubeconfig", self.plane.kubeconfig(ADMIN), *words]
        ran = subprocess.run(command, check=False, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return str(ran.stdout)

    def guarded(self) -> Widgets:
        """Return widgets that a rule of the name of their namespace guards."""
        widgets = next(self.kinds)
        widgets.until_served()
        widgets.new("w", START)
        self.rules.serve(rule(widgets.namespace, widgets.group))
        eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").code == 422)
        (entry,) = webhooks(self.admin, widgets.group)
        for each in self.replicas:
            eventually(partial(_is_answered, each, entry, bad(widgets, dryRun=True)))
        return widgets

    def events(self, namespace: str) -> list[Object]:
        """Return the Events of a namespace that are ours."""
        items: list[Object] = self.admin.get(f"/apis/events.k8s.io/v1/namespaces/{namespace}/events")["items"]
        return [each for each in items if each.get("reportingController") == "statusguard.dev/statusguard"]

    def report(self, namespace: str, kind: str = "wgpolicyk8s.io/v1alpha2/{}/policyreports") -> Object:
        """Return our report of a namespace, empty if there is none."""
        answer = self.admin.call("GET", f"/apis/{kind.format(f'namespaces/{namespace}')}/statusguard")
        return dict(answer.body) if answer.code == 200 else {}

    def connection(self, widgets: Widgets) -> tuple[HTTPSConnection, str]:
        """Return a connection to a replica as the API server makes one, and the path for these widgets."""
        (entry,) = webhooks(self.admin, widgets.group)
        return self.replicas[0].connection(bundle(entry)), path_to(entry)


def _is_answered(replica: Replica, entry: Object, body: bytes) -> bool:
    """Tell whether a replica has an entry."""
    with closing(replica.connection(bundle(entry))) as connection:
        connection.request("POST", path_to(entry), body, {"Content-Type": JSON})
        return connection.getresponse().status == 200


@pytest.fixture(scope="module")
def behind() -> Iterator[Service]:
    with service() as made:
        yield made


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, behind: Service) -> Iterator[Cluster]:
    """A cluster with PolicyReports."""
    folder = tmp_path_factory.mktemp("told")
    with ExitStack() as stack:
        plane = ControlPlane(folder, stack)
        install(plane.admin)
        define(plane.admin, "wgpolicyk8s.io")
        # All at once, since it takes the API server seconds to serve one.
        kinds = [Widgets.defined(plane.user(CONTROLLER), f"told{number}.example.test") for number in range(KINDS)]
        replicas = []
        for number in range(2):
            log = folder / f"replica-{number}.log"
            started = stack.enter_context(replica(plane, log, service_port=behind.port, program=TALKATIVE))
            behind.add(started)
            replicas.append(started)
        yield Cluster(plane, tuple(replicas), Rules(plane.admin), iter(kinds))


def counted(events: list[Object]) -> int:
    """Return how often Events say that something happened."""
    return sum(each.get("series", {"count": 1})["count"] for each in events)


def reported(report: Object) -> int:
    """Return how often a report says that something happened."""
    return sum(int(each["properties"]["count"]) for each in report.get("results") or [])


def bad(widgets: Widgets, **request: object) -> bytes:
    """Return the review of a write that goes back."""
    resource = {"group": widgets.group, "version": "v1", "resource": "widgets"}
    kind = {"group": widgets.group, "version": "v1", "kind": "Widget"}
    return review(2, 1, resource=resource, kind=kind, namespace=widgets.namespace, **request)


def test_a_refused_write_is_seen_by_kubectl(cluster: Cluster) -> None:
    widgets = cluster.guarded()
    assert widgets.merge("w", ABOVE).code == 422
    eventually(lambda: cluster.events(widgets.namespace) and cluster.report(widgets.namespace))
    (line,) = cluster.kubectl("get", "events", "-n", widgets.namespace, "--no-headers").splitlines()
    assert line.split()[1:4] == ["Warning", "StatusWriteDenied", "widget/w"]
    assert "status.ready" in line
    assert 'Written by "a-controller" with field manager "widget-controller"' in line
    described = cluster.kubectl("describe", f"widgets.{widgets.group}", "w", "-n", widgets.namespace)
    assert "StatusWriteDenied" in described.partition("\nEvents:")[2]
    header, line = cluster.kubectl("get", "policyreports", "-n", widgets.namespace).splitlines()
    row = dict(zip(header.split(), line.split(), strict=True))
    assert (row["NAME"], row["FAIL"], row["WARN"]) == ("statusguard", "1", "0")
    uid = widgets.read()["metadata"]["uid"]
    assert cluster.events(widgets.namespace)[0]["regarding"]["uid"] == uid
    (entry,) = cluster.report(widgets.namespace)["results"]
    assert entry["resources"][0]["uid"] == uid
    assert entry["properties"]["manager"] == "widget-controller"


def test_a_dry_run_and_a_good_write_leave_none(cluster: Cluster) -> None:
    widgets = cluster.guarded()
    done(widgets.merge("w", {**START, "ready": 3}))
    assert widgets.merge("w", ABOVE, dryRun="All").code == 422
    assert widgets.merge("w", ABOVE).code == 422
    eventually(lambda: cluster.report(widgets.namespace))
    assert counted(cluster.events(widgets.namespace)) == reported(cluster.report(widgets.namespace)) == 1


def test_what_two_replicas_saw_is_in_one_report(cluster: Cluster) -> None:
    widgets = cluster.guarded()
    for number in range(5):
        widgets.new(f"w{number}", START)
    for number in range(60):
        # The API server keeps its connection to one replica: these go to both.
        (entry,) = webhooks(cluster.admin, widgets.group)
        with closing(cluster.replicas[number % 2].connection(bundle(entry))) as connection:
            assert not response(connection, path_to(entry), bad(widgets, name=f"w{number % 5}"))["allowed"]
    eventually(lambda: reported(cluster.report(widgets.namespace)) == 60)
    found = cluster.report(widgets.namespace)
    assert found["summary"] == {"pass": 0, "fail": 5, "warn": 0, "error": 0, "skip": 0}
    assert [int(each["properties"]["count"]) for each in found["results"]] == [12] * 5
    eventually(lambda: counted(cluster.events(widgets.namespace)) == 60)
    assert len(cluster.events(widgets.namespace)) == 10, "one of each replica for each object"


@pytest.mark.slow
def test_ten_thousand_bad_writes_leave_a_handful_of_events_and_exact_counts(cluster: Cluster) -> None:
    widgets = cluster.guarded()
    connection, path = cluster.connection(widgets)
    with closing(connection):
        body = bad(widgets)
        memory = cluster.replicas[0].memory()
        for _ in range(MANY):
            response(connection, path, body)
        assert cluster.replicas[0].memory() - memory < 32 * MEBIBYTE
    eventually(lambda: counted(cluster.events(widgets.namespace)) == MANY)
    assert len(cluster.events(widgets.namespace)) == 1
    eventually(lambda: reported(cluster.report(widgets.namespace)) == MANY)
    assert cluster.replicas[0].count("statusguard_queue_dropped_total") == 0


@pytest.mark.slow
def test_ten_thousand_writers_leave_a_handful_of_events(cluster: Cluster) -> None:
    widgets = cluster.guarded()
    connection, path = cluster.connection(widgets)
    guard = cluster.replicas[0]
    limited = guard.count("statusguard_events_total", result="limited")
    with closing(connection):
        for number in range(MANY):
            response(connection, path, bad(widgets, userInfo={"username": f"user-{number}"}))
    eventually(lambda: guard.count("statusguard_events_total", result="limited") - limited > MANY - 20)
    assert len(cluster.events(widgets.namespace)) <= 12
    eventually(lambda: len(cluster.report(widgets.namespace).get("results", ())) == 500)


def test_what_is_in_no_namespace_has_its_event_in_default_and_a_report_of_the_cluster(cluster: Cluster) -> None:
    group = "gadgets.example.test"
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": LOOSE}}
    names = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"gadgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": names,
            "versions": [{**version, "subresources": {"status": {}}}],
        },
    }
    apply(cluster.admin, definition)
    gadgets = f"/apis/{group}/v1/gadgets"
    eventually(lambda: cluster.admin.exists(gadgets))
    cluster.admin.create(gadgets, {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": {"name": "g"}})
    done(cluster.admin.merge(f"{gadgets}/g/status", {"status": START}))
    about = [{"apiGroups": [group], "apiVersions": ["v1"], "resources": ["gadgets/status"]}]
    cluster.rules.serve(rule("gadgets", group, matchConstraints={"resourceRules": about}))
    eventually(lambda: cluster.admin.merge(f"{gadgets}/g/status", {"status": ABOVE}).code == 422)
    eventually(lambda: cluster.events("default"))
    lines = cluster.kubectl("get", "events", "-n", "default", "--no-headers").splitlines()
    assert ["Warning", "StatusWriteDenied", "gadget/g"] in [line.split()[1:4] for line in lines]
    eventually(lambda: "statusguard" in cluster.kubectl("get", "clusterpolicyreports", "--no-headers"))


@pytest.mark.parametrize("group", ["wgpolicyk8s.io", "openreports.io"])
def test_a_report_has_only_fields_that_its_schema_knows(cluster: Cluster, group: str) -> None:
    define(cluster.admin, group)
    plural, version = {"wgpolicyk8s.io": ("policyreports", "v1alpha2"), "openreports.io": ("reports", "v1alpha1")}[
        group
    ]
    body = json.loads((DATA / f"report.{plural}.json").read_text())
    body["metadata"]["namespace"] = "default"
    path = f"/apis/{group}/{version}/namespaces/default/{plural}"
    query = {"fieldValidation": "Strict", "dryRun": "All"}
    assert done(cluster.admin.call("POST", path, body, JSON, query))["results"] == body["results"]


def test_an_event_has_only_fields_that_the_api_server_knows(cluster: Cluster) -> None:
    body = json.loads((DATA / "event.json").read_text())
    body["metadata"]["namespace"] = body["regarding"]["namespace"] = "default"
    query = {"fieldValidation": "Strict", "dryRun": "All"}
    path = "/apis/events.k8s.io/v1/namespaces/default/events"
    assert done(cluster.admin.call("POST", path, body, JSON, query))["note"] == body["note"]


def test_only_our_own_reports_may_be_read_and_written(cluster: Cluster) -> None:
    ours = cluster.plane.user(STATUSGUARD)
    path = "/apis/wgpolicyk8s.io/v1alpha2"
    assert ours.call("GET", f"{path}/policyreports", query={"fieldSelector": "metadata.name=statusguard"}).code == 200
    refused = [
        ours.call("GET", f"{path}/policyreports"),
        ours.call("GET", f"{path}/namespaces/default/policyreports/another"),
        ours.call("PUT", f"{path}/namespaces/default/policyreports/another", {}),
        ours.call("DELETE", f"{path}/namespaces/default/policyreports/statusguard"),
        ours.call("GET", "/apis/events.k8s.io/v1/events"),
    ]
    assert {answer.code for answer in refused} == {403}


def test_a_replica_that_starts_where_there_are_open_reports_writes_these(
    cluster: Cluster, behind: Service, logs: Callable[[], Path]
) -> None:
    widgets = cluster.guarded()
    define(cluster.admin, "openreports.io")
    (entry,) = webhooks(cluster.admin, widgets.group)
    with replica(cluster.plane, logs(), "--events", "off", service_port=behind.port, program=TALKATIVE) as newer:
        with closing(newer.connection(bundle(entry))) as connection:
            response(connection, path_to(entry), bad(widgets))
        eventually(lambda: cluster.report(widgets.namespace, "openreports.io/v1alpha1/{}/reports"))
    assert cluster.events(widgets.namespace) == []
    cluster.kubectl("get", "reports.openreports.io", "-n", widgets.namespace, "statusguard")


def test_while_the_api_server_is_away_nothing_blocks_and_nothing_grows(cluster: Cluster) -> None:
    widgets = cluster.guarded()
    connection, path = cluster.connection(widgets)
    guard = cluster.replicas[0]
    with closing(connection):
        for number in range(100):
            response(connection, path, bad(widgets, name=f"warm-{number}"))
        cluster.plane.suspend()
        try:
            memory, slowest = guard.memory(), 0.0
            for number in range(MANY):
                start = time.monotonic()
                name = f"w{number % 3_000}"
                assert not response(connection, path, bad(widgets, name=name, userInfo={"username": str(number)}))[
                    "allowed"
                ]
                slowest = max(slowest, time.monotonic() - start)
            assert guard.is_ready()
            assert slowest < 1.0
            assert guard.memory() - memory < 64 * MEBIBYTE
        finally:
            cluster.plane.resume()
    eventually(lambda: len(cluster.report(widgets.namespace).get("results", ())) == 500)
