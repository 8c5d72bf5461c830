from __future__ import annotations

import math
import platform
import time
from datetime import UTC, datetime
from typing import get_args

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.webhook.running import samples
from webhook.observe.metrics import FailureReason, Metrics, RuleLabels, Verdict
from webhook.observe.process_metrics import EventResult, ReportResult

KCP = RuleLabels(
    "kcp", "generation", "controlplane.cluster.x-k8s.io", "kubeadmcontrolplanes", "Deny", "observedGeneration"
)
ANYTHING = RuleLabels("generic", "conditions", "*", "*", "Audit")


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    """Return the value of one series, None if there is no such series."""
    return next((value for found, value in samples(metrics, name) if found == labels), None)


def violations(metrics: Metrics) -> dict[tuple[str, str, str], float]:
    return {
        (labels["rule"], labels["resource"], labels["action"]): value
        for labels, value in samples(metrics, "statusguard_violations_total")
    }


@pytest.fixture
def metrics() -> Metrics:
    made = Metrics()
    made.declare_rules([KCP])
    return made


def test_the_names_are_those_that_dashboards_know(metrics: Metrics) -> None:
    families = {family.name: family for family in text_string_to_metric_families(metrics.exposition().decode())}
    assert set(families) == {
        "statusguard_requests",
        "statusguard_violations",
        "statusguard_decision_seconds",
        "statusguard_decode_failures",
        "statusguard_judge_errors",
        "statusguard_exemptions",
        "statusguard_type_mismatches",
        "statusguard_regression_generations",
        "statusguard_writer_violations",
        "statusguard_rules",
        "statusguard_prefilter_rules",
        "statusguard_last_reload_timestamp_seconds",
        "statusguard_last_reload_successful",
        "statusguard_certificate_expiry_timestamp_seconds",
        "statusguard_informer_last_contact_timestamp_seconds",
        "statusguard_informer_synced",
        "statusguard_canary_write_refused",
        "statusguard_leader",
        "statusguard_event_loop_lag_seconds",
        "statusguard_queue_depth",
        "statusguard_queue_capacity",
        "statusguard_queue_dropped",
        "statusguard_log_lines_held_back",
        "statusguard_events",
        "statusguard_reports",
        "statusguard_build_info",
    }
    assert all(family.documentation for family in families.values())


def test_every_series_is_there_from_the_start(metrics: Metrics) -> None:
    requests = [labels for labels, value in samples(metrics, "statusguard_requests_total") if value == 0]
    assert len(requests) == 2 * len(get_args(Verdict)) * 2
    assert {(each["group"], each["resource"]) for each in requests} == {(KCP.group, KCP.resource), ("other", "other")}
    assert violations(metrics) == {("kcp", "kubeadmcontrolplanes", "Deny"): 0}
    reasons = {labels["reason"] for labels, value in samples(metrics, "statusguard_decode_failures_total")}
    assert reasons == set(get_args(FailureReason))
    for counter in ("judge_errors", "type_mismatches", "exemptions"):
        assert value(metrics, f"statusguard_{counter}_total", rule="kcp") == 0
    for state in ("served", "broken"):
        assert value(metrics, "statusguard_rules", state=state) == 0
    assert value(metrics, "statusguard_regression_generations_count", rule="kcp") == 0
    assert value(metrics, "statusguard_writer_violations_total", writer="other") == 0
    for mode in ("Full", "Partial", "Off"):
        assert value(metrics, "statusguard_prefilter_rules", mode=mode) == 0
    for result in get_args(EventResult):
        assert value(metrics, "statusguard_events_total", result=result) == 0
    for result in get_args(ReportResult):
        assert value(metrics, "statusguard_reports_total", result=result) == 0
    for name in ("leader", "log_lines_held_back_total", "event_loop_lag_seconds_count"):
        assert value(metrics, f"statusguard_{name}") == 0


