"""A real Prometheus scrapes a real server under a mixed load: what do dashboards and alerts show?

Rules from files are all that the server has. What only a cluster brings (certificates, informers, a leader, Events) is exported
by the same code in a second replica, and what only an API server counts by a stand-in.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from tests.webhook.serving_process import ServeProcess, serve_process
from tests.widgets import review, rule
from webhook.observe.metrics import Metrics
from webhook.observe.queue import IncidentQueue

from .monitoring import RUNBOOKS, Query, alerts, panel_queries, without_thresholds
from .prometheus import HOOK, JOB, PROGRAM, Prometheus, of_the_api_server, prometheus, serving_pages

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no prometheus on PATH (Debian's package `prometheus`)")

SCRAPES = 16
"""Scrapes of each target before anything is asked: four seconds, so that the event loop was sampled some times."""

ASKED = 3.0
"""Seconds of these that are asked for: targets are not scraped from the first moment on."""

EXEMPT = "exemptions: {users: [repairer]}\n  validationActions:"
CEL = "  - name: expression\n    cel: {expression: 'object.status.observedGeneration / object.spec.zero > 0'}\n"

RULES = {
    "refusing.yaml": rule("refusing").replace("validationActions:", EXEMPT),
    "reporting.yaml": rule("reporting", "Audit").replace("validationActions:", EXEMPT),
    "failing.yaml": rule("failing", "Warn").replace("[widgets/status]", "[gadgets/status]") + CEL,
}

GADGET = {"group": "example.test", "version": "v1", "resource": "gadgets"}

LOAD = {
    "honest": review(1, 2),
    "bad": review(5, 2),
    "bad, by another": review(5, 4, userInfo={"username": "somebody"}),
    "dry run": review(5, 2, dryRun=True),
    "exempt": review(5, 2, userInfo={"username": "repairer"}),
    "another type": review(1, "1"),
    "cannot be judged": review(1, 2, resource=GADGET),
    "about nothing": review(1, 2, resource={**GADGET, "resource": "others"}),
    "unreadable": review(1, 2, object=[]),
    "malformed": b'{"kind": ',
}

PAUSE = 0.02
"""Seconds between two rounds: others use this machine too."""

EMPTY = {
    "StatusguardDown": "a target answers, and then `absent` finds nothing",
}
"""Alerts whose query rightly gives nothing on this load, even without the threshold."""

ACTIVE = {
    "StatusguardFailOpen": "firing",
    "StatusguardPrefilterErrors": "firing",
    **dict.fromkeys(
        (
            "StatusguardDecodeFailures",
            "StatusguardDenialsDoNotEnd",
            "StatusguardExemptionInSteadyUse",
            "StatusguardInformerStale",
            "StatusguardJudgeErrors",
            "StatusguardRulesDiffer",
            "StatusguardTypeMismatches",
            "StatusguardViolationsSpike",
        ),
        "pending",
    ),
}
"""What this load raises; what is pending has to hold for a while before it fires."""


@dataclass
class Load:
    """Writes without end, in a thread of their own."""

    server: ServeProcess
    rounds: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while not self._stop.wait(PAUSE):
            replies = [reply.status for reply in self.server.replies(LOAD.values())]
            assert replies == [400 if name == "malformed" else 200 for name in LOAD]
            self.rounds += 1

    def stop(self) -> None:
        self._stop.set()


@dataclass(frozen=True)
class Observed:
    """What there is to be asked once the load has ended."""

    prometheus: Prometheus
    server: str
    rounds: int
    start: float
    end: float


def second_replica() -> Metrics:
    """Return the metrics of a replica in a cluster."""
    metrics = Metrics()
    now = datetime.now(UTC)
    metrics.certificate_expiry("serving", lambda: now + timedelta(days=80))
    metrics.certificate_expiry("authority", lambda: now + timedelta(days=3_000))
    metrics.informer("clusterstatusrules", time.time, lambda: True)
    metrics.informer("statusrules", lambda: 0.0, lambda: False)
    metrics.leader(leads=True)
    metrics.canary(lambda: 1.0)
    metrics.prefilter(full=2, partial=1, off=0)
    metrics.reload(success=True)
    for name in ("log", "events", "reports"):
        IncidentQueue(name, metrics)
    return metrics


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observed]:
    folder = tmp_path_factory.mktemp("prometheus")
    (folder / "rules").mkdir()
    for name, text in RULES.items():
        (folder / "rules" / name).write_text(text)
    replica = second_replica()

    def of_the_replica(scrapes: int) -> bytes:
        replica.event("created")
        replica.report("written")
        return replica.exposition()

    pages = {"/replica": of_the_replica, "/api-server": of_the_api_server}
    with serve_process("--rules", folder / "rules") as server, serving_pages(pages) as address:
        ours = f"127.0.0.1:{server.ops_port}"
        targets = [
            {"__address__": ours, "job": JOB},
            {"__address__": address, "job": JOB, "__metrics_path__": "/replica", "instance": "replica"},
            {"__address__": address, "job": "apiserver", "__metrics_path__": "/api-server", "instance": "api-server"},
        ]
        load = Load(server)
        thread = threading.Thread(target=load.run)
        thread.start()
        try:
            with prometheus(folder, targets) as running:
                start = time.time()

                def scraped(count: int, since: float) -> bool:
                    seconds = math.ceil(time.time() - since)
                    found = running.values(f"count_over_time(up[{seconds}s])") if seconds else []
                    return len(found) == len(targets) and min(found) >= count

                running.process.until(lambda: scraped(SCRAPES, start))
                load.stop()
                thread.join()
                stopped = time.time()
                running.process.until(lambda: running.values(f"min(timestamp(up)) > {stopped}"))
                yield Observed(running, ours, load.rounds, stopped - ASKED, stopped)
        finally:
            load.stop()
            thread.join()


def filled_in(expr: str, rule: str = "refusing") -> str:
    """Return a panel's query as Grafana sends it."""
    for name, value in {
        "$__rate_interval": "3s",
        "$__range": "1m",
        "$rule": rule,
        "$instance": ".*",
    }.items():
        expr = expr.replace(name, value)
    return expr


