from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.webhook.running import write_pair
from tests.widgets import rule
from webhook.certificate_files import CertificateFiles
from webhook.certificates import SelfSigned
from webhook.observe.metrics import Metrics
from webhook.rule_service import RuleService
from webhook.ui.inventory import Fact, expiry, of_files


def test_rules_from_files(tmp_path: Path, certificate: SelfSigned) -> None:
    (tmp_path / "a.yaml").write_text(rule("a"))
    (tmp_path / "b.yaml").write_text("kind: [")
    service = RuleService([tmp_path], "Warn", Metrics())
    service.load()
    found = of_files(service, "Warn", certificate, "the canary is dead")
    (only,) = found.rules
    assert (only.title, only.kind, only.state) == ("a", "ClusterStatusRule", "served")
    assert only.served is not None
    assert only.served.source.spec.action == "Warn"
    assert [problem.rpartition("/")[2][:8] for problem in found.problems] == ["b.yaml:1"]
    assert found.facts == [
        Fact("Rules from", "files"),
        Fact("Action of every rule", "Warn, by a setting"),
        Fact("Ready", "the canary is dead", bad=True),
    ]


def test_the_end_of_a_certificate_that_others_made(tmp_path: Path, certificate: SelfSigned) -> None:
    files = CertificateFiles(*write_pair(tmp_path, certificate))
    *_, ready, ends = of_files(RuleService([], None, Metrics()), None, files, None).facts
    assert ready == Fact("Ready", "yes")
    assert ends == Fact("Certificate ends", f"{files.expires:%Y-%m-%d %H:%M} UTC")


@pytest.mark.parametrize(("days", "bad"), [(8, False), (6, True), (-1, True)])
def test_an_end_that_is_near_is_bad(days: int, *, bad: bool) -> None:
    assert expiry("x", datetime.now(UTC) + timedelta(days=days)).bad == bad


def test_an_end_may_not_be_known_yet() -> None:
    assert expiry("x", None) == Fact("x", "not known yet", bad=True)
