from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import Ran, statusguard
from tests.widgets import rule

SUITE = """\
apiVersion: statusguard.dev/v1alpha1
kind: StatusRuleTest
metadata: {name: widgets}
rules: [r.yaml]
cases:
- name: forward
  old: &old
    apiVersion: example.test/v1
    kind: Widget
    metadata: {name: w, generation: 5}
    status: {observedGeneration: 2}
  patch: {status: {observedGeneration: 3}}
  expect: {allowed: true, violations: []}
- name: back
  old: *old
  patch: {status: {observedGeneration: 1}}
  expect:
    allowed: false
    code: 409
    warnings: 0
    violations: [{rule: r, invariant: generation, field: status.observedGeneration}]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "r.yaml").write_text(rule("r"))
    file = tmp_path / "suite.yaml"
    file.write_text(SUITE)
    return file


def test_all_cases_that_pass_are_0(suite: Path) -> None:
    assert statusguard("test", suite) == Ran(0, "2 passed, 0 failed\n", "")


def test_a_folder_is_searched_and_what_is_no_suite_passed_over(suite: Path) -> None:
    folder = suite.parent / "below"
    folder.mkdir()
    (folder / "more.json").write_text(json.dumps({"kind": "ConfigMap"}))
    (folder / ".hidden.yaml").write_text("a: [")
    (folder / "notes.txt").write_text("a: [")
    (folder / "again.yml").write_text(SUITE.replace("[r.yaml]", "[../r.yaml]"))
    assert statusguard("test", suite.parent) == Ran(0, "4 passed, 0 failed\n", "")


def test_a_case_that_fails_is_1_with_its_place_and_every_difference(suite: Path) -> None:
    suite.write_text(SUITE.replace("{observedGeneration: 1}", "{observedGeneration: 2}"))
    assert statusguard("test", suite) == Ran(
        1,
        f"FAIL {suite}:14:3: widgets: back\n"
        "     allowed: expected false, got true\n"
        "     code: expected 409, got none\n"
        "     missing violation: {rule: r, invariant: generation, field: 'status.observedGeneration'}\n"
        "1 passed, 1 failed\n",
        "",
    )
    suite.write_text(SUITE.replace("[{rule: r, invariant: generation, field: status.observedGeneration}]", "[]"))
    assert statusguard("test", suite).out.splitlines()[1:] == [
        "     unexpected violation: {rule: r, invariant: generation, field: 'status.observedGeneration'}",
        "1 passed, 1 failed",
    ]


def test_json_has_every_case(suite: Path) -> None:
    suite.write_text(SUITE.replace("code: 409", "code: 422"))
    ran = statusguard("test", "--output", "json", suite)
    assert (ran.code, ran.err) == (1, "")
    assert json.loads(ran.out) == {
        "passed": 1,
        "failed": 1,
        "cases": [
            {"suite": "widgets", "case": "forward", "place": f"{suite}:6:3", "differences": []},
            {
                "suite": "widgets",
                "case": "back",
                "place": f"{suite}:14:3",
                "differences": ["code: expected 422, got 409"],
            },
        ],
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[r.yaml]", "[missing.yaml]"), "suite.yaml:4:8: FOLDER/missing.yaml: No such file or directory"),
        (("[r.yaml]", "[.]"), "suite.yaml:4:8: FOLDER: not a file"),
        (("[r.yaml]", r'["a\0b"]'), "suite.yaml:4:8: FOLDER/a\\u0000b: no file can have this name"),
        (("[r.yaml]", "[]"), "suite.yaml:4:8: error: rules must have at least 1 entry [too-short]"),
        (("code: 409", "code: many"), "suite.yaml:19:11: error: code must be an integer [int-type]"),
        (("allowed: false", "allow: false"), 'suite.yaml:18:5: error: unknown field "allow", did you mean "allowed"?'),
        (("cases:", "cases: {"), "suite.yaml:6:1: did not find expected node content"),
    ],
)
def test_a_suite_that_cannot_be_used_is_2_with_its_place(suite: Path, change: tuple[str, str], message: str) -> None:
    suite.write_text(SUITE.replace(*change))
    ran = statusguard("test", suite)
    assert (ran.code, ran.out) == (2, "0 passed, 0 failed\n")
    assert ran.err.replace(f"{suite.parent}/suite", "suite").replace(str(suite.parent), "FOLDER").startswith(message)


def test_a_broken_rule_file_is_2_with_its_place_and_the_other_suites_run(suite: Path) -> None:
    (suite.parent / "broken.yaml").write_text(rule("r").replace("invariants", "invariant"))
    (suite.parent / "other.yaml").write_text(SUITE.replace("r.yaml", "broken.yaml"))
    ran = statusguard("test", suite.parent)
    assert (ran.code, ran.out) == (2, "2 passed, 0 failed\n")
    assert ran.err.splitlines() == [
        f"{suite.parent}/broken.yaml:5:3: error: invariants is missing [missing-field]",
        f'{suite.parent}/broken.yaml:9:3: error: unknown field "invariant", did you mean "invariants"? [unknown-field]',
    ]


def test_names_from_a_suite_stay_on_their_line(suite: Path) -> None:
    suite.write_text(SUITE.replace("name: back", r'name: "ba\nck\u202e"').replace("code: 409", "code: 422"))
    ran = statusguard("test", suite)
    assert ran.out.splitlines()[0] == f"FAIL {suite}:14:3: widgets: ba\\u000ack\\u202e"


def test_no_suite_is_2(suite: Path) -> None:
    rules = suite.parent / "r.yaml"
    assert statusguard("test", rules) == Ran(2, "", f"no suite (kind: StatusRuleTest) found in {rules}\n")


def test_a_missing_path_is_2(tmp_path: Path) -> None:
    assert statusguard("test", tmp_path / "x") == Ran(2, "", f"{tmp_path}/x: No such file or directory\n")


def test_a_suite_of_a_misspelt_kind_is_not_passed_over(suite: Path) -> None:
    other = suite.with_name("other.yaml")
    other.write_text(SUITE.replace("StatusRuleTest", "StatusRuleTests"))
    ran = statusguard("test", suite.parent)
    assert (ran.code, ran.out) == (2, "2 passed, 0 failed\n")
    assert ran.err == (
        f'{other}:2:7: error: kind is "StatusRuleTests", expected ClusterStatusRule or StatusRule or StatusRuleTest, '
        'did you mean "StatusRuleTest"? [kind]\n'
    )


def test_a_case_that_no_rule_is_about(suite: Path) -> None:
    suite.write_text(SUITE.replace("kind: Widget", "kind: Gadget"))
    ran = statusguard("test", suite)
    assert ran.out.splitlines()[-2:] == [
        "     no rule of the suite is about UPDATE of gadgets/status of example.test/v1; see `request` of a case",
        "1 passed, 1 failed",
    ]
