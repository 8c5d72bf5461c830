"""Makes docs/native-policies-table.md, and the example in docs/native-policies.md: `make docs`. Tests compare both with it.

Nothing is said here of what is kept or lost: sample rules are put into the words of each target, and these say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rules.api import Rule
from rules.compile import compile_rule
from rules.invariants import KINDS
from rules.native.crd_validations import crd_validations
from rules.native.losses import Loss
from rules.native.prefilter import prefilter
from rules.native.vap import policy
from webhook.cli import main

TARGET = Path(__file__).with_name("native-policies-table.md")
EXAMPLE = Path(__file__).with_name("native-policies.md")

HEAD = """\
# What is kept, and what is lost

Made by `make docs` from the code that says the rules in CEL; do not edit. Sample rules are put into the words of each target,
and what it says is lost stands here: the same lines that `statusguard export` prints for a rule of yours.
[Rules as native policy](native-policies.md) says how to use it.

| target | what it is |
|---|---|
| webhook | Statusguard itself: the meaning of every rule |
| prefilter | what the API server asks before it calls the webhook |
| policy | `statusguard export vap`: a ValidatingAdmissionPolicy with its binding |
| CRD | `statusguard export crd-validations`: rules in the schema of the CustomResourceDefinition, where the schema is typed |

**kept** means the same for every write but for what the notes name, **part** that something is left out, and **-** that nothing
is left. Of the prefilter, **all** means that no write is sent that breaks nothing, but for odd values (nulls, other types than
are expected, long lists, times that move), which the webhook judges; **some** that more is sent, **none** that every write is.
"""

STATUS = {
    "replicas": {"type": "integer"},
    "ready": {"type": "integer"},
    "observedGeneration": {"type": "integer"},
    "phase": {"type": "string", "maxLength": 32},
    "reason": {"type": "string", "maxLength": 32},
    "digest": {"type": "string", "maxLength": 64},
    "stamp": {"type": "string", "maxLength": 64},
    "time": {"type": "string", "format": "date-time"},
    "quantity": {"type": "string", "maxLength": 32},
    "holds": {"type": "object", "maxProperties": 16, "additionalProperties": {"type": "integer"}},
    "versions": {
        "type": "array",
        "maxItems": 16,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string", "maxLength": 63}, "replicas": {"type": "integer"}},
        },
    },
    "conditions": {
        "type": "array",
        "maxItems": 16,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status"],
            "properties": {
                **{
                    name: {"type": "string", "maxLength": 63}
                    for name in ("type", "status", "reason", "severity", "message")
                },
                "lastTransitionTime": {"type": "string", "format": "date-time"},
                "observedGeneration": {"type": "integer"},
            },
        },
    },
}

SCHEMA = {"type": "object", "properties": {"status": {"type": "object", "properties": STATUS}}}

DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.example.test"},
    "spec": {
        "group": "example.test",
        "scope": "Namespaced",
        "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": SCHEMA},
                "subresources": {"status": {}},
            }
        ],
    },
}

GROUP = ["status.replicas", "status.ready"]
SAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "observedGeneration": {"": {}, "without `notAhead`": {"notAhead": False}},
    "coUpdate": {
        "`identity`": {"fields": GROUP[:1], "identity": ["status.replicas == status.ready"]},
        "`digest`": {"fields": GROUP[:1], "digest": "status.digest"},
        "`stamp`": {"fields": GROUP[:1], "stamp": "status.stamp"},
        "`singleManager`": {"fields": GROUP[:1], "singleManager": True},
        "`changeTogether`, of one field": {"fields": GROUP[:1], "changeTogether": True},
        "`patch`": {"fields": GROUP, "stamp": "status.stamp"},
    },
    "relation": {
        "of fields": {"holds": ["status.ready <= status.replicas"]},
        "with a sum over items": {"holds": ["status.replicas == sum(status.versions[*].replicas)"]},
        "with a sum over keyed items": {"holds": ["status.replicas == sum(status.versions[name].replicas)"]},
        "with a sum over a map": {"holds": ["status.replicas == sum(status.holds.*)"]},
    },
    "monotonic": {
        "a number": {"fields": ["status.replicas"], "direction": "NonDecreasing"},
        "a time": {"fields": ["status.time"], "direction": "NonDecreasing"},
        "a quantity": {"fields": ["status.quantity"], "direction": "NonIncreasing"},
        "of items": {"fields": ["status.versions[name].replicas"], "direction": "NonDecreasing"},
        "`ignoreValues`, a quantity": {
            "fields": ["status.quantity"],
            "direction": "NonDecreasing",
            "ignoreValues": ["1Ki"],
        },
    },
    "writeOnce": {"": {"fields": ["status.reason"]}, "of items": {"fields": ["status.conditions[type].reason"]}},
    "preserved": {
        "": {"fields": ["status.reason"]},
        "items": {"fields": ["status.conditions[type]"]},
        "entries of a map": {"fields": ["status.holds.*"]},
    },
    "transitions": {
        "": {"field": "status.phase", "allow": [{"from": ["A"], "to": ["B"]}], "initial": ["A"]},
        "of the item `[type=Ready]`": {"field": "status.conditions[type=Ready].status", "terminal": ["True"]},
    },
    "conditions": {"": {}, "`WithStatus`, `notBack`": {"lastTransitionTime": "WithStatus", "notBack": True}},
    "frozen": {"": {"fields": ["status.reason"]}, "an object": {"fields": ["status.holds"]}},
    "require": {
        "`In`": {"all": [{"field": "status.phase", "operator": "In", "values": ["A"]}]},
        "`Matches`": {"all": [{"field": "status.phase", "operator": "Matches", "values": ["[A-Z]+"]}]},
        "`Exists`": {"all": [{"field": "status.phase", "operator": "Exists"}]},
    },
    "cel": {
        "": {"expression": "!has(object.status.phase) || object.status.phase != 'A'"},
        "of the whole object": {"expression": "object != oldObject"},
    },
}
"""Of every kind, what may be said otherwise."""

KEPT = {"name": "kept", "preserved": {"fields": ["status.reason"]}}
GUARDS: dict[str, dict[str, Any]] = {
    "`when`, of the status": {"field": "status.phase", "operator": "In", "values": ["A"]},
    "`when`, of annotations": {"field": 'metadata.annotations["a"]', "operator": "Exists"},
}
RESOURCES = {"apiGroups": ["example.test"], "apiVersions": ["v1"], "resources": ["things/status"]}


def _matching(**constraints: Any) -> dict[str, Any]:
    return {"matchConstraints": {"resourceRules": [RESOURCES], **constraints}}


PLAIN: dict[str, Any] = {
    "validationActions": ["Deny"],
    "denial": {"code": 422, "reason": "Invalid"},
    "enforceWhileDeleting": True,
}
FEATURES: dict[str, dict[str, Any]] = {
    "a denial of 409 Conflict": {"denial": {"code": 409, "reason": "Conflict"}},
    "a denial of 403 Forbidden": {"denial": {"code": 403, "reason": "Forbidden"}},
    "the default denial": {"denial": None},
    "Warn": {"validationActions": ["Warn"]},
    "Audit": {"validationActions": ["Audit"]},
    "only reports while the object is being deleted": {"enforceWhileDeleting": False},
    "failurePolicy Fail": {"failurePolicy": "Fail"},
    "matchConditions": {"matchConditions": [{"name": "a", "expression": "request.userInfo.username != 'a'"}]},
    "exemptions": {"exemptions": {"users": ["a"], "groups": ["b"]}},
    "namespaceSelector": _matching(namespaceSelector={"matchLabels": {"a": "b"}}),
    "objectSelector": _matching(objectSelector={"matchLabels": {"a": "b"}}),
    "excludeResourceRules": _matching(excludeResourceRules=[{**RESOURCES, "resourceNames": ["a"]}]),
    "resourceNames": {"matchConstraints": {"resourceRules": [{**RESOURCES, "resourceNames": ["a"]}]}},
    "operations CREATE": {"matchConstraints": {"resourceRules": [{**RESOURCES, "operations": ["CREATE", "UPDATE"]}]}},
    "a StatusRule": {"kind": "StatusRule"},
}


def rule(invariant: dict[str, Any], **spec: Any) -> Rule:
    """Return a rule of one invariant."""
    kind = spec.pop("kind", "ClusterStatusRule")
    metadata = {"name": "r", **({"namespace": "n"} if kind == "StatusRule" else {})}
    body = {**PLAIN, **_matching(), **spec, "invariants": [invariant]}
    document = {"apiVersion": "statusguard.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": body}
    return compile_rule(document).source


@dataclass
class Notes:
    """The notes below the tables, numbered as they come."""

    known: dict[str, int] = field(default_factory=dict)

    def refer(self, notes: list[str]) -> str:
        """Return the numbers of notes."""
        numbers = sorted({self.known.setdefault(note, len(self.known) + 1) for note in notes})
        return "".join(f" [{number}](#notes)" for number in numbers)

    def lines(self) -> Iterator[str]:
        """Yield the notes."""
        for note, number in self.known.items():
            first = note.partition(" ")[0].rstrip(":")
            yield f"{number}. {note[0].upper() + note[1:] if first.islower() else note}."


def cells(source: Rule, notes: Notes, *, of_rule: bool = False) -> list[str]:
    """Return what the prefilter, the policy and the CRD keep of a rule; `of_rule`: as far as the rule itself tells."""
    always = _losses(rule(KEPT)) if of_rule else ([], [])
    by_policy, by_crd = _losses(source)
    said_by_policy, said_by_crd = policy(source).validations, crd_validations(source, DEFINITION).validations
    return [
        _prefiltered(source, notes),
        _cell(_concerning(by_policy, always[0], of_rule=of_rule), notes, is_said=bool(said_by_policy)),
        _cell(_concerning(by_crd, always[1], of_rule=of_rule), notes, is_said=bool(said_by_crd)),
    ]


def _losses(source: Rule) -> tuple[list[Loss], list[Loss]]:
    return list(policy(source).lost), list(crd_validations(source, DEFINITION).lost)


def _prefiltered(source: Rule, notes: Notes) -> str:
    found = prefilter(source.spec)
    words = {"Full": "all", "Partial": "some", "Off": "none"}
    reasons = [each.partition(": ")[2] if each.startswith("invariant ") else each for each in found.reason.split("; ")]
    return words[found.mode] + notes.refer([reason for reason in reasons if reason])


def _concerning(losses: list[Loss], always: list[Loss], *, of_rule: bool) -> list[Loss]:
    return [loss for loss in losses if loss not in always and bool(loss.invariant) is not of_rule]


def _cell(losses: list[Loss], notes: Notes, *, is_said: bool) -> str:
    word = "part" if any(loss.whole for loss in losses) else "kept"
    refers = notes.refer([f"left out: {loss.what}" if loss.whole else loss.what for loss in losses])
    return f"{word if is_said else '-'}{refers}"


def page() -> str:
    """Return the whole page."""
    notes = Notes()
    parts = [HEAD, "## Kinds\n", *_table("kind", _kinds(notes)), ""]
    parts += ["## What else a rule says\n", *_table("", _features(notes)), ""]
    always = _losses(rule(KEPT))
    parts += ["## What every rule loses\n", "| target | |", "|---|---|"]
    named = zip(("policy", "CRD"), always, strict=True)
    parts += [f"| {name} | {loss.what} |" for name, losses in named for loss in losses if not loss.invariant]
    return "\n".join([*parts, "", "## Notes\n", *notes.lines()]) + "\n"


def _table(heading: str, rows: Iterator[list[str]]) -> Iterator[str]:
    yield f"| {heading} | webhook | prefilter | policy | CRD |".replace("|  |", "| |")
    yield "|---|---|---|---|---|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _kinds(notes: Notes) -> Iterator[list[str]]:
    for kind in KINDS:
        for part, spec in SAMPLES[kind].items():
            label = f"[{kind}](kinds/{kind}.md){f' {part}' if part else ''}"
            # What a patch held only the audit log tells: that is not the webhook's to see either.
            webhook = "only in the audit log" if part == "`patch`" else "kept"
            yield [label, webhook, *cells(rule({"name": "i", kind: spec}), notes)]
    for label, predicate in GUARDS.items():
        yield [label, "kept", *cells(rule({**KEPT, "when": [predicate]}), notes)]


def _features(notes: Notes) -> Iterator[list[str]]:
    for label, spec in FEATURES.items():
        yield [label, "kept", *cells(rule(KEPT, **spec), notes, of_rule=True)]


def with_example(text: str) -> str:
    """Return the page with what the command prints, in its second block of YAML, for the rule in its first one."""
    rule_block, policy_block = re.finditer(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    with TemporaryDirectory() as folder:
        file = Path(folder, "widgets.yaml")
        file.write_text(rule_block.group(1), encoding="utf-8")
        out = StringIO()
        with redirect_stdout(out), redirect_stderr(StringIO()):
            assert main(["export", "vap", str(file)]) == 0
    return text[: policy_block.start(1)] + out.getvalue() + text[policy_block.end(1) :]


if __name__ == "__main__":
    EXAMPLE.write_text(with_example(EXAMPLE.read_text("utf-8")), encoding="utf-8")
    TARGET.write_text(page(), encoding="utf-8")