def finite(values: list[float]) -> bool:
    return any(map(math.isfinite, values))


def test_every_panel_shows_something(observed: Observed) -> None:
    def values(query: Query) -> tuple[list[float], list[float]]:
        expr = filled_in(query.expr)
        assert "$" not in expr
        end = observed.end
        return observed.prometheus.values(expr, end), observed.prometheus.values_over_time(expr, observed.start, end)

    shown = {query: values(query) for query in panel_queries()}
    assert len(shown) > 60
    assert [query for query, (now, over_time) in shown.items() if not finite(now) or not finite(over_time)] == []


def test_every_alert_compares_something(observed: Observed) -> None:
    compared = {}
    for name, alert in alerts().items():
        observed.prometheus.values(alert["expr"])
        expr = without_thresholds(alert["expr"])
        compared[name] = observed.prometheus.values_over_time(expr, observed.start, observed.end)
    assert {name for name, values in compared.items() if not finite(values)} == EMPTY.keys()


def test_prometheus_evaluates_every_alert_and_those_fire_that_must(observed: Observed) -> None:
    def active() -> list[tuple[str, str, str]]:
        found = observed.prometheus.get("alerts")["alerts"]
        return [(each["labels"]["alertname"], each["state"], each["annotations"]["description"]) for each in found]

    # Each rule is evaluated once a second, but not all of them at the same moment.
    observed.prometheus.process.until(lambda: {name for name, _, _ in active()} >= ACTIVE.keys())
    assert {name: state for name, state, _ in active()} == ACTIVE
    said = [description for _, _, description in active()]
    assert any(
        re.match(rf"The API server could not ask {HOOK}, .* \([0-9]+ in ten minutes\)\.$", each) for each in said
    )
    assert any(re.match(r"Rule failing failed [0-9]+ times in ten minutes; ", each) for each in said)
    rules = [rule for group in observed.prometheus.get("rules")["groups"] for rule in group["rules"]]
    assert {rule["name"] for rule in rules if rule["health"] == "ok"} == alerts().keys()


def test_what_it_stores_is_what_was_done(observed: Observed) -> None:
    def total(metric: str, matchers: str = "") -> float:
        (value,) = observed.prometheus.values(f'sum(statusguard_{metric}{{instance="{observed.server}"{matchers}}})')
        return value / observed.rounds

    judged = [name for name in LOAD if name != "malformed"]
    assert total("requests_total") == len(judged)
    assert total("requests_total", ', dry_run="true", verdict="denied"') == 1
    assert total("decode_failures_total", ', reason="not_json"') == 1
    assert total("decode_failures_total", ', reason="bad_object"') == 1
    assert total("exemptions_total") == 2
    assert total("writer_violations_total", ', writer="somebody"') == 2
    assert total("violations_total", ', action="Deny"') == total("violations_total", ', action="Audit"') == 3
    assert total("judge_errors_total", ', rule="failing"') == 1
    assert total("type_mismatches_total", ', rule="refusing"') == 1
    assert total("regression_generations_sum", ', rule="refusing"') == 3 + 1


def test_what_a_runbook_asks_is_understood(observed: Observed) -> None:
    blocks = [
        block
        for page in sorted(RUNBOOKS.glob("*.md"))
        for block in re.findall(r"^```promql\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ]
    assert len(blocks) > 10
    for line in "".join(blocks).splitlines():
        observed.prometheus.values(line)
