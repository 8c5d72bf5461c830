from __future__ import annotations

import json
import shlex
import signal
import socket
import time
from pathlib import Path

import pytest

from tests.command import PATIENCE, Ran, in_a_process, statusguard
from tests.webhook.running import eventually
from tests.webhook.serving_process import LOCAL, serve_process
from tests.widgets import review, rule

BACK = review(2, 1)

LAG = 2.0
"""Seconds by which a busy machine may be late."""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "a.yaml").write_text(rule("first"))
    return folder


def test_every_line_is_json_where_programs_read_them(rules: Path) -> None:
    with serve_process("--rules", rules, "--log-format", "json") as server:
        assert json.loads(server.greeting) | {"timestamp": ""} == {
            "event": "serving",
            "level": "info",
            "timestamp": "",
            "rules": 1,
            "url": f"https://127.0.0.1:{server.port}/validate",
            "ops_port": server.ops_port,
        }
        assert server.stop() == 0
    assert [json.loads(line)["event"] for line in server.lines] == ["rules loaded", "draining"]


def test_what_it_tells_people_to_try_needs_no_file(rules: Path) -> None:
    with serve_process("--rules", rules, "--log-format", "console") as server:
        assert server.greeting.startswith(f"Statusguard judges by 1 rules at https://127.0.0.1:{server.port}/validate ")
        words = shlex.split(server.greeting.partition("; try: ")[2])
        assert server.response(words[words.index("-d") + 1].encode()) == {"uid": "try", "allowed": True}
        assert server.stop() == 0


def test_it_says_where_it_listens_and_judges(rules: Path) -> None:
    with serve_process("--rules", rules) as server:
        assert server.rules == 1
        assert server.response(BACK)["status"]["code"] == 409
        assert server.response(review(1, 2)) == {"uid": "u-1", "allowed": True}
        samples = server.metrics()
        assert 'statusguard_rules{state="served"} 1.0' in samples
        labels = 'dry_run="false",group="example.test",resource="widgets"'
        assert f'statusguard_requests_total{{{labels},verdict="denied"}} 1.0' in samples
        assert f'statusguard_requests_total{{{labels},verdict="allowed"}} 1.0' in samples
        assert server.stop() == 0
    (violation,) = server.events("violation")
    assert (violation["rule"], violation["field"]) == ("first", "status.observedGeneration")
    assert (violation["object"], violation["writer"], violation["old"], violation["new"]) == (
        "default/w",
        "controller",
        "2",
        "1",
    )
    assert [json.loads(line)["event"] for line in server.lines] == ["rules loaded", "violation", "draining"]


def test_a_changed_rule_is_served_within_two_seconds_and_a_broken_one_keeps_the_last_good(rules: Path) -> None:
    file = rules / "a.yaml"
    with serve_process("--rules", rules) as server:
        assert not server.response(BACK)["allowed"]
        changed = time.monotonic()
        file.write_text(rule("first", "Warn"))
        eventually(lambda: server.response(BACK)["allowed"])
        assert time.monotonic() - changed < 2.0 + LAG
        warned = server.response(BACK)
        file.write_text(rule("first").replace("observedGeneration", "observedGenration"))
        server.wait_for("rules loaded", 3)
        (problem,) = server.events("broken rule")
        assert problem["place"] == f"{file}:11:5"
        assert problem["problem"].startswith('unknown field "observedGenration", did you mean "observedGeneration"?')
        assert server.response(BACK) == warned
        assert 'statusguard_rules{state="broken"} 1.0' in server.metrics()
        file.write_text(rule("first"))
        server.wait_for("rules loaded", 4)
        assert not server.response(BACK)["allowed"]
        assert "statusguard_last_reload_successful 1.0" in server.metrics()
        assert server.stop() == 0


def test_who_asks_twice_to_stop_does_not_wait_for_the_drain(rules: Path) -> None:
    with serve_process("--rules", rules, "--drain-delay", "600") as server:
        server.process.send_signal(signal.SIGTERM)
        server.wait_for("draining", 1)
        assert server.stop(signal.SIGTERM) == -signal.SIGTERM


def test_what_is_judged_while_it_drains_is_logged(rules: Path) -> None:
    with serve_process("--rules", rules, "--drain-delay", "2") as server:
        server.process.send_signal(signal.SIGTERM)
        server.wait_for("draining")
        for _ in range(3):
            assert not server.response(BACK)["allowed"]
        assert server.process.wait(PATIENCE) == 0
    assert [json.loads(line)["event"] for line in server.lines] == [
        "rules loaded",
        "draining",
        "violation",
        "violations held back",
    ]
    assert server.events("violations held back")[0]["count"] == 2


def test_how_often_the_same_is_logged_is_a_setting(rules: Path) -> None:
    with serve_process("--rules", rules, "--log-window", "0") as server:
        for _ in range(3):
            server.response(BACK)
        assert len(server.wait_for("violation", 3)) == 3
        assert server.stop() == 0
    assert server.events("violations held back") == []


def test_what_is_sensitive_is_nowhere_to_be_read(rules: Path) -> None:
    with serve_process("--rules", rules, "--sensitive-path", "status.observedGeneration") as server:
        response = server.response(review(987654, 876543))
        assert response["status"]["message"].startswith("status.observedGeneration is ahead of metadata.generation")
        assert server.wait_for("violation")[0]["new"] == "<hidden>"
        told = "".join([json.dumps(response), *server.lines, *server.metrics()])
        assert "987654" not in told
        assert "876543" not in told
        assert server.stop() == 0


