"""The Prometheus metrics. Their names and labels are fixed: dashboards and alerts depend on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from rules.invariants.observed_generation import ObservedGeneration
from webhook.observe.children import Children
from webhook.observe.process_metrics import ProcessMetrics
from webhook.observe.writer_counts import OTHER, WriterCounts

CONTENT_TYPE = prometheus_client.CONTENT_TYPE_PLAIN_0_0_4

FailureReason = Literal[
    "bad_object",
    "content_encoding",
    "content_type",
    "disconnected",
    "empty",
    "handshake",
    "internal",
    "malformed_http",
    "method",
    "not_a_review",
    "not_json",
    "overloaded",
    "path",
    "timeout",
    "too_large",
]
"""Why an input was not judged.

The server's: `handshake` (no TLS, or a peer that does not trust our certificate), `malformed_http`, `path`, `method`,
`content_type`, `content_encoding`, `too_large`, `timeout`, `disconnected` (the peer left before its request was
complete), `overloaded` (a bound of `webhook.limits` was reached), `internal` (our bug). The reviewer's: `empty`,
`not_json`, `not_a_review`, and `bad_object` (a review was understood, but an object in it that a rule reads was not).
"""

Verdict = Literal["allowed", "denied", "error"]
"""What became of a request. A warning does not make another verdict: the write was allowed, and
`statusguard_violations_total` says by its action that somebody was warned. `error` means that judging failed and the
failurePolicy decided."""

DECISION_BUCKETS = (
    *(0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005),
    *(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0),
)
"""Seconds: from the ten microseconds of a write that no rule matches to the two seconds after which the API
server gives up (`timeoutSeconds` in the configuration that we write)."""

REGRESSION_BUCKETS = (1, 2, 3, 5, 10, 25, 100, 1_000)
"""Generations: a cache that lags is one or two behind, a backup that was restored some hundred."""

REGRESSING = ObservedGeneration.name
"""The kind of invariant of which it is measured how far a value went back."""

ANY = "*"


@dataclass(frozen=True, slots=True)
class RuleLabels:
    """One series of violations that a served rule can raise.

    `resource` is the plural without subresource; `group` and `resource` may be `*`, as in the rule. `action` is what is
    done about a violation: Deny, Warn or Audit. `kind` is the invariant's, and no label.
    """

    rule: str
    invariant: str
    group: str
    resource: str
    action: str
    kind: str = ""

    def covers(self, group: str, resource: str) -> bool:
        """Tell whether the rule, wildcards and all, is about this resource."""
        return self.group in (ANY, group) and self.resource in (ANY, resource)


class Metrics(ProcessMetrics):
    """All metrics of one process, in a registry of their own: here those about what is judged.

    Every series that can be there is there from the start with value 0: `rate()` and alerts see the first event.
    """

    def __init__(self) -> None:
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()
        super().__init__(registry)

        def counter(name: str, description: str, *labels: str) -> Children[Counter]:
            return Children(Counter(f"statusguard_{name}", description, labels, registry=registry))

        self._requests = counter(
            "requests",
            "Admission requests that were judged; a write that is tried again is counted again.",
            *("group", "resource", "verdict", "dry_run"),
        )
        self._violations = counter(
            "violations",
            "Broken invariants; a write that is tried again is counted again.",
            *("rule", "invariant", "group", "resource", "action"),
        )
        self._failures = counter("decode_failures", "Inputs that were not judged.", "reason")
        self._judge_errors = counter("judge_errors", "Errors of ours while judging.", "rule")
        self._exemptions = counter("exemptions", "Writes not judged because the rule exempts their writer.", "rule")
        self._mismatches = counter(
            "type_mismatches", "Values of another type than the rule needs; they were read as absent.", "rule"
        )
        self._decisions = Histogram(
            "statusguard_decision_seconds",
            "Time from a complete request body to its answer.",
            buckets=DECISION_BUCKETS,
            registry=registry,
        )
        self._regressions = Children(
            Histogram(
                "statusguard_regression_generations",
                "How many generations an observedGeneration went back.",
                ("rule",),
                buckets=REGRESSION_BUCKETS,
                registry=registry,
            )
        )
        self._writers = WriterCounts(registry)
        self._failures.keep({(reason,) for reason in get_args(FailureReason)})
        self._resources: frozenset[tuple[str, str]] = frozenset()
        self.declare_rules(())

    def declare_rules(self, labels: Iterable[RuleLabels]) -> None:
        """Make the series of the served rules, and drop those of rules that are served no more.

        Name every combination that can happen, Audit too where a violation can be downgraded to it. Series of
        rules that are gone are dropped although Prometheus would not mind keeping them: whoever may create rules
        could otherwise grow our memory by creating and deleting them. `rate()` takes a series that comes back for
        a counter that was reset.
        """
        labels = tuple(labels)
        self._resources = frozenset((each.group, each.resource) for each in labels)
        shown = {self._shown(*pair) for pair in self._resources} | {(OTHER, OTHER)}
        self._requests.keep(
            {
                (*pair, verdict, dry_run)
                for pair in shown
                for verdict in get_args(Verdict)
                for dry_run in ("false", "true")
            }
        )
        self._violations.keep(
            {
                (each.rule, each.invariant, *pair, each.action)
                for each in labels
                for pair in shown
                if pair == self._shown(each.group, each.resource) or each.covers(*pair)
            }
        )
        names = {(each.rule,) for each in labels}
        for counter in (self._judge_errors, self._mismatches, self._exemptions):
            counter.keep(names)
        self._regressions.keep({(each.rule,) for each in labels if each.kind == REGRESSING})

    def request(self, group: str, resource: str, verdict: Verdict, *, dry_run: bool) -> None:
        """Count a request that was judged."""
        group, resource = self._shown(group, resource)
        self._requests.child(group, resource, verdict, "true" if dry_run else "false").inc()

    def violation(self, labels: RuleLabels) -> None:
        """Count a violation; `group` and `resource` are those of the request."""
        group, resource = self._shown(labels.group, labels.resource)
        self._violations.child(labels.rule, labels.invariant, group, resource, labels.action).inc()

    def writer_violation(self, writer: str) -> None:
        """Count a violation by the user name of its writer."""
        self._writers.count(writer)

    def regression(self, rule: str, generations: float) -> None:
        """Observe by how many generations a write went back."""
        self._regressions.child(rule).observe(generations)

    def decode_failure(self, reason: FailureReason) -> None:
        """Count an input that was not judged."""
        self._failures.child(reason).inc()

    def judge_error(self, rule: str) -> None:
        """Count an error of ours while judging by `rule`."""
        self._judge_errors.child(rule).inc()

    def type_mismatches(self, rule: str, count: int) -> None:
        """Count values that were read as absent because of their type."""
        self._mismatches.child(rule).inc(count)

    def exempted(self, rule: str) -> None:
        """Count a write that `rule` did not judge because it exempts the writer."""
        self._exemptions.child(rule).inc()

    def decision_seconds(self, seconds: float) -> None:
        """Observe how long one request took."""
        self._decisions.observe(seconds)

    def exposition(self) -> bytes:
        """Return all metrics in Prometheus' text format, whose media type is `CONTENT_TYPE`. Safe from any thread."""
        return generate_latest(self._registry)

    def _shown(self, group: str, resource: str) -> tuple[str, str]:
        """Return the labels of a request: anybody who reaches us can invent groups and resources."""
        if ANY not in (group, resource) and (group, resource) in self._resources:
            return group, resource
        if group != ANY and (group, ANY) in self._resources:
            return group, OTHER
        return OTHER, OTHER
