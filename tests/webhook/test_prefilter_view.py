from __future__ import annotations

from typing import Any

from rules.compile import CompiledRule, compile_rule
from webhook.prefilter_view import as_json, as_text


def rule(**spec: Any) -> CompiledRule:
    match = {"apiGroups": ["example.test"], "apiVersions": ["v1"], "resources": ["widgets/status"]}
    invariants = [{"name": "g", "observedGeneration": {"fields": ["status.observedGeneration"]}}]
    return compile_rule(
        {
            "apiVersion": "statusguard.dev/v1alpha1",
            "kind": "ClusterStatusRule",
            "metadata": {"name": "widgets"},
            "spec": {"matchConstraints": {"resourceRules": [match]}, "invariants": invariants, **spec},
        }
    )


def test_a_person_reads_what_the_api_server_asks() -> None:
    heading, meaning, size, blank, *expression = as_text(rule())
    assert heading == "widgets (ClusterStatusRule): prefilter Full"
    assert meaning == "The API server calls the webhook only for writes that may break the rule."
    assert size.startswith("True of a suspect (")
    assert blank == ""
    assert all(line.startswith("  ") for line in expression)


def test_and_why_there_is_none() -> None:
    assert list(as_text(rule(prefilter="Off"))) == [
        "widgets (ClusterStatusRule): prefilter Off",
        "The API server calls the webhook for every write.",
        "Why: the rule says so.",
    ]


def test_a_program_reads_the_same() -> None:
    found = as_json(rule())
    assert found["mode"] == "Full"
    assert found["size"] == len(found["expression"])
    assert found["cost"] > 0
    assert as_json(rule(prefilter="Off")) == {
        "rule": "widgets",
        "kind": "ClusterStatusRule",
        "mode": "Off",
        "reason": "the rule says so",
        "expression": None,
        "size": None,
        "cost": None,
    }