def test_the_lag_of_the_event_loop_is_measured(rules: Path) -> None:
    with serve_process("--rules", rules) as server:
        eventually(lambda: "statusguard_event_loop_lag_seconds_count 0.0" not in server.metrics())
        assert server.stop() == 0


def test_with_some_rules_broken_it_serves_the_others_and_says_so(rules: Path) -> None:
    (rules / "b.yaml").write_text(rule("second").replace("invariants", "invariant"))
    (rules / "c.json").write_text('{"kind": ')
    with serve_process("--rules", rules) as server:
        assert server.rules == 1
        assert [each["place"].rpartition("/")[2] for each in server.wait_for("broken rule", 3)] == [
            "c.json:1:10",
            "b.yaml:5:3",
            "b.yaml:9:3",
        ]
        assert not server.response(BACK)["allowed"]
        assert server.stop(signal.SIGINT) == 0


def test_settings_come_from_the_environment_and_flags_win(rules: Path, tmp_path: Path) -> None:
    environment = {"STATUSGUARD_RULES": str(rules), "STATUSGUARD_ACTION": "Warn", "STATUSGUARD_LOG_FORMAT": "console"}
    with serve_process(certificates=tmp_path, environment=environment) as server:
        assert "warnings" in server.response(BACK)
        assert server.stop() == 0
    assert "[warning  ] violation" in "".join(server.lines)
    with serve_process("--action", "Audit", certificates=tmp_path, environment=environment) as server:
        response = server.response(BACK)
        assert response["allowed"]
        assert "warnings" not in response
        assert json.loads(response["auditAnnotations"]["violations"])[0]["action"] == "Audit"


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings for servers that are not to come up, in this process."""
    for name, value in LOCAL.items():
        monkeypatch.setenv(name, value)


def serve(*words: str | Path) -> Ran:
    ran = statusguard("serve", *words)
    assert ran.out == ""
    return ran


@pytest.mark.usefixtures("local", "log")
def test_a_port_in_use_is_one_line_and_3(rules: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = f"statusguard serve: cannot listen on 127.0.0.1, port {port}: Address already in use\n"
        assert serve("--rules", rules, "--port", str(port)) == Ran(3, "", message)
        assert serve("--rules", rules, "--ops-port", str(port)) == Ran(3, "", message)


@pytest.mark.usefixtures("local", "log")
def test_an_address_that_is_none_is_one_line_and_3(rules: Path) -> None:
    ran = serve("--rules", rules, "--host", "256.0.0.1")
    assert ran == Ran(3, "", "statusguard serve: cannot listen on 256.0.0.1, port 0: no such address\n")


@pytest.mark.usefixtures("local", "log")
def test_a_bad_certificate_is_one_line_and_3(rules: Path, tmp_path: Path) -> None:
    cert, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    pair = ("--tls-cert", cert, "--tls-key", key)
    assert serve("--rules", rules, *pair) == Ran(3, "", f"statusguard serve: {cert}: No such file or directory\n")
    cert.write_text("no certificate")
    key.write_text("no key")
    message = f"statusguard serve: {cert}, {key}: no usable certificate in PEM form\n"
    assert serve("--rules", rules, *pair) == Ran(3, "", message)


@pytest.mark.usefixtures("local", "log")
def test_a_certificate_without_its_key_is_a_usage_error(rules: Path, tmp_path: Path) -> None:
    ran = serve("--rules", rules, "--tls-cert", tmp_path / "tls.crt")
    assert ran == Ran(2, "", "statusguard serve: --tls-cert and --tls-key go together\n")


@pytest.mark.usefixtures("local", "log")
def test_no_good_rule_is_2_with_every_place(rules: Path, tmp_path: Path) -> None:
    file = rules / "a.yaml"
    file.write_text(rule("first").replace("[Deny]", "[Refuse]").replace("{}", "{notahead: false}"))
    ran = serve("--rules", rules)
    assert ran.code == 2
    assert ran.err.splitlines() == [
        f'{file}:8:23: error: validationActions[0] is "Refuse", expected Deny or Warn or Audit [unexpected-value]',
        f'{file}:11:26: error: unknown field "notahead", did you mean "notAhead"? [unknown-field]',
    ]


@pytest.mark.usefixtures("local", "log")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rules", "missing.yaml"], "missing.yaml:1:1: error: no such file or folder [syntax]\n"),
        (
            ["--rules", "x", "--port", "65536"],
            "statusguard serve: argument --port: '65536' is no port: a number from 0 to 65535",
        ),
        (["--rules", "x", "--action", "deny"], "statusguard serve: argument --action: invalid choice: 'deny'"),
        (
            ["--rules", "x", "--drain-delay", "nan"],
            "statusguard serve: argument --drain-delay: 'nan' is no time: seconds",
        ),
        (["--rules", "x", "--sensitive-path", "status["], "statusguard serve: argument --sensitive-path: status[: "),
        (["rules"], "statusguard serve: unrecognized arguments: rules (see statusguard serve --help)\n"),
    ],
)
def test_wrong_usage_is_one_line_and_2(words: list[str], message: str) -> None:
    ran = serve(*words)
    assert ran.code == 2
    assert ran.err.startswith(message)
    assert ran.err.count("\n") == 1


@pytest.mark.usefixtures("local", "log")
def test_an_empty_folder_is_2(tmp_path: Path) -> None:
    assert serve("--rules", tmp_path) == Ran(2, "", f"no rule found in {tmp_path}\n")


def test_a_bad_variable_is_one_line_and_2() -> None:
    ran = in_a_process("serve", environment={"STATUSGUARD_PORT": "https"})
    assert ran == Ran(2, "", "STATUSGUARD_PORT: 'https' is no port: a number from 0 to 65535\n")
