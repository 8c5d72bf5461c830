"""The page of a real server, by rules from files."""

from __future__ import annotations

from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.command import PATIENCE
from tests.webhook.running import eventually
from tests.webhook.serving_process import ServeProcess, serve_process
from tests.widgets import review, rule

from .views import Read

BACK = review(2, 1)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "a.yaml").write_text(rule("first"))
    return folder


def text_of(server: ServeProcess, path: str = "/ui") -> str:
    with urlopen(f"http://127.0.0.1:{server.ops_port}{path}", timeout=PATIENCE) as page:
        body: bytes = page.read()
    return Read(body.decode()).text


def test_it_shows_what_is_served_and_what_was_broken(rules: Path) -> None:
    with serve_process("--rules", rules) as server:
        for _ in range(3):
            assert not server.response(BACK)["allowed"]
        assert server.response(review(2, 1, dryRun=True, name="dry"))["status"]["code"] == 409
        text = text_of(server)
        for told in ("Rules fromfiles", "Readyyes", "3 refused", "Widget default/w", "3 times", "controller"):
            assert told in text
        assert "dry" not in text.partition("Latest violations")[2].partition("Made at")[0]
        assert "never goes back" in text_of(server, "/ui/rules/first")
        (rules / "b.yaml").write_text(rule("second", "Warn"))
        (rules / "a.yaml").write_text(rule("first").replace("observedGeneration", "observedGenration"))
        eventually(lambda: "second" in text_of(server))
        text = text_of(server)
        assert "Mistakes in rule files1" in text
        assert "a.yaml:11:5: error: unknown field" in text
        assert server.stop() == 0


def test_what_is_sensitive_is_not_shown(rules: Path) -> None:
    with serve_process("--rules", rules, "--sensitive-path", "status.observedGeneration") as server:
        server.response(review(987654, 876543))
        text = text_of(server)
        assert "<hidden>" in text
        assert "987654" not in text
        assert "876543" not in text
        assert server.stop() == 0


def test_an_action_that_replaces_that_of_every_rule_is_said(rules: Path) -> None:
    with serve_process("--rules", rules, "--action", "Audit") as server:
        assert "Action of every ruleAudit, by a setting" in text_of(server)
        assert server.stop() == 0


def test_it_can_be_off(rules: Path) -> None:
    with serve_process("--rules", rules, environment={"STATUSGUARD_UI": "off"}) as server:
        server.response(BACK)
        with pytest.raises(HTTPError) as refused:
            text_of(server)
        with refused.value as answer:
            assert answer.code == 404
        assert server.stop() == 0
