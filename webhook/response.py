"""AdmissionReview responses: a verdict as the API server wants it.

The constructors are those of controller-runtime: allowed, denied, errored. Every one of them carries the request's UID.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from rules.write import Write
from webhook.message import Wording
from webhook.review import API_VERSION
from webhook.verdict import Verdict

ANNOTATION: Final = "violations"
"""The key of our audit annotation; the API server puts the webhook's name before it."""

_encoder: Final = msgspec.json.Encoder()


def allowed(uid: str) -> dict[str, Any]:
    """Return a response that lets a write pass without a word."""
    return {"uid": uid, "allowed": True}


def denied(uid: str, code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a response that refuses a write."""
    status: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Status",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    if details:
        status["details"] = details
    return {"uid": uid, "allowed": False, "status": status}


def respond(verdict: Verdict, write: Write, wording: Wording) -> dict[str, Any]:
    """Return the response for a verdict: code, message, causes, warnings and the audit annotation."""
    uid = write.request.uid
    if verdict.code_and_reason is None:
        response = allowed(uid)
    elif verdict.denied:
        violations = verdict.denied
        request = write.request
        details = {
            "name": request.name,
            "group": request.resource.group,
            "kind": request.kind,
            "causes": wording.causes(violations, write),
        }
        response = denied(uid, *verdict.code_and_reason, wording.denial(violations, write), details)
    else:
        response = denied(uid, *verdict.code_and_reason, wording.failure(verdict.errors))
    warnings = [wording.warning(rule, violations) for rule, violations in verdict.warned_rules().items()]
    warnings += [wording.failure_warning(error) for error in verdict.errors if not error.refuses]
    if warnings:
        response["warnings"] = warnings
    if verdict.judged:
        response["auditAnnotations"] = {ANNOTATION: wording.annotation(verdict.judged)}
    return response


def encode(response: dict[str, Any]) -> bytes:
    """Return the AdmissionReview that carries a response, as compact JSON."""
    return _encoder.encode({"apiVersion": API_VERSION, "kind": "AdmissionReview", "response": response})
