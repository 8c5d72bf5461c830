"""The canary: a write that is known to be bad, judged each time somebody asks whether we are ready.

A server that answers "allowed" to everything looks healthy. This one says so.
"""

from __future__ import annotations

import json
from typing import Any, Final

from rules.api import API_VERSION
from rules.compile import compile_rule
from rules.ruleset import RuleSet, judge
from webhook.review import decode
from webhook.verdict import decide

_RULE: Final[dict[str, Any]] = {
    "apiVersion": API_VERSION,
    "kind": "ClusterStatusRule",
    "metadata": {"name": "canary"},
    "spec": {
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": ["canary.statusguard.dev"], "apiVersions": ["v1"], "resources": ["canaries/status"]}
            ]
        },
        "validationActions": ["Deny"],
        "invariants": [{"name": "generation", "observedGeneration": {}}],
    },
}


def _review(before: int, after: int) -> bytes:
    def side(observed: int) -> dict[str, Any]:
        return {"metadata": {"name": "canary", "generation": 2}, "status": {"observedGeneration": observed}}

    resource = {"group": "canary.statusguard.dev", "version": "v1", "resource": "canaries"}
    request = {"uid": "canary", "operation": "UPDATE", "resource": resource, "subResource": "status"}
    review = {**request, "oldObject": side(before), "object": side(after)}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": review}).encode()


class Canary:
    """Judges a bad and a good write from their bytes, as the server does, by a rule of its own."""

    def __init__(self) -> None:
        self._rules = RuleSet([compile_rule(_RULE)])
        self._bad, self._good = _review(2, 1), _review(1, 2)

    def problem(self) -> str | None:
        """Return what is wrong with our judgement, or None. Never raises."""
        try:
            if self._is_allowed(self._bad):
                return "the canary, a bad write, was allowed"
            return None if self._is_allowed(self._good) else "the canary's good write was refused"
        except Exception as error:  # noqa: BLE001  whatever is wrong, we are not ready
            return f"the canary could not be judged: {type(error).__name__}"

    def _is_allowed(self, body: bytes) -> bool:
        review = decode(body)
        write = review.write()
        return decide(judge(self._rules.concerned(review.request), write), write).allowed
