from __future__ import annotations

from pathlib import Path

import pytest

from tests.widgets import rule
from webhook.errors import InputError
from webhook.rule_loading import load, load_good, load_named


def test_rules_come_with_their_documents(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{rule('a')}---\nkind: ConfigMap\n---\n{rule('b')}")
    loaded = load([tmp_path])
    assert loaded.problems == ()
    assert [(each.title, str(document.place(()))) for each, document in loaded.rules] == [
        ("a", f"{tmp_path}/a.yaml:1:1"),
        ("b", f"{tmp_path}/a.yaml:15:1"),
    ]


def test_an_action_replaces_that_of_every_rule(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{rule('a')}---\n{rule('b', 'Audit')}")
    assert [each.source.spec.action for each in load_good([tmp_path])] == ["Deny", "Audit"]
    assert [each.source.spec.action for each in load_good([tmp_path], "Warn")] == ["Warn", "Warn"]


@pytest.mark.parametrize(("name", "titles"), [(None, ["a", "b"]), ("b", ["b"])])
def test_the_rule_of_a_name_comes_with_its_document(tmp_path: Path, name: str | None, titles: list[str]) -> None:
    (tmp_path / "a.yaml").write_text(f"{rule('a')}---\n{rule('b')}")
    found = load_named([tmp_path], name)
    assert [(each.title, document.data["metadata"]["name"]) for each, document in found] == [(t, t) for t in titles]


def test_every_problem_is_a_line_in_the_order_of_places(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(rule("a").replace("Deny", "No").replace("name: generation", "nam: generation"))
    (tmp_path / "b.yaml").write_text("{")
    with pytest.raises(InputError) as caught:
        load_good([tmp_path])
    assert [line.split(": ")[0].removeprefix(f"{tmp_path}/") for line in str(caught.value).splitlines()] == [
        "a.yaml:8:23",
        "a.yaml:10:5",
        "a.yaml:10:5",
        "b.yaml:1:2",
    ]


def test_no_rule_at_all(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(InputError, match=f"^no rule found in {tmp_path}, {other}$"):
        load_good([tmp_path, other])


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path}/x: No such file or directory$"):
        load([tmp_path, tmp_path / "x"])


def test_a_path_through_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(rule("a"))
    with pytest.raises(InputError, match=r"a\.yaml/x: Not a directory$"):
        load([tmp_path / "a.yaml" / "x"])
