from __future__ import annotations

import pytest

from rules.documents import Document, parse
from rules.suite import Suite, SuiteError, is_rule, is_suite, load

RULE = """\
apiVersion: statusguard.dev/v1alpha1
kind: ClusterStatusRule
metadata: {name: NAME}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [g], apiVersions: [v1], resources: [xs/status]}]}
  invariants: [{name: i, frozen: {fields: [status.a]}}]
"""
INLINE = "- " + RULE.replace("\n", "\n  ").rstrip() + "\n"
SUITE = """\
apiVersion: statusguard.dev/v1alpha1
kind: StatusRuleTest
metadata: {name: s, labels: {any: thing}}
rules:
RULEScases:
CASES"""
CASE = "- {name: c, object: {kind: X}, expect: {allowed: true}}\n"


def loaded(rules: str = INLINE, cases: str = CASE, files: dict[str, str] | None = None) -> Suite:
    (document,) = parse(SUITE.replace("RULES", rules).replace("CASES", cases).encode(), "s.yaml")

    def read(name: str) -> list[Document]:
        return parse((files or {})[name].encode(), name)

    return load(document, read)


def mistakes(rules: str = INLINE, cases: str = CASE, files: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        loaded(rules, cases, files)
    return list(map(str, caught.value.problems))


def test_rules_in_line() -> None:
    suite = loaded(INLINE.replace("NAME", "a") + INLINE.replace("NAME", "b"))
    assert (suite.name, [rule.title for rule in suite.rules.rules]) == ("s", ["a", "b"])
    assert [case.name for case in suite.cases] == ["c"]


def test_rules_from_files_in_which_other_kinds_are_passed_over() -> None:
    file = f"kind: ConfigMap\n---\n{RULE.replace('NAME', 'a')}---\n{RULE.replace('NAME', 'b')}"
    suite = loaded("- r.yaml\n" + INLINE.replace("NAME", "c"), files={"r.yaml": file})
    assert [rule.title for rule in suite.rules.rules] == ["a", "b", "c"]


def test_a_file_without_a_rule() -> None:
    said = mistakes("- r.yaml\n", files={"r.yaml": "kind: ConfigMap"})
    assert said == ["s.yaml:5:3: error: there is no rule in this file [no-rule]"]


def test_a_bad_rule_has_its_place_in_the_suite() -> None:
    said = mistakes(INLINE.replace("NAME", "a").replace("status.a", "status..a"))
    assert said == ['s.yaml:10:53: error: fields[0]: expected a name or "*" after the ".", found \'.\' [field-path]']


def test_a_bad_rule_in_a_file_has_its_place_there() -> None:
    said = mistakes("- r.yaml\n", files={"r.yaml": RULE.replace("NAME", "a").replace("status.a", "status..a")})
    assert said == ['r.yaml:6:51: error: fields[0]: expected a name or "*" after the ".", found \'.\' [field-path]']


def test_two_rules_with_one_name() -> None:
    said = mistakes(INLINE.replace("NAME", "a") * 2)
    assert said == ["s.yaml:5:1: error: two rules are named a [duplicate-rule]"]


@pytest.mark.parametrize("rules", ["[]", "[3]", "r.yaml", "null"])
def test_rules_are_documents_or_names_of_files(rules: str) -> None:
    said = mistakes(f"  {rules}\n")
    assert all(line.startswith("s.yaml:5:") for line in said)


def test_a_suite_has_cases() -> None:
    assert mistakes(INLINE, "  []\n") == ["s.yaml:12:3: error: cases must have at least 1 entry [too-short]"]


@pytest.mark.parametrize(
    ("data", "rule", "suite"),
    [
        ({"kind": "ClusterStatusRule"}, True, False),
        ({"kind": "StatusRule", "spec": 3}, True, False),
        ({"kind": "StatusRuleTest"}, False, True),
        ({"kind": "ConfigMap"}, False, False),
        ({"kind": 3}, False, False),
        ([], False, False),
        (None, False, False),
    ],
)
def test_what_a_document_says_it_is(data: object, *, rule: bool, suite: bool) -> None:
    assert (is_rule(data), is_suite(data)) == (rule, suite)
