"""The reviewer: the bytes of an AdmissionReview in, the bytes of its answer out. No I/O but the sinks, after the verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import structlog

from rules.compile import CompiledRule
from rules.ruleset import RuleSet, judge
from rules.violation import RuleVerdict
from rules.write import Request, Write
from webhook import response
from webhook.admission import Answer
from webhook.display import escape
from webhook.message import Wording
from webhook.observe.incident import IncidentSink, incidents
from webhook.observe.log import Throttle
from webhook.observe.metrics import Metrics, RuleLabels
from webhook.observe.metrics import Verdict as Outcome
from webhook.observe.regression import generations_back
from webhook.review import NotAReviewError, Review, decode
from webhook.verdict import Judged, Verdict, decide

NamespaceLabels: TypeAlias = Callable[[str], Mapping[str, str] | None]
"""Returns the labels of a namespace, None if they are not known."""

TEXT: Final = "text/plain"

RETIREMENT: Final = 60.0
"""Seconds that an entry is answered after no rule has it any more: longer than it takes until another replica leads."""

_logger = structlog.get_logger()


class RuleReviewer:
    """Judges reviews by a rule set, which can be exchanged whole while requests come in.

    Each of `sinks` is told of every violation, but not of those of a dry run; more may be added at any time.
    """

    def __init__(self, rules: RuleSet, wording: Wording, metrics: Metrics, sinks: Iterable[IncidentSink] = ()) -> None:
        self.rules = rules
        self.namespace_labels: NamespaceLabels | None = None
        self.sinks = list(sinks)
        self._entries: Mapping[str, RuleSet] = {}
        self._retired: dict[str, float] = {}
        self._wording = wording
        self._metrics = metrics
        self._failures = Throttle()

    def exchange(self, rules: RuleSet, entries: Mapping[str, RuleSet]) -> None:
        """Judge by other rules from now on, and by `entries` what the API server brings to one of them.

        Entries that are no more are kept for a while: the API server goes on calling them until the leader has written the
        configuration and it has seen that.
        """
        now = time.monotonic()
        for name in self._entries.keys() - entries.keys():
            self._retired.setdefault(name, now + RETIREMENT)
        kept = {name: until for name, until in self._retired.items() if now < until and name not in entries}
        self._entries = {**{name: self._entries[name] for name in kept}, **entries}
        self._retired = kept
        self.rules = rules

    def review(self, body: bytes, entry: str | None) -> Answer:
        """Answer one AdmissionReview; never raises for what is in it.

        `entry` is the configuration entry by which the API server came; there are none where rules come from files.
        """
        rules = self.rules if entry is None else self._entries.get(entry)
        if rules is None:
            self._metrics.decode_failure("path")
            return Answer(404, b"there is no such entry\n", TEXT)
        start = time.perf_counter()
        try:
            review = decode(body)
        except NotAReviewError as error:
            self._metrics.decode_failure(error.reason)
            return Answer(400, f"{escape(str(error))}\n".encode("utf-8", "replace"), TEXT)
        concerned = rules.concerned(review.request)
        if concerned:
            answer = self._judge(concerned, self._write(review, concerned))
        else:
            answer = response.allowed(review.request.uid)
            self._count(review.request, "allowed")
        encoded = response.encode(answer)
        self._metrics.decision_seconds(time.perf_counter() - start)
        return Answer(200, encoded)

    def _write(self, review: Review, concerned: Sequence[CompiledRule]) -> Write:
        write = review.write()
        if self.namespace_labels is None or not write.request.namespace:
            return write
        if not any(rule.may_ask_for_labels for rule in concerned):
            return write
        labels = self.namespace_labels(write.request.namespace)
        return replace(write, request=replace(write.request, namespace_labels=labels))

    def _judge(self, concerned: Sequence[CompiledRule], write: Write) -> dict[str, Any]:
        rule_verdicts = judge(concerned, write)
        verdict = decide(rule_verdicts, write)
        for rule_verdict in rule_verdicts:
            self._record(rule_verdict)
        if any(rule_verdict.unreadable for rule_verdict in rule_verdicts):
            self._metrics.decode_failure("bad_object")
        self._count(write.request, _outcome(verdict))
        if verdict.judged and not write.request.dry_run:
            for judged in verdict.judged:
                self._count_violation(judged, write.request)
            self._tell(verdict, write)
        return response.respond(verdict, write, self._wording)

    def _record(self, verdict: RuleVerdict) -> None:
        title = verdict.rule.title
        if verdict.exempt:
            self._metrics.exempted(title)
        if verdict.type_mismatches:
            self._metrics.type_mismatches(title, verdict.type_mismatches)
        if verdict.error is None:
            return
        self._metrics.judge_error(title)
        held_back = self._failures.admit(title)
        if held_back is not None:
            _logger.error(
                "a rule could not judge a write",
                rule=title,
                error=verdict.error,
                exc_info=verdict.defect,
                held_back=held_back,
            )

    def _count(self, request: Request, outcome: Outcome) -> None:
        self._metrics.request(request.resource.group, request.resource.resource, outcome, dry_run=request.dry_run)

    def _count_violation(self, judged: Judged, request: Request) -> None:
        violation = judged.violation
        self._metrics.violation(
            RuleLabels(
                violation.rule, violation.invariant, request.resource.group, request.resource.resource, judged.action
            )
        )
        self._metrics.writer_violation(request.username)
        if (generations := generations_back(violation)) is not None:
            self._metrics.regression(violation.rule, generations)

    def _tell(self, verdict: Verdict, write: Write) -> None:
        if not self.sinks:
            return
        for incident in incidents(verdict, write, self._wording):
            for sink in self.sinks:
                sink(incident)


def _outcome(verdict: Verdict) -> Outcome:
    if verdict.denied:
        return "denied"
    return "error" if verdict.errors else "allowed"