def test_requests_are_counted_by_resource_verdict_and_dry_run(metrics: Metrics) -> None:
    metrics.request(KCP.group, KCP.resource, "denied", dry_run=False)
    metrics.request(KCP.group, KCP.resource, "denied", dry_run=True)
    metrics.request(KCP.group, KCP.resource, "denied", dry_run=True)
    labels = {"group": KCP.group, "resource": KCP.resource, "verdict": "denied"}
    assert value(metrics, "statusguard_requests_total", **labels, dry_run="false") == 1
    assert value(metrics, "statusguard_requests_total", **labels, dry_run="true") == 2


def test_resources_of_no_served_rule_are_other_and_make_no_series(metrics: Metrics) -> None:
    before = len(list(samples(metrics, "statusguard_requests_total")))
    for number in range(100):
        metrics.request(f"group{number}", KCP.resource, "allowed", dry_run=False)
        metrics.request(KCP.group, f"resource{number}", "allowed", dry_run=False)
        metrics.request("*", "*", "allowed", dry_run=False)
    labels = {"group": "other", "resource": "other", "verdict": "allowed", "dry_run": "false"}
    assert value(metrics, "statusguard_requests_total", **labels) == 300
    assert len(list(samples(metrics, "statusguard_requests_total"))) == before


def test_a_rule_for_every_resource_shows_those_that_other_rules_name(metrics: Metrics) -> None:
    metrics.declare_rules([KCP, ANYTHING])
    assert violations(metrics) == {
        ("kcp", "kubeadmcontrolplanes", "Deny"): 0,
        ("generic", "kubeadmcontrolplanes", "Audit"): 0,
        ("generic", "other", "Audit"): 0,
    }
    metrics.violation(RuleLabels("generic", "conditions", KCP.group, KCP.resource, "Audit"))
    metrics.violation(RuleLabels("generic", "conditions", "apps", "deployments", "Audit"))
    assert set(violations(metrics).values()) == {0, 1}
    assert len(violations(metrics)) == 3


def test_a_rule_for_a_whole_group_shows_the_group() -> None:
    metrics = Metrics()
    metrics.declare_rules([RuleLabels("apps", "generation", "apps", "*", "Warn")])
    metrics.request("apps", "deployments", "allowed", dry_run=False)
    labels = {"group": "apps", "resource": "other", "verdict": "allowed", "dry_run": "false"}
    assert value(metrics, "statusguard_requests_total", **labels) == 1
    metrics.violation(RuleLabels("apps", "generation", "apps", "deployments", "Warn"))
    assert violations(metrics) == {("apps", "other", "Warn"): 1}


def test_a_reload_keeps_the_counts_of_rules_that_stay_and_drops_the_others(metrics: Metrics) -> None:
    metrics.declare_rules([KCP, ANYTHING])
    metrics.violation(KCP)
    metrics.judge_error("generic")
    metrics.regression("kcp", 3)
    metrics.declare_rules([KCP])
    assert value(metrics, "statusguard_regression_generations_sum", rule="kcp") == 3
    assert violations(metrics) == {("kcp", "kubeadmcontrolplanes", "Deny"): 1}
    assert value(metrics, "statusguard_judge_errors_total", rule="generic") is None
    metrics.declare_rules([KCP, ANYTHING])
    assert value(metrics, "statusguard_judge_errors_total", rule="generic") == 0


def test_each_event_moves_its_metric(metrics: Metrics) -> None:
    metrics.decode_failure("not_json")
    metrics.judge_error("kcp")
    metrics.exempted("kcp")
    metrics.type_mismatches("kcp", 3)
    metrics.rules(served=4, broken=1)
    metrics.prefilter(full=3, partial=2, off=1)
    metrics.lines_held_back(5)
    metrics.event("updated")
    metrics.event("limited", 7)
    metrics.report("failed")
    metrics.leader(leads=True)
    assert value(metrics, "statusguard_decode_failures_total", reason="not_json") == 1
    assert value(metrics, "statusguard_judge_errors_total", rule="kcp") == 1
    assert value(metrics, "statusguard_exemptions_total", rule="kcp") == 1
    assert value(metrics, "statusguard_type_mismatches_total", rule="kcp") == 3
    assert value(metrics, "statusguard_rules", state="served") == 4
    assert value(metrics, "statusguard_rules", state="broken") == 1
    assert [value(metrics, "statusguard_prefilter_rules", mode=mode) for mode in ("Full", "Partial", "Off")] == [
        3,
        2,
        1,
    ]
    assert value(metrics, "statusguard_log_lines_held_back_total") == 5
    assert value(metrics, "statusguard_events_total", result="updated") == 1
    assert value(metrics, "statusguard_events_total", result="limited") == 7
    assert value(metrics, "statusguard_reports_total", result="failed") == 1
    assert value(metrics, "statusguard_leader") == 1


