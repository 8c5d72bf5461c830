from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from rules.ruleset import RuleSet
from tests.widgets import review, rule
from webhook import rule_service
from webhook.display import Display
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.reviewer import RuleReviewer
from webhook.rule_service import RuleService

from .running import LogCapture, eventually, samples


def value(metrics: Metrics, name: str, **labels: str) -> float:
    (found,) = [each for have, each in samples(metrics, name) if have == labels]
    return found


def rules_of(service: RuleService) -> list[tuple[str, str]]:
    return [(each.title, each.source.spec.action) for each in service.rules.rules]


def test_it_serves_what_the_files_say(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(rule("a"))
    metrics = Metrics()
    service = RuleService([tmp_path], None, metrics)
    assert service.load()
    assert rules_of(service) == [("a", "Deny")]
    assert not service.load()
    (tmp_path / "b.yaml").write_text(rule("b"))
    assert service.load()
    assert rules_of(service) == [("a", "Deny"), ("b", "Deny")]
    (tmp_path / "a.yaml").unlink()
    assert service.load()
    assert rules_of(service) == [("b", "Deny")]
    assert value(metrics, "statusguard_last_reload_successful") == 1


def test_an_action_replaces_that_of_every_rule(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{rule('a')}---\n{rule('b', 'Warn')}")
    service = RuleService([tmp_path], "Audit", Metrics())
    service.load()
    assert rules_of(service) == [("a", "Audit"), ("b", "Audit")]


def test_what_is_broken_keeps_the_last_good_and_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{rule('a')}---\n{rule('b')}")
    (tmp_path / "c.yaml").write_text(rule("c"))
    metrics = Metrics()
    service = RuleService([tmp_path], None, metrics)
    service.load()
    (tmp_path / "a.yaml").write_text(f"{rule('a', 'Warn')}---\n{rule('b').replace('Deny', 'No')}")
    (tmp_path / "c.yaml").write_text("{")
    assert service.load()
    assert rules_of(service) == [("a", "Warn"), ("b", "Deny"), ("c", "Deny")]
    assert [f"{each.place.line} {each.code}" for each in service.problems] == ["1 syntax", "20 unexpected-value"]
    assert value(metrics, "statusguard_rules", state="served") == 3
    assert value(metrics, "statusguard_rules", state="broken") == 2
    assert value(metrics, "statusguard_last_reload_successful") == 0


def test_a_folder_that_is_gone_for_a_moment_is_a_problem_and_no_end(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "a.yaml").write_text(rule("a"))
    service = RuleService([folder], None, Metrics())
    service.load()
    folder.rename(tmp_path / "moved")
    assert service.load()
    assert [str(each) for each in service.problems] == [f"{folder}:1:1: error: no such file or folder [syntax]"]
    (tmp_path / "moved").rename(folder)
    assert service.load()
    assert (rules_of(service), service.problems) == ([("a", "Deny")], ())


def test_series_are_those_of_the_rules_that_are_served(tmp_path: Path) -> None:
    metrics = Metrics()
    service = RuleService([tmp_path], None, metrics)
    for name in ("a", "b"):
        (tmp_path / "r.yaml").write_text(rule(name))
        service.load()
        named = {labels["rule"] for labels, _ in samples(metrics, "statusguard_violations_total")}
        assert named == {name}


async def test_a_change_reaches_the_reviewer_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: LogCapture
) -> None:
    monkeypatch.setattr(rule_service, "INTERVAL", 0.01)
    file = tmp_path / "a.yaml"
    file.write_text(rule("a", "Audit"))
    metrics = Metrics()
    service = RuleService([tmp_path], None, metrics)
    service.load()
    reviewer = RuleReviewer(service.rules, Wording(Display()), metrics)
    async with asyncio.timeout(10):
        following = asyncio.create_task(service.follow(reviewer))
        assert b'"allowed":true' in reviewer.review(review(2, 1), None).body
        file.write_text(rule("a", "Deny"))
        await changed(reviewer, reviewer.rules)
        assert b'"allowed":false' in reviewer.review(review(2, 1), None).body
        file.write_text("{")
        before = reviewer.rules
        await changed(reviewer, before)
        assert [each.title for each in reviewer.rules.rules] == ["a"]
        following.cancel()
        await asyncio.wait([following])
    assert [each["served"] for each in log.named("rules loaded")] == [1, 1]
    (problem,) = log.named("broken rule")
    assert problem["place"] == f"{file}:1:2"


async def test_a_bug_while_loading_is_logged_and_the_last_good_rules_are_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: LogCapture
) -> None:
    monkeypatch.setattr(rule_service, "INTERVAL", 0.01)
    (tmp_path / "a.yaml").write_text(rule("a"))
    service = RuleService([tmp_path], None, Metrics())
    service.load()
    reviewer = RuleReviewer(service.rules, Wording(Display()), Metrics())

    def broken(_: object) -> Any:
        raise ZeroDivisionError

    async with asyncio.timeout(10):
        following = asyncio.create_task(service.follow(reviewer))
        with monkeypatch.context() as patch:
            patch.setattr(service._catalog, "update", broken)
            (tmp_path / "b.yaml").write_text(rule("b"))
            await asyncio.to_thread(
                eventually, lambda: log.named("rules could not be loaded, the last good ones are served")
            )
        assert [each.title for each in reviewer.rules.rules] == ["a"]
        (tmp_path / "c.yaml").write_text(rule("c"))
        await changed(reviewer, reviewer.rules)
        assert [each.title for each in reviewer.rules.rules] == ["a", "b", "c"]
        following.cancel()
        await asyncio.wait([following])


async def changed(reviewer: RuleReviewer, before: RuleSet) -> None:
    """Wait until the reviewer has other rules."""
    await asyncio.to_thread(eventually, lambda: reviewer.rules is not before)
