from __future__ import annotations

import pytest

from tests.webhook.running import LogCapture
from webhook.greeting import TRY, Greeting


def test_people_read_a_line(log: LogCapture, capsys: pytest.CaptureFixture[str]) -> None:
    Greeting(for_people=True).of_files("::", 8443, 8080, 3)
    Greeting(for_people=True).of_cluster(8443, 8080)
    url = "https://localhost:8443/validate"
    hint = f"curl -k -H 'Content-Type: application/json' -d '{TRY}' {url}"
    assert capsys.readouterr().err.splitlines() == [
        f"Statusguard judges by 3 rules at {url} (metrics and health on port 8080); try: {hint}",
        "Statusguard judges by the rules of the cluster on port 8443, metrics and health on 8080",
    ]
    assert log.events() == []


def test_programs_read_an_event(log: LogCapture, capsys: pytest.CaptureFixture[str]) -> None:
    Greeting(for_people=False).of_files("fd00::1", 8443, 8080, 3)
    Greeting(for_people=False).of_cluster(8443, 8080)
    assert capsys.readouterr().err == ""
    of_files, of_cluster = log.named("serving")
    assert (of_files["rules"], of_files["url"], of_files["ops_port"]) == (3, "https://[fd00::1]:8443/validate", 8080)
    assert (of_cluster["port"], of_cluster["ops_port"]) == (8443, 8080)
