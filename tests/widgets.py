"""A rule about widgets, and writes that keep and break it: what tests of files and commands are fed with."""

from __future__ import annotations

import json
from typing import Any

_RULE = """\
apiVersion: statusguard.dev/v1alpha1
kind: ClusterStatusRule
metadata: {name: NAME}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [example.test], apiVersions: [v1], resources: [widgets/status]}
  validationActions: [ACTION]
  invariants:
  - name: generation
    observedGeneration: {}
"""


def rule(name: str, action: str = "Deny") -> str:
    """Return the text of a rule: the observed generation of a widget does not go back."""
    return _RULE.replace("NAME", name).replace("ACTION", action)


def widget(observed: Any) -> dict[str, Any]:
    """Return a widget of generation 5 with this observed generation."""
    return {
        "apiVersion": "example.test/v1",
        "kind": "Widget",
        "metadata": {"name": "w", "namespace": "default", "generation": 5},
        "status": {"observedGeneration": observed},
    }


def review(old: Any, new: Any, **request: Any) -> bytes:
    """Return the AdmissionReview of a write that changes the observed generation of a widget."""
    members = {
        "uid": "u-1",
        "kind": {"group": "example.test", "version": "v1", "kind": "Widget"},
        "resource": {"group": "example.test", "version": "v1", "resource": "widgets"},
        "subResource": "status",
        "name": "w",
        "namespace": "default",
        "operation": "UPDATE",
        "userInfo": {"username": "controller"},
        "oldObject": widget(old),
        "object": widget(new),
        **request,
    }
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": members}).encode()
