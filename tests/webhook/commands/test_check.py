from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import Ran, statusguard
from tests.widgets import rule, widget


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "rules.yaml").write_text(rule("r"))
    for observed in (1, 2, 3):
        (tmp_path / f"{observed}.json").write_text(json.dumps(widget(observed)))
    return tmp_path


def check(files: Path, *words: str | Path, old: str | None = "2.json", new: str = "1.json") -> Ran:
    before: list[str | Path] = [] if old is None else ["--old", files / old]
    return statusguard("check", "--rules", files / "rules.yaml", *before, "--object", files / new, *words)


def test_an_honest_write_is_0(files: Path) -> None:
    assert check(files, new="3.json") == Ran(0, "allowed, no violation\n", "")


def test_a_denied_write_is_1_and_says_what_happened_who_did_it_and_what_to_do(files: Path) -> None:
    ran = check(files, "--user", "system:serviceaccount:a:b", "--field-manager", "manager")
    assert (ran.code, ran.err) == (1, "")
    headings, row, sentence = ran.out.splitlines()
    assert headings.split("  ")[0] == "ACTION"
    assert row.split() == [
        "Deny",
        "r",
        "generation",
        "status.observedGeneration",
        "went",
        "back",
        "from",
        "2",
        "to",
        "1",
    ]
    assert sentence == (
        "denied with 409 Conflict: status.observedGeneration went back from 2 to 1 (rule r, invariant generation). "
        'Written by "system:serviceaccount:a:b" with field manager "manager"; who wrote the field last is unknown. '
        "The writer most likely worked from a stale copy: read the object again, recompute the status and write that; "
        "this is no field-manager conflict, do not force it."
    )


@pytest.mark.parametrize("action", ["Warn", "Audit"])
def test_with_another_action_a_broken_rule_is_0(files: Path, action: str) -> None:
    ran = check(files, "--action", action)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[1].startswith(action)
    assert ran.out.endswith("\nallowed\n")


def test_json(files: Path) -> None:
    ran = check(files, "--output", "json", "--action", "Warn")
    assert (ran.code, ran.err) == (0, "")
    (line,) = ran.out.splitlines()
    entry = {"rule": "r", "invariant": "generation", "field": "status.observedGeneration", "old": 2, "new": 1}
    assert json.loads(line) == {
        "allowed": True,
        "code": None,
        "reason": None,
        "message": None,
        "warnings": ["statusguard: r/generation: status.observedGeneration went back from 2 to 1"],
        "violations": [{**entry, "action": "Warn"}],
        "errors": [],
        "rules": 1,
    }


def test_json_of_a_denial(files: Path) -> None:
    denied = json.loads(check(files, "--output", "json").out)
    assert (denied["allowed"], denied["code"], denied["reason"]) == (False, 409, "Conflict")
    assert denied["message"].startswith("status.observedGeneration went back from 2 to 1 ")


def test_the_request_can_be_told(files: Path) -> None:
    text = (
        rule("r")
        .replace("widgets/status", "gadgets")
        .replace("  validation", "  exemptions: {groups: [g]}\n  validation")
    )
    (files / "rules.yaml").write_text(text)
    told = ["--resource", "gadgets", "--subresource", "", "--operation", "UPDATE"]
    assert check(files, *told).code == 1
    assert check(files, *told, "--group", "f", "--group", "g") == Ran(0, "allowed, no violation\n", "")


def test_a_write_that_no_rule_is_about_is_said(files: Path) -> None:
    ran = check(files, old=None)
    assert ran == Ran(
        0,
        "allowed, no violation\n",
        "no rule is about CREATE of widgets of example.test/v1; see --resource and --subresource\n",
    )
    assert check(files, "--subresource", "scale").err.startswith("no rule is about UPDATE of widgets/scale of ")


def test_a_sensitive_value_is_not_printed(files: Path) -> None:
    ran = check(files, "--sensitive-path", "status.observedGeneration")
    assert "went back from <hidden> to <hidden>" in ran.out


def test_a_sensitive_key_is_not_printed(files: Path) -> None:
    (files / "rules.yaml").write_text(rule("r").replace("observedGeneration: {}", "frozen: {fields: [status.of.*]}"))
    for name, secret in (("1.json", 1), ("2.json", 2)):
        (files / name).write_text(json.dumps({**widget(1), "status": {"of": {"secret": secret}}}))
    assert "status.of.secret" in check(files).out
    ran = check(files, "--sensitive-path", "status.of")
    assert ran.code == 1
    assert "secret" not in ran.out


def test_a_rule_that_could_not_judge_is_said(files: Path) -> None:
    selector = "    namespaceSelector: {matchLabels: {a: b}}\n"
    text = rule("r").replace("  validationActions", f"{selector}  validationActions")
    (files / "rules.yaml").write_text(text)
    why = "the labels of namespace default, for which namespaceSelector asks, are not known"
    said = f"rule r could not judge: {why}\n"
    assert check(files) == Ran(0, f"{said}allowed, no violation\n", "")
    (files / "rules.yaml").write_text(text.replace(selector, f"{selector}  failurePolicy: Fail\n"))
    ran = check(files)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith(
        f"{said}denied with 500 InternalError: statusguard could not judge this write by rule r: {why}."
    )


def test_a_user_that_is_no_text_is_no_traceback(files: Path) -> None:
    ran = check(files, "--user", "\udcff", "--field-manager", "\x1b")
    assert ran.code == 1
    assert 'Written by "\\udcff" with field manager "\\u001b"' in ran.out


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("o.yaml", "a: [", "o.yaml:1:5: did not find expected node content"),
        ("o.yaml", "a: 1\n---\nb: 1\n", "o.yaml: expected one Kubernetes object"),
        ("o.yaml", "", "o.yaml: expected one Kubernetes object"),
        ("o.json", "[]", "o.json: expected one Kubernetes object"),
        ("o.json", '{"a": NaN}', "o.json:1:7: 'NaN' is no number"),
    ],
)
def test_what_is_no_object_is_2_with_its_place(files: Path, name: str, content: str, message: str) -> None:
    (files / name).write_text(content)
    for ran in (check(files, new=name), check(files, old=name)):
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.removeprefix(f"{files}/").startswith(message)
        assert ran.err.count("\n") == 1


def test_a_missing_object_or_a_folder_is_2(files: Path) -> None:
    assert check(files, new="x.json") == Ran(2, "", f"{files}/x.json: No such file or directory\n")
    assert check(files, new=".") == Ran(2, "", f"{files}: not a file\n")


def test_broken_rules_are_2_with_their_places(files: Path) -> None:
    (files / "rules.yaml").write_text(rule("r").replace("observedGeneration:", "frozen:"))
    ran = check(files)
    assert ran == Ran(2, "", f"{files}/rules.yaml:11:13: error: fields is missing [missing-field]\n")
