"""Many rules at once as native policies and as prefilters of a webhook that nobody answers, and writes judged by both.

A kind has three versions: writes of one are asked of the policies, those of another of the webhook, those of the last of
nobody. A call of the webhook is an error of the write, a call that was spared is a success. All writes but those that
set the old object are dry runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from prometheus_client.parser import text_string_to_metric_families

from rules.native.vap import Policy

from .api import Answer, Api, Object, done
from .install import PATHS, apply
from .process import eventually
from .rules import CONFIGURATIONS

GROUP: Final = "native.example.test"
NAMESPACE: Final = "native"
LABEL: Final = "rule"
"""A label by which each object is judged by one rule alone."""

BY_POLICY: Final = "v1"
BY_WEBHOOK: Final = "v1beta1"
BY_NOBODY: Final = "v1alpha1"

LOOSE: Final = {"x-kubernetes-preserve-unknown-fields": True, "nullable": True}
PLURALS: Final[dict[str, Object]] = {"things": {"status": {}}, "wholes": {}}
"""The kinds and their subresources: of a whole the status is written with everything else."""

ERRORS: Final = "apiserver_admission_match_condition_evaluation_errors_total"
TURNS: Final = count(1)
"""What was deleted may be in force for a while yet: each turn has its own last policy and entry."""

NOBODY: Final = "https://127.0.0.1:1/validate"
"""Where nobody listens."""


def define(api: Api) -> None:
    """Define the kinds, whose spec and status may be anything at all, and wait until they are served."""
    apply(api, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    schema = {"type": "object", "properties": {"spec": LOOSE, "status": LOOSE}}
    for plural, subresources in PLURALS.items():
        kind = plural.removesuffix("s")
        names = {"plural": plural, "singular": kind, "kind": kind.title(), "listKind": f"{kind.title()}List"}
        version = {"served": True, "schema": {"openAPIV3Schema": schema}, "subresources": subresources}
        versions = [
            {"name": name, "storage": name == BY_NOBODY, **version} for name in (BY_POLICY, BY_WEBHOOK, BY_NOBODY)
        ]
        spec = {"group": GROUP, "scope": "Namespaced", "names": names, "versions": versions}
        metadata = {"name": f"{plural}.{GROUP}"}
        definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata}
        apply(api, definition | {"spec": spec})
    paths = [path(plural, version) for plural in PLURALS for version in (BY_POLICY, BY_WEBHOOK, BY_NOBODY)]
    eventually(lambda: all(map(api.exists, paths)))


def path(plural: str, version: str, *names: str) -> str:
    """Return the path of a kind, or below it."""
    return "/".join([f"/apis/{GROUP}/{version}/namespaces/{NAMESPACE}/{plural}", *names])


def constraints(plural: str, name: str) -> Object:
    """Return the matchConstraints of a rule for the objects that have its name as their label."""
    resource = f"{plural}/status" if PLURALS[plural] else plural
    matched = {"apiGroups": [GROUP], "apiVersions": [BY_POLICY], "resources": [resource]}
    return {"resourceRules": [matched], "objectSelector": {"matchLabels": {LABEL: name}}, "matchPolicy": "Exact"}


def hook(name: str, plural: str, expression: str | None) -> Object:
    """Return an entry for the objects of one rule, with or without a prefilter."""
    resource = f"{plural}/status" if PLURALS[plural] else plural
    rule = {"apiGroups": [GROUP], "apiVersions": [BY_WEBHOOK], "resources": [resource], "operations": ["UPDATE"]}
    conditions = [] if expression is None else [{"name": "suspect", "expression": expression}]
    return {
        "name": f"{name}.native.example.test",
        "clientConfig": {"url": NOBODY},
        "rules": [rule],
        "objectSelector": {"matchLabels": {LABEL: name}},
        "matchPolicy": "Exact",
        "matchConditions": conditions,
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "timeoutSeconds": 10,
        "admissionReviewVersions": ["v1"],
    }


@contextmanager
def applied(api: Api, policies: Sequence[Policy], hooks: Sequence[Object]) -> Iterator[None]:
    """Apply policies and entries, and go on when all of them are in force."""
    name = f"last-{next(TURNS)}"
    last = Thing("things", name, name)
    stored = api.create(path("things", BY_NOBODY), last.body(BY_NOBODY))
    paths = []
    documents = [document for policy in policies if policy.validations for document in policy.documents()]
    for document in [*documents, *_last_policy(name)]:
        apply(api, document)
        paths.append(f"{PATHS[document['kind']]}/{document['metadata']['name']}")
    configuration = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "native"},
        "webhooks": [*hooks, hook(name, "things", None)],
    }
    done(api.apply(f"{CONFIGURATIONS}/native", configuration))
    eventually(lambda: last.put(api, BY_POLICY, stored, dry=True).code == 422)
    eventually(lambda: was_called(last.put(api, BY_WEBHOOK, stored, dry=True)))
    try:
        yield
    finally:
        for each in [*paths, f"{CONFIGURATIONS}/native"]:
            api.delete(each)


def _last_policy(name: str) -> list[Object]:
    """Return a policy that refuses everything: it is in force when all those before it are."""
    matched = constraints("things", name)
    matched["resourceRules"] = [{**each, "operations": ["UPDATE"]} for each in matched["resourceRules"]]
    spec = {"matchConstraints": matched, "validations": [{"expression": "false"}]}
    version = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": name}}
    binding = {"policyName": name, "validationActions": ["Deny"]}
    return [
        {**version, "kind": "ValidatingAdmissionPolicy", "spec": spec},
        {**version, "kind": "ValidatingAdmissionPolicyBinding", "spec": binding},
    ]


@dataclass(frozen=True)
class Thing:
    """An object of one of the kinds, judged by one rule."""

    plural: str
    name: str
    rule: str

    def path(self, version: str, *below: str) -> str:
        return path(self.plural, version, self.name, *below)

    def body(self, version: str, **members: Any) -> Object:
        metadata = {"name": self.name, "namespace": NAMESPACE, "labels": {LABEL: self.rule}}
        kind = self.plural.removesuffix("s").title()
        return {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": metadata, **members}

    def put(self, api: Api, version: str, body: Object, *, dry: bool) -> Answer:
        """Write the status, or everything where there is no such subresource."""
        below = PLURALS[self.plural]
        body = {**body, "apiVersion": f"{GROUP}/{version}"}
        return api.call("PUT", self.path(version, *below), body, query={"dryRun": "All"} if dry else None)


def was_called(answer: Answer) -> bool:
    """Tell whether a write was brought to the webhook, by which nobody is reached."""
    assert answer.code in (200, 500), answer
    assert answer.code == 200 or "failed calling webhook" in answer.body["message"], answer
    return answer.code == 500


def evaluation_errors(api: Api) -> float:
    """Return how many match conditions could not be evaluated, so far."""
    answer = api.call("GET", "/metrics")
    assert answer.code == 200
    families = text_string_to_metric_families(answer.body)
    return sum(each.value for family in families for each in family.samples if each.name == ERRORS)


def is_whole(reads: Sequence[str]) -> bool:
    """Tell whether what is read can be changed by a write of everything alone."""
    return any(not read.startswith("status") and read != "metadata.generation" for read in reads)
