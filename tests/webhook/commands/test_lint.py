from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import Ran, statusguard
from tests.widgets import rule

WARNED = """\
apiVersion: statusguard.dev/v1alpha1
kind: ClusterStatusRule
metadata: {name: everything}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: ["*"], apiVersions: ["*"], resources: ["*/status"]}
  invariants:
  - name: bounds
    relation: {holds: [status.ready <= status.replicas]}
"""


def test_a_good_rule_is_0(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(rule("r"))
    assert statusguard("lint", "--strict", file) == Ran(0, "1 rules, 0 errors, 0 warnings\n", "")


def test_every_mistake_of_every_file_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(rule("a").replace("Deny", "No") + "---\n" + rule("b").replace("generation", "G"))
    (tmp_path / "b.yaml").write_text("a: [")
    (tmp_path / "c.json").write_text('{"a": 1, "a": 2}')
    (tmp_path / "d.yaml").write_text("kind: Deployment\n")
    ran = statusguard("lint", tmp_path)
    assert (ran.code, ran.err) == (1, "")
    assert [line.removeprefix(f"{tmp_path}/") for line in ran.out.splitlines()] == [
        'a.yaml:8:23: error: validationActions[0] is "No", expected Deny or Warn or Audit [unexpected-value]',
        'a.yaml:22:11: error: name: "G" is no valid name: use lower case letters, digits, - and . [name]',
        "b.yaml:1:5: error: did not find expected node content [syntax]",
        "c.json:1:10: error: key 'a' is there twice in one mapping [syntax]",
        "0 rules, 4 errors, 0 warnings",
    ]


def test_two_rules_of_one_name_are_both_mistakes(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(rule("same"))
    ran = statusguard("lint", tmp_path)
    assert ran.code == 1
    assert ran.out.splitlines() == [
        f"{tmp_path}/a.yaml:3:18: error: two rules are named same; the other is at {tmp_path}/b.yaml:3:18 [duplicate-rule]",
        f"{tmp_path}/b.yaml:3:18: error: two rules are named same; the other is at {tmp_path}/a.yaml:3:18 [duplicate-rule]",
        "0 rules, 2 errors, 0 warnings",
    ]


def test_warnings_are_0_unless_strict(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(WARNED)
    warned = statusguard("lint", file)
    assert (warned.code, warned.err) == (0, "")
    first, *_, last = warned.out.splitlines()
    assert first.startswith(
        f"{file}:10:15: warning: a rule for every resource reads status.ready, which means something"
    )
    assert first.endswith(" [wildcard-reads-more]")
    assert last == "1 rules, 0 errors, 2 warnings"
    assert statusguard("lint", "--strict", file) == Ran(1, warned.out, "")


def test_a_rule_that_says_the_same_as_another_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(f"{rule('a')}---\n{rule('b', 'Audit')}")
    assert statusguard("lint", file) == Ran(
        0,
        f"{file}:15:18: warning: says the same as rule a: every violation is reported twice [same-rule]\n"
        "2 rules, 0 errors, 1 warnings\n",
        "",
    )


def test_json_has_the_same_in_its_parts(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(rule("r").replace("observedGeneration: {}", "frozen: {fields: [spec..a]}"))
    ran = statusguard("lint", "--output", "json", file)
    assert (ran.code, ran.err) == (1, "")
    (problem,) = json.loads(ran.out)
    assert problem == {
        "file": str(file),
        "line": 11,
        "column": 28,
        "severity": "error",
        "code": "field-path",
        "message": 'fields[0]: expected a name or "*" after the ".", found \'.\'',
    }


def test_what_a_rule_says_stays_on_its_line(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(rule("r").replace("{name: r}", r'{name: "a\e[2J\nb"}'))
    ran = statusguard("lint", file)
    assert ran.out.count("\n") == 2
    assert "\x1b" not in ran.out


@pytest.mark.parametrize("content", ["", "# nothing\n", "kind: Deployment\n"])
def test_nothing_to_lint_is_2(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.yaml").write_text(content)
    assert statusguard("lint", tmp_path) == Ran(2, "", f"no rule found in {tmp_path}\n")


def test_a_missing_file_is_2(tmp_path: Path) -> None:
    missing = tmp_path / "r.yaml"
    assert statusguard("lint", missing) == Ran(2, "", f"{missing}: No such file or directory\n")


def test_what_kubectl_reads_otherwise_is_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "rule.yaml"
    file.write_text(rule("widgets").replace("spec:\n", "spec:\n  prefilter: Off\n", 1))
    ran = statusguard("lint", file)
    assert ran.code == 0
    assert 'warning: kubectl reads Off as true or false: write it in quotes, "Off" [unquoted-boolean]' in ran.out
    file.write_text(rule("widgets").replace("spec:\n", 'spec:\n  prefilter: "Off"\n', 1))
    assert "unquoted-boolean" not in statusguard("lint", file).out
