from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command import Ran, statusguard
from tests.golden import DATA
from tests.widgets import rule

KEPT = """\
apiVersion: statusguard.dev/v1alpha1
kind: ClusterStatusRule
metadata: {name: kept}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [example.test], apiVersions: [v1], resources: [widgets/status]}]
  invariants:
  - name: started
    preserved: {fields: [status.startedAt]}
"""
UNSAYABLE = KEPT.replace("kept", "managed").replace(
    "preserved: {fields: [status.startedAt]}", "coUpdate: {fields: [status.a, status.b], singleManager: true}"
)
ALWAYS = "the rule: no metric of its own, no Event, no report; who wrote the field last is not said"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "r.yaml"


def kinds(ran: Ran) -> list[Any]:
    return [document["kind"] for document in yaml.safe_load_all(ran.out)]


PAIR = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]


def test_each_rule_is_a_policy_and_a_binding_below_what_is_lost(file: Path) -> None:
    file.write_text(f"{KEPT}---\n{rule('r')}")
    ran = statusguard("export", "vap", file)
    assert ran.code == 0
    assert kinds(ran) == PAIR * 2
    assert ran.out.startswith(f"# From rule kept, by statusguard export vap.\n# lost: {ALWAYS}\napiVersion: ")
    assert f"rule kept: lost: {ALWAYS}\n" in ran.err
    commented = [line.removeprefix("# lost: ") for line in ran.out.splitlines() if line.startswith("# lost: ")]
    assert commented == [line.partition(": lost: ")[2] for line in ran.err.splitlines()]


def test_one_of_several_rules(file: Path) -> None:
    file.write_text(f"{KEPT}---\n{rule('r')}")
    assert statusguard("export", "vap", file, "--rule", "kept").out.count("\nkind: ") == 2
    ran = statusguard("export", "vap", file, "--rule", "kep")
    assert ran == Ran(2, "", f'there is no rule kep in {file}, did you mean "kept"?\n')


def test_json_is_a_list_that_kubectl_applies(file: Path) -> None:
    file.write_text(KEPT)
    found = json.loads(statusguard("export", "vap", file, "--output", "json").out)
    assert (found["apiVersion"], found["kind"]) == ("v1", "List")
    assert found["items"] == list(yaml.safe_load_all(statusguard("export", "vap", file).out))


def test_another_action(file: Path) -> None:
    file.write_text(KEPT)
    ran = statusguard("export", "vap", file, "--action", "Warn")
    assert list(yaml.safe_load_all(ran.out))[1]["spec"]["validationActions"] == ["Warn"]


def test_strict_takes_what_loses_nothing_of_its_own(file: Path) -> None:
    file.write_text(KEPT)
    assert kinds(statusguard("export", "vap", file, "--strict")) == PAIR


def test_strict_prints_nothing_of_what_loses_more() -> None:
    ran = statusguard("export", "vap", DATA / "every-kind.yaml", "--strict")
    assert (ran.code, ran.out) == (1, "")
    said = "statusguard export vap: rule every-kind: something of it is lost, and --strict allows nothing"
    assert ran.err.splitlines()[-1] == said
    assert "rule every-kind: lost: invariant group: left out: digest: CEL has no hash function" in ran.err


def test_a_rule_of_which_nothing_can_be_said_is_1(file: Path) -> None:
    file.write_text(f"{KEPT}---\n{UNSAYABLE}")
    ran = statusguard("export", "vap", file)
    assert (ran.code, ran.out) == (1, "")
    said = "rule managed: nothing of it can be said in a policy; use --rule to export others alone"
    assert ran.err.splitlines()[-1] == f"statusguard export vap: {said}"


def test_a_namespace_that_cannot_be_is_1(file: Path) -> None:
    namespace = "n" * 64
    file.write_text(KEPT.replace("Cluster", "").replace("name: kept", f"name: kept, namespace: {namespace}"))
    ran = statusguard("export", "vap", file)
    assert (ran.code, ran.out) == (1, "")
    said = f"rule {namespace}/kept: no namespace has a name of more than 63 characters"
    assert ran.err.splitlines()[-1] == f"statusguard export vap: {said}"


def test_two_rules_with_one_policy_are_an_error(file: Path) -> None:
    namespaced = KEPT.replace("ClusterStatusRule", "StatusRule").replace("{name: kept}", "{name: kept, namespace: a}")
    file.write_text(f"{namespaced}---\n{KEPT.replace('name: kept', 'name: a.kept')}")
    ran = statusguard("export", "vap", file)
    assert ran == Ran(2, "", "rules a/kept and a.kept would have one policy, a.kept: rename one of them\n")


def test_a_broken_rule_is_2_with_its_place(file: Path) -> None:
    file.write_text(KEPT.replace("preserved", "kept"))
    ran = statusguard("export", "vap", file)
    assert (ran.code, ran.out) == (2, "")
    assert f"{file}:" in ran.err


@pytest.mark.parametrize("words", [[], ["other"], ["vap"]])
def test_wrong_words_are_one_line(words: list[str]) -> None:
    ran = statusguard("export", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
