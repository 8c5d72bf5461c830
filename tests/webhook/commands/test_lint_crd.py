from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import Ran, statusguard
from tests.golden import DATA
from tests.widgets import rule

CRDS = DATA / "crds"

WRONG = """\
apiVersion: statusguard.dev/v1alpha1
kind: ClusterStatusRule
metadata: {name: wrong}
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [example.test]
      apiVersions: [v1, v2]
      resources: [widgets/status, gadget/status]
  invariants:
  - name: bounds
    when:
    - {field: "status.conditions[type=Ready].status", operator: In, values: ["True", "Yes"]}
    relation:
      holds:
      - status.readyReplicas <= status.replicsa
  - name: times
    monotonic:
      direction: NonDecreasing
      fields:
      - "status.conditions[typ].lastTransitionTime"
      - status.ready
  - name: expression
    cel: {expression: "oldObject.status.replicas <= object.status.relpicas"}
  - name: parents
    preserved: {fields: ["status.parents[name]"]}
"""

SAID = """\
8:25: warning: version v2 of widgets.example.test does not exist, served: v1, v1beta1 [unknown-version]
9:35: error: no resource "gadget" in example.test, did you mean "gadgets/status"? [unknown-resource]
13:87: warning: status.conditions[type=Ready].status is never "Yes" in widgets.example.test/v1, \
expected one of False, True, Unknown [unknown-value]
16:40: error: status has no field "replicsa" in widgets.example.test/v1, did you mean "replicas"? [unknown-path]
21:27: error: the items of status.conditions have no field "typ" in widgets.example.test/v1, did you mean "type"? [unknown-path]
22:9: error: status.ready is a boolean in widgets.example.test/v1, expected a number, a time or a quantity [wrong-type]
24:67: error: status has no field "relpicas" in widgets.example.test/v1, did you mean "replicas"? [unknown-path]
26:41: warning: the items of status.parents are told apart by name and namespace in widgets.example.test/v1, \
not by name: write [name,namespace], else items may be paired wrongly [list-keys]
"""


def test_paths_are_checked_against_the_schema(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(WRONG)
    ran = statusguard("lint", file, "--crd", CRDS)
    said = [line.removeprefix(f"{file}:") for line in ran.out.splitlines()]
    assert said == [*SAID.splitlines(), "1 rules, 5 errors, 3 warnings"]
    assert (ran.code, ran.err) == (1, "")
    assert statusguard("lint", file).code == 0


def test_json_has_the_same(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(WRONG)
    ran = statusguard("lint", "--output", "json", file, "--crd", CRDS / "widgets.yaml")
    lines = [
        "{line}:{column}: {severity}: {message} [{code}]".format(**problem)  # as the table has it
        for problem in json.loads(ran.out)
    ]
    assert lines == SAID.splitlines()


def test_a_rule_that_fits_is_0(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(rule("r"))
    ran = statusguard("lint", "--strict", file, "--crd", CRDS / "widgets.yaml", "--crd", CRDS)
    assert ran == Ran(0, "1 rules, 0 errors, 0 warnings\n", "")


def test_warnings_are_1_if_strict(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(rule("r").replace("apiVersions: [v1]", "apiVersions: [v1, v2]"))
    assert statusguard("lint", file, "--crd", CRDS).code == 0
    assert statusguard("lint", "--strict", file, "--crd", CRDS).code == 1


def test_resources_without_a_schema_are_counted(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(rule(name).replace("widgets/status", f"things/status, {name}s/status"))
    ran = statusguard("lint", tmp_path, "--crd", CRDS)
    assert ran.out.splitlines()[-2] == (
        "3 resources have no schema given: as.example.test, bs.example.test, things.example.test"
    )
    assert "no schema" not in statusguard("lint", tmp_path).out


@pytest.mark.parametrize("rules", ["", WRONG])
def test_a_crd_that_cannot_be_used_is_2(tmp_path: Path, rules: str) -> None:
    (tmp_path / "r.yaml").write_text(rules)
    bad = tmp_path / "crd.yaml"
    bad.write_text("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {groop: a}\n")
    ran = statusguard("lint", tmp_path / "r.yaml", "--crd", bad)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines() == [
        f"{bad}:3:7: error: {name} is missing [missing-field]" for name in ("group", "names", "scope", "versions")
    ]


def test_what_a_schema_calls_its_fields_stays_on_its_line(tmp_path: Path) -> None:
    crd = (
        (CRDS / "widgets.yaml").read_text().replace("replicas: {type: integer}", r'"replic\nas\e[2J": {type: integer}')
    )
    (tmp_path / "crd.yaml").write_text(crd)
    (tmp_path / "r.yaml").write_text(rule("r").replace("observedGeneration: {}", "frozen: {fields: [status.replicas]}"))
    ran = statusguard("lint", tmp_path / "r.yaml", "--crd", tmp_path / "crd.yaml")
    assert ran.out.count("\n") == 2
    assert "\x1b" not in ran.out
