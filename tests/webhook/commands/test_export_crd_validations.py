from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules.native.crd_validations import KEY
from tests.command import Ran, statusguard
from tests.golden import compare
from tests.rules.native.machines import CRD, RULE, data

OTHER = RULE.replace("machines", "gadgets")


@pytest.fixture
def crd(tmp_path: Path) -> Path:
    path = tmp_path / "machines.crd.yaml"
    path.write_text(CRD)
    return path


@pytest.fixture
def rule(tmp_path: Path) -> Path:
    path = tmp_path / "machines.yaml"
    path.write_text(RULE)
    return path


def export(*words: str | Path) -> Ran:
    return statusguard("export", "crd-validations", *words)


def test_the_crd_is_printed_with_the_rule_and_what_is_lost(crd: Path, rule: Path) -> None:
    ran = export(rule, "--crd", crd)
    assert ran.code == 0
    compare("crd-validations.yaml", ran.out)
    header = [line.removeprefix("# ") for line in ran.out.splitlines() if line.startswith("# ")]
    assert header[0] == "From rule machines, by statusguard export crd-validations."
    assert ran.err.splitlines() == [f"rule machines: {line}" for line in header[1:]]
    assert any("left out: reads metadata.annotations" in line for line in header)


def test_what_is_printed_is_a_crd_again(crd: Path, rule: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.yaml"
    again.write_text(export(rule, "--crd", crd).out)
    assert export(rule, "--crd", again).out == again.read_text()


def test_json(crd: Path, rule: Path) -> None:
    ran = export(rule, "--crd", crd, "--output", "json")
    (line,) = ran.out.splitlines()
    written = json.loads(line)
    status = written["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    assert status[KEY]
    assert written == data(export(rule, "--crd", crd).out)


def test_strict_prints_nothing(crd: Path, rule: Path) -> None:
    ran = export(rule, "--crd", crd, "--strict")
    assert (ran.code, ran.out) == (1, "")
    assert "rule machines: something of it is lost, and --strict allows nothing" in ran.err


def test_strict_prints_what_is_whole(crd: Path, tmp_path: Path) -> None:
    document = data(RULE)
    document["spec"] |= {"denial": {"code": 422, "reason": "Invalid"}, "enforceWhileDeleting": True}
    document["spec"]["invariants"] = [{"name": "address", "writeOnce": {"fields": ["status.address"]}}]
    path = tmp_path / "whole.json"
    path.write_text(json.dumps(document))
    assert export(path, "--crd", crd, "--strict").code == 0


def test_rules_about_other_resources_are_passed_over(crd: Path, rule: Path, tmp_path: Path) -> None:
    (tmp_path / "others.yaml").write_text(OTHER)
    assert export(rule, tmp_path / "others.yaml", "--crd", crd).out == export(rule, "--crd", crd).out


def test_but_one_must_be_about_it(crd: Path, tmp_path: Path) -> None:
    path = tmp_path / "others.yaml"
    path.write_text(OTHER)
    ran = export(path, "--crd", crd)
    assert (ran.code, ran.out) == (2, "")
    said = "rule gadgets is about gadgets/status.example.test v1, not about machines.example.test v1, v1beta1"
    assert ran.err == f"{said} (no status subresource)\n"


def test_nothing_can_be_said(crd: Path, tmp_path: Path) -> None:
    document = data(RULE)
    document["spec"]["invariants"] = [{"name": "a", "cel": {"expression": "object.status.replicas > 1"}}]
    path = tmp_path / "cel.json"
    path.write_text(json.dumps(document))
    ran = export(path, "--crd", crd)
    assert (ran.code, ran.out) == (1, "")
    assert "rule machines: nothing of it can be said in a schema" in ran.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("kind: Pod\n", "expected one CustomResourceDefinition, found none"),
        (f"{CRD}---\n{CRD}", "expected one CustomResourceDefinition, found 2"),
        ("kind: CustomResourceDefinition\nspec: {group: 3}\n", "2:15: "),
        ("a: [", "1:5: "),
    ],
)
def test_what_is_no_crd(content: str, said: str, rule: Path, tmp_path: Path) -> None:
    path = tmp_path / "crd.yaml"
    path.write_text(content)
    ran = export(rule, "--crd", path)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert all(str(path) in line for line in ran.err.splitlines())


def test_a_file_that_is_not_there(rule: Path, tmp_path: Path) -> None:
    ran = export(rule, "--crd", tmp_path / "none.yaml")
    assert (ran.code, ran.err) == (2, f"{tmp_path / 'none.yaml'}: No such file or directory\n")
