"""Reviews of our own rules: `kubectl apply` of a broken rule shows what `statusguard lint` says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.compile import CompiledRule, compile_rule
from rules.lint import warnings
from rules.problem import InvalidRuleError, Problem, field, words
from rules.write import UndecodableError
from webhook import response
from webhook.admission import Answer, Reviewer
from webhook.display import cut, escape
from webhook.message import MAX_CAUSES, MAX_MESSAGE, MAX_WARNING
from webhook.observe.metrics import Metrics
from webhook.review import NotAReviewError, Review, decode

ENTRY: Final = "rules"
"""The last part of the path at which the API server brings us our own rules."""

MAX_CAUSE: Final = 512
"""Characters of a field, and of a message, in the causes of a refusal."""

MAX_WARNINGS: Final = 10
"""Warnings in one answer; kubectl prints each on a line."""


class RuleObjectReviewer:
    """Answers reviews of rules: refuses what does not compile, warns of what lint warns of."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def review(self, body: bytes, entry: str | None) -> Answer:  # noqa: ARG002
        """Answer one AdmissionReview of a rule; never raises for what is in it."""
        try:
            review = decode(body)
        except NotAReviewError as error:
            self._metrics.decode_failure(error.reason)
            return Answer(400, f"{escape(str(error))}\n".encode("utf-8", "replace"), "text/plain")
        return Answer(200, response.encode(_respond(review)))


class EntryReviewer:
    """Gives the reviews of our own rules to one reviewer, and all others to another."""

    def __init__(self, rules: Reviewer, writes: Reviewer) -> None:
        self._rules = rules
        self._writes = writes

    def review(self, body: bytes, entry: str | None) -> Answer:
        """Answer one AdmissionReview."""
        return (self._rules if entry == ENTRY else self._writes).review(body, entry)


def _respond(review: Review) -> dict[str, Any]:
    uid = review.request.uid
    try:
        if _leaves_the_spec(review):
            return response.allowed(uid)
        rule = compile_rule(_manifest(review))
    except UndecodableError as error:
        return response.denied(uid, 400, "BadRequest", cut(escape(str(error)), MAX_MESSAGE))
    except InvalidRuleError as error:
        return _refusal(review, error.problems)
    return _welcome(uid, rule)


def _leaves_the_spec(review: Review) -> bool:
    """Whether labels, finalizers and the like change only: a fault that was there before is not held against that."""
    write = review.write()
    return not write.creates and write.old["spec"] == write.new["spec"]


def _manifest(review: Review) -> Mapping[str, Any]:
    roots = review.write().new
    return {name: roots[name] for name in roots.names() or ["spec"]}


def _refusal(review: Review, problems: tuple[Problem, ...]) -> dict[str, Any]:
    said = [escape(words(problem)) for problem in problems]
    causes = [
        {
            "reason": "FieldValueInvalid",
            "field": cut(escape(field(problem.location)), MAX_CAUSE),
            "message": cut(escape(problem.message), MAX_CAUSE),
        }
        for problem in problems[:MAX_CAUSES]
    ]
    request = review.request
    details = {"name": request.name, "group": request.resource.group, "kind": request.kind, "causes": causes}
    return response.denied(request.uid, 422, "Invalid", cut("; ".join(said), MAX_MESSAGE), details)


def _welcome(uid: str, rule: CompiledRule) -> dict[str, Any]:
    answer = response.allowed(uid)
    said = [cut(escape(f"statusguard: {words(problem)}"), 2 * MAX_WARNING) for problem in warnings(rule)]
    if said:
        answer["warnings"] = said[:MAX_WARNINGS]
    return answer