@pytest.mark.parametrize("success", [True, False])
def test_a_reload_leaves_its_time_and_its_outcome(metrics: Metrics, *, success: bool) -> None:
    start = time.time()
    metrics.reload(success=success)
    stamp = value(metrics, "statusguard_last_reload_timestamp_seconds")
    assert stamp is not None
    assert start <= stamp <= time.time()
    assert value(metrics, "statusguard_last_reload_successful") == success


def test_decisions_fall_into_buckets_from_microseconds_to_seconds(metrics: Metrics) -> None:
    for seconds in (0.000_04, 0.3, 30.0):
        metrics.decision_seconds(seconds)
    buckets = {labels["le"]: count for labels, count in samples(metrics, "statusguard_decision_seconds_bucket")}
    assert [buckets[bound] for bound in ("2.5e-05", "5e-05", "0.25", "0.5", "2.0", "+Inf")] == [0, 1, 1, 2, 2, 3]


def test_only_rules_about_generations_have_a_distance(metrics: Metrics) -> None:
    metrics.declare_rules([KCP, ANYTHING])
    labels = [labels for labels, _ in samples(metrics, "statusguard_regression_generations_count")]
    assert labels == [{"rule": "kcp"}]


def test_regressions_fall_into_buckets_of_generations(metrics: Metrics) -> None:
    for generations in (1, 2, 400):
        metrics.regression("kcp", generations)
    found = samples(metrics, "statusguard_regression_generations_bucket")
    buckets = {labels["le"]: count for labels, count in found}
    assert [buckets[bound] for bound in ("1.0", "2.0", "100.0", "1000.0", "+Inf")] == [1, 2, 2, 3, 3]


def test_how_fresh_the_cluster_is_known_is_asked_for_at_each_scrape(metrics: Metrics) -> None:
    contact, synced = [0.0], [False]
    metrics.informer("statusrules", lambda: contact[0], lambda: synced[0])

    def fresh() -> tuple[float | None, float | None]:
        return (
            value(metrics, "statusguard_informer_last_contact_timestamp_seconds", resource="statusrules"),
            value(metrics, "statusguard_informer_synced", resource="statusrules"),
        )

    never, unsynced = fresh()
    assert never is not None
    assert math.isnan(never)
    assert unsynced == 0
    contact[0], synced[0] = 1767225600.0, True
    assert fresh() == (1767225600, 1)


def test_the_build_says_which_version_runs_on_what(metrics: Metrics) -> None:
    ((labels, _),) = samples(metrics, "statusguard_build_info")
    assert labels["python"] == platform.python_version()
    assert labels["version"]


def test_hostile_label_values_do_not_break_the_exposition(metrics: Metrics) -> None:
    metrics.declare_rules([RuleLabels('a"\n\\', "b\r", "c\u202e", "d} 1\n", "Deny")])
    ((labels, _),) = samples(metrics, "statusguard_violations_total")
    assert labels["rule"] == 'a"\n\\'


def test_the_end_of_a_certificate_is_asked_for_at_each_scrape(metrics: Metrics) -> None:
    name = "statusguard_certificate_expiry_timestamp_seconds"
    ends = iter([datetime(2026, 1, 1, tzinfo=UTC), None, datetime(2027, 1, 1, tzinfo=UTC)])
    metrics.certificate_expiry("serving", lambda: next(ends))
    assert value(metrics, name, certificate="serving") == 1767225600
    unknown = value(metrics, name, certificate="serving")
    assert unknown is not None
    assert math.isnan(unknown)
    assert value(metrics, name, certificate="serving") == 1798761600
