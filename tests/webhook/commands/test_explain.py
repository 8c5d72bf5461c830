from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from tests.command import statusguard
from tests.golden import compare
from tests.widgets import rule

LIBRARY = Path(str(files("rules"))) / "library"
FILES = sorted(path for path in LIBRARY.rglob("*.yaml") if not path.name.endswith(".test.yaml"))

_GUARDED = """\
apiVersion: statusguard.dev/v1alpha1
kind: StatusRule
metadata: {name: backups, namespace: team}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [example.test], apiVersions: [v1], resources: [backups/status]}
  exemptions: {users: [statusguard-test]}
  validationActions: [Deny]
  invariants:
  - name: finished
    when: [{field: status.phase, operator: In, values: [Succeeded, Failed]}]
    require: {all: [{field: status.finishedAt, operator: Exists}]}
  - name: together
    coUpdate: {fields: [status.total, status.done], identity: [status.done <= status.total], digest: status.digest}
  - name: shape
    message: Sizes are whole numbers.
    cel: {expression: "!has(object.status.size) || object.status.size == int(object.status.size)"}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    (tmp_path / "widgets.yaml").write_text(rule("widgets"))
    (tmp_path / "backups.yaml").write_text(_GUARDED)
    return tmp_path


@pytest.mark.parametrize("name", ["widgets", "team/backups"])
def test_what_is_said_of_a_rule(rules: Path, name: str) -> None:
    ran = statusguard("explain", rules, "--rule", name)
    assert (ran.code, ran.err) == (0, "")
    compare(f"explain-{name.rpartition('/')[2]}.txt", ran.out)


def test_rules_are_told_apart(rules: Path) -> None:
    one, both = statusguard("explain", rules, "--rule", "widgets").out, statusguard("explain", rules).out
    assert both.endswith(f"\n\n{one}")


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_the_suite_of_a_library_file_passes(file: Path, tmp_path: Path) -> None:
    printed = statusguard("explain", file, "--output", "suite")
    assert (printed.code, printed.err) == (0, "")
    (tmp_path / "printed.yaml").write_text(printed.out)
    ran = statusguard("test", tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "No example" not in printed.out


def test_a_case_can_be_pasted_into_a_suite(rules: Path, tmp_path: Path) -> None:
    lines = statusguard("explain", rules / "widgets.yaml").out.splitlines()
    cases = "\n".join(lines[lines.index("") + 1 :]).partition("  - name")
    head = "apiVersion: statusguard.dev/v1alpha1\nkind: StatusRuleTest\nmetadata: {name: s}\nrules: [widgets.yaml]\ncases:\n"
    (rules / "s.yaml").write_text(head + cases[1] + cases[2])
    assert statusguard("test", rules / "s.yaml").out == "2 passed, 0 failed\n"


def test_json_holds_all_of_it(rules: Path) -> None:
    ran = statusguard("explain", rules, "--rule", "team/backups", "--output", "json")
    (told,) = json.loads(ran.out)
    assert (told["rule"], told["kind"]) == ("team/backups", "StatusRule")
    finished, together, shape = told["invariants"]
    assert finished["while"] == 'status.phase is "Succeeded" or "Failed"'
    assert finished["breaks"]["expect"]["code"] == 422
    assert together["breaksInAuditLog"]["source"] == "audit"
    assert shape["message"] == "Sizes are whole numbers."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rule", "widgts"], 'there is no rule widgts in RULES, did you mean "widgets"?\n'),
        (["--rule", "x\x1b"], "there is no rule x\\u001b in RULES\n"),
    ],
)
def test_a_rule_that_is_not_there(rules: Path, words: list[str], message: str) -> None:
    ran = statusguard("explain", rules, *words)
    assert (ran.code, ran.out, ran.err) == (2, "", message.replace("RULES", str(rules)))


def test_without_a_rule_there_is_nothing_to_say(tmp_path: Path) -> None:
    ran = statusguard("explain", tmp_path)
    assert (ran.code, ran.err) == (2, f"no rule found in {tmp_path}\n")


def test_a_broken_rule_is_told_as_by_lint(rules: Path) -> None:
    (rules / "widgets.yaml").write_text(rule("widgets").replace("observedGeneration", "observedGenerations"))
    ran = statusguard("explain", rules)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"{rules}/widgets.yaml:11:5: error: unknown field")


def test_several_mistakes_are_a_line_each(rules: Path) -> None:
    for name in ("a", "b"):
        (rules / f"{name}.yaml").write_text(rule(name).replace("observedGeneration", "observedGenerations"))
    ran = statusguard("explain", rules)
    assert ran.code == 2
    assert [line.partition(": ")[0] for line in ran.err.splitlines()] == [f"{rules}/{name}.yaml:11:5" for name in "ab"]


def test_the_prefilter_is_shown_instead(rules: Path) -> None:
    ran = statusguard("explain", rules, "--rule", "widgets", "--prefilter")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("widgets (ClusterStatusRule): prefilter ")
    whole = json.loads(statusguard("explain", rules, "--prefilter", "--output", "json").out)
    assert {each["rule"] for each in whole} == {"widgets", "team/backups"}
    assert all(each["mode"] in {"Full", "Partial", "Off"} for each in whole)


def test_the_prefilter_is_no_suite(rules: Path) -> None:
    ran = statusguard("explain", rules, "--prefilter", "--output", "suite")
    assert (ran.code, ran.out) == (2, "")
    assert "no test suite" in ran.err
