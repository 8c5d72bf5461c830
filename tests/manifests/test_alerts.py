"""The alerts: each has a reason, a runbook, and a test in which it fires and does not."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.docs.test_generated import program

from .build import MANIFESTS, ROOT, kustomized, needs_kubectl, the
from .monitoring import RULES, RUNBOOKS, Json, alerts, without_thresholds

UNIT_TESTS = Path(__file__).with_name("alerts.test.yaml")
SECTIONS = ["What it means", "What it does", "Look at", "Mend"]

PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="no promtool on PATH")

by_name = pytest.mark.parametrize("name", alerts())


def promtool(*words: str | Path) -> None:
    assert PROMTOOL is not None
    ran = subprocess.run([PROMTOOL, *words], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@needs_promtool
def test_promtool_takes_the_rules() -> None:
    promtool("check", "rules", "--lint=all", "--lint-fatal", RULES)


@needs_promtool
def test_each_fires_when_it_should_and_only_then() -> None:
    promtool("test", "rules", UNIT_TESTS)


def never(rule: Json) -> Json:
    return {**rule, "expr": f"({rule['expr']}) unless on () vector(1)"}


def without_threshold(rule: Json) -> Json:
    return {**rule, "expr": without_thresholds(rule["expr"])}


def at_once(rule: Json) -> Json:
    return {**rule, "for": "0s"}


SPOILT = [
    pytest.param(name, spoilt, id=f"{name} {spoilt.__name__}")
    for name, rule in alerts().items()
    for spoilt in (never, without_threshold, at_once)
    if "for" in rule or spoilt is not at_once
]


@needs_promtool
@pytest.mark.parametrize(("name", "spoilt"), SPOILT)
def test_the_tests_notice_one_that_is_spoilt(name: str, spoilt: Callable[[Json], Json], tmp_path: Path) -> None:
    tests = yaml.safe_load(UNIT_TESTS.read_text("utf-8"))
    # Only those that are about it, and the alerts that these are about: all of them take long.
    mine = [each for each in tests["tests"] if name in str(each["promql_expr_test"])]
    rules = [
        spoilt(rule) if rule["alert"] == name else rule for rule in alerts().values() if rule["alert"] in str(mine)
    ]
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}))
    (tmp_path / "test.yaml").write_text(yaml.safe_dump({**tests, "rule_files": ["rules.yaml"], "tests": mine}))
    with pytest.raises(AssertionError, match="FAILED"):
        promtool("test", "rules", tmp_path / "test.yaml")


@by_name
def test_each_says_how_bad_it_is_what_it_is_and_what_to_do(name: str) -> None:
    rule = alerts()[name]
    assert name.startswith("Statusguard")
    assert rule["labels"].keys() == {"severity"}
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert rule["annotations"].keys() == {"summary", "description", "runbook_url"}
    assert not rule["annotations"]["summary"].endswith(".")
    assert rule["annotations"]["description"].endswith(".")
    assert rule["annotations"]["runbook_url"] == f"docs/runbooks/{name}.md"


def test_every_threshold_has_its_reason() -> None:
    lines = RULES.read_text("utf-8").splitlines()
    first = [index for index, line in enumerate(lines) if line.startswith("  - alert:")]
    assert len(first) == len(alerts())
    assert [lines[index] for index in first if not lines[index - 1].startswith("  # ")] == []


def test_the_runbooks_are_those_of_the_alerts() -> None:
    assert {page.stem for page in RUNBOOKS.glob("*.md")} == {*alerts(), "README"}


@by_name
def test_a_runbook_says_what_it_means_and_how_to_mend_it(name: str) -> None:
    page = (RUNBOOKS / f"{name}.md").read_text("utf-8")
    assert page.startswith(f"# {name}\n")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == SECTIONS
    look, mend = page.split("## Look at", 1)[1].split("## Mend", 1)
    assert "```console\n$ " in look + mend


def test_the_index_names_each_with_its_severity() -> None:
    page = (RUNBOOKS / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\(\1\.md\) \| (\w+) \| [^|]+ \|$", page, re.MULTILINE)
    assert rows == [(name, rule["labels"]["severity"]) for name, rule in alerts().items()]


def test_the_prometheus_rule_is_made_of_the_rule_file() -> None:
    made = program("make_monitoring").prometheus_rule()
    assert (MANIFESTS / "components/alerts/prometheus-rule.yaml").read_text("utf-8") == made, "run `make docs`"


@needs_kubectl
def test_the_component_gives_the_operator_the_same_rules(tmp_path: Path) -> None:
    (tmp_path / "manifests").symlink_to(MANIFESTS)
    (tmp_path / "kustomization.yaml").write_text(
        "resources: [manifests/overlays/default]\ncomponents: [manifests/components/alerts]\n"
    )
    rule = the(kustomized(tmp_path), "PrometheusRule")
    assert rule["metadata"]["namespace"] == "statusguard"
    assert rule["spec"] == yaml.safe_load(RULES.read_text("utf-8"))


def test_every_log_line_that_a_runbook_looks_for_is_logged() -> None:
    sources = "".join(file.read_text("utf-8") for file in (ROOT / "webhook").rglob("*.py"))
    named = [
        (page.stem, line)
        for page in RUNBOOKS.glob("*.md")
        for line in re.findall(r"log\s+line\s+`([^`]+)`", page.read_text("utf-8"))
    ]
    assert len(named) > 5
    assert [(page, line) for page, line in named if f'"{line}' not in sources] == []


def test_the_threshold_is_taken_away_and_nothing_else() -> None:
    assert without_thresholds("min(x) - time() < 14 * 86400") == "min(x) - time()"
    assert without_thresholds("a > 20\nunless\na\n  < 5 * b / 96") == "a\nunless\na\n  < 5 * b / 96"
    assert without_thresholds("sum(x) == 0 and on () count(y) > 0") == "sum(x) and on () count(y)"
