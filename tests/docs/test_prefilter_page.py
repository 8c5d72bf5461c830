"""What the page about the prefilter says is what the program says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rules.compile import compile_rule
from rules.native.limits import MAX_MEMBERS, MAX_NESTED_TURNS, MAX_TEXT, MAX_TURNS, MAX_TWINS
from rules.native.prefilter import BUDGET, MAX_COST, MAX_SIZE, prefilter
from webhook.cli import main
from webhook.cluster.configurations import Filtering

PAGE = (Path(__file__).parents[2] / "docs/prefilter.md").read_text("utf-8")

RELATION = {"relation": {"holds": ["status.a <= status.b"]}}
GROUP = ["status.a", "status.b"]

PARTIAL = {
    "called whenever what its expression reads changes": {"cel": {"expression": "object.status.a > 1"}},
    "called whenever the group or its digest changes": {"coUpdate": {"fields": GROUP, "digest": "status.d"}},
}
OFF = {
    "who owns a field is not compared": {"coUpdate": {"fields": GROUP, "singleManager": True}},
    "it reads the whole object, which always changes": {"cel": {"expression": "object != oldObject"}},
    "looks for an item by a number": {"preserved": {"fields": ["status.steps[index=3].state"]}},
    "sums over items of items": {"relation": {"holds": ["sum(status.a[*].b[*].c) <= status.d"]}},
}
OF_THE_RULE: dict[str, dict[str, Any]] = {
    "matchConditions": {"matchConditions": [{"name": "c", "expression": "true"}]},
    "exemptions": {"exemptions": {"users": ["u"]}},
    "namespaceSelector": {"matchConstraints": {"namespaceSelector": {"matchLabels": {"a": "b"}}}},
    "objectSelector": {"matchConstraints": {"objectSelector": {"matchLabels": {"a": "b"}}}},
    "excludeResourceRules": {
        "matchConstraints": {
            "excludeResourceRules": [{"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["others/status"]}]
        }
    },
}


def mode_and_reason(invariant: dict[str, Any], spec: dict[str, Any] | None = None) -> tuple[str, str]:
    """Return what is said of a rule with one invariant, without the invariant's name."""
    more = dict(spec or {})
    named = {"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["things/status"], **more.pop("named", {})}
    rule = {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "ClusterStatusRule",
        "metadata": {"name": "r"},
        "spec": {
            "invariants": [{"name": "i", **invariant}],
            **more,
            "matchConstraints": {"resourceRules": [named], **more.pop("matchConstraints", {})},
        },
    }
    found = prefilter(compile_rule(rule).source.spec)
    return found.mode, found.reason.removeprefix("invariant i: ")


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize(("reason", "invariant"), PARTIAL.items())
def test_an_invariant_makes_a_rule_partial(reason: str, invariant: dict[str, Any]) -> None:
    assert mode_and_reason(invariant) == ("Partial", reason)
    assert f"`{reason}`" in section("What makes a rule Partial")


@pytest.mark.parametrize(("reason", "invariant"), OFF.items())
def test_an_invariant_turns_it_off(reason: str, invariant: dict[str, Any]) -> None:
    assert mode_and_reason(invariant) == ("Off", reason)
    assert f"| `{reason}` |" in section("What makes it Off")


@pytest.mark.parametrize(("field", "spec"), OF_THE_RULE.items())
def test_what_keeps_a_rule_from_judging_is_asked_by_the_webhook(field: str, spec: dict[str, Any]) -> None:
    assert mode_and_reason(RELATION, spec) == ("Partial", f"{field}: asked by the webhook")
    assert f"`{field}`" in section("What makes a rule Partial")


def test_names_of_objects_are_asked_by_the_webhook_too() -> None:
    found = mode_and_reason(RELATION, {"named": {"resourceNames": ["n"]}})
    assert found == ("Partial", "resourceNames: asked by the webhook")
    assert "`resourceNames`" in section("What makes a rule Partial")


@pytest.mark.parametrize("spec", [{"prefilter": "Off"}, {"named": {"operations": ["CREATE", "UPDATE"]}}])
def test_the_rule_itself_turns_it_off(spec: dict[str, Any]) -> None:
    mode, reason = mode_and_reason(RELATION, spec)
    assert mode == "Off"
    assert f"| `{reason}` |" in section("What makes it Off")


def test_the_numbers_are_those_of_the_code() -> None:
    assert f"{MAX_SIZE:,} characters and a cost of {MAX_COST:,}" in section("How rules share it").replace("\n", " ")
    assert f"({BUDGET:,})" in section("How rules share it")
    honest = section("What is called although it is honest").replace("\n ", "")
    assert f"more than {MAX_TURNS} items (in lists within lists: {MAX_NESTED_TURNS} each)" in honest
    assert f"more than {MAX_MEMBERS} members" in honest
    assert f"more than {MAX_TWINS} items" in honest
    assert f"longer than {MAX_TEXT} characters" in honest
    assert f"`{Filtering.WITHOUT_LISTS.value}`" in section("What makes a rule Partial")


def test_the_example_is_what_explain_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule, _ = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (said,) = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "widgets.yaml").write_text(rule, "utf-8")
    assert main(["explain", "--prefilter", str(tmp_path / "widgets.yaml")]) == 0
    assert capsys.readouterr().out == said
