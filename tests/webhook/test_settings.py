from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from rules.fieldpath import parse
from webhook.errors import InputError
from webhook.settings import PREFIX, SETTINGS, add_settings, effective


def settings(*words: str, **environment: str) -> dict[str, Any]:
    """Return what flags and variables (their names without the prefix) come to."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_settings(parser, {PREFIX + name: value for name, value in environment.items()})
    return effective(parser.parse_args(words))


def test_defaults_are_those_of_the_contract() -> None:
    found = settings()
    assert found == {
        "rules": [],
        "host": "0.0.0.0",
        "port": 8443,
        "ops_port": 8080,
        "ui": "on",
        "tls_cert": None,
        "tls_key": None,
        "action": None,
        "sensitive_path": [],
        "namespace": "statusguard",
        "service": "statusguard",
        "service_port": 443,
        "webhook_url": None,
        "secret": "statusguard-tls",
        "cluster_role": "statusguard",
        "certificates": "self-signed",
        "guarded": [],
        "namespaced_deny": [],
        "events": "on",
        "reports": "on",
        "report_retention": 24.0,
        "drain_delay": 5.0,
        "log_format": "auto",
        "log_window": 60.0,
        "log_level": "info",
    }


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("rules", "a:b/c", [Path("a"), Path("b/c")]),
        ("host", "::1", "::1"),
        ("port", "0", 0),
        ("ops_port", "65535", 65535),
        ("ui", "off", "off"),
        ("tls_cert", "tls.crt", Path("tls.crt")),
        ("tls_key", "tls.key", Path("tls.key")),
        ("action", "Warn", "Warn"),
        ("sensitive_path", "status.a:status.b[type]", [parse("status.a"), parse("status.b[type]")]),
        ("namespace", "n", "n"),
        ("service", "s", "s"),
        ("service_port", "8443", 8443),
        ("webhook_url", "https://127.0.0.1:8443", "https://127.0.0.1:8443"),
        ("secret", "tls", "tls"),
        ("cluster_role", "c", "c"),
        ("certificates", "cert-manager", "cert-manager"),
        ("guarded", "pods:nodes", ["pods", "nodes"]),
        ("namespaced_deny", "deployments.apps", ["deployments.apps"]),
        ("events", "off", "off"),
        ("reports", "off", "off"),
        ("report_retention", "0.5", 0.5),
        ("drain_delay", "0.5", 0.5),
        ("log_format", "json", "json"),
        ("log_window", "0", 0.0),
        ("log_level", "debug", "debug"),
    ],
)
def test_every_setting_has_its_variable(name: str, written: str, value: object) -> None:
    assert settings(**{name.upper(): written})[name] == value


def test_the_table_above_is_complete() -> None:
    marks = test_every_setting_has_its_variable.pytestmark  # type: ignore[attr-defined]
    assert {case[0].upper() for case in marks[0].args[1]} == {each.variable.removeprefix(PREFIX) for each in SETTINGS}


def test_a_flag_wins_over_its_variable() -> None:
    found = settings("--port", "1", "--rules", "a", "--rules", "b", PORT="2", RULES="c", ACTION="Deny")
    assert (found["port"], found["rules"], found["action"]) == (1, [Path("a"), Path("b")], "Deny")


def test_a_flag_wins_over_a_variable_that_is_wrong() -> None:
    assert settings("--port", "1", PORT="one")["port"] == 1


@pytest.mark.parametrize("name", ["PORT", "TLS_CERT", "RULES", "ACTION", "DRAIN_DELAY"])
def test_an_empty_variable_is_unset(name: str) -> None:
    assert settings(**{name: ""}) == settings()


def test_the_variable_of_a_service_called_statusguard_is_none_of_ours() -> None:
    assert settings(PORT="tcp://10.96.0.7:443")["port"] == 8443


@pytest.mark.parametrize(
    ("name", "written", "message"),
    [
        ("PORT", "65536", "'65536' is no port: a number from 0 to 65535"),
        ("PORT", "-1", "'-1' is no port: a number from 0 to 65535"),
        ("PORT", "\u0661", "'\u0661' is no port: a number from 0 to 65535"),
        ("OPS_PORT", "1e3", "'1e3' is no port: a number from 0 to 65535"),
        ("ACTION", "deny", "'deny' is none of Deny, Warn, Audit"),
        ("DRAIN_DELAY", "nan", "'nan' is no time: seconds, from 0 to 3600"),
        ("DRAIN_DELAY", "3601", "'3601' is no time: seconds, from 0 to 3600"),
        ("EVENTS", "true", "'true' is none of on, off"),
        ("UI", "0", "'0' is none of on, off"),
        ("REPORT_RETENTION", "0", "'0' is no time: hours, more than 0 and at most 8760"),
        ("REPORT_RETENTION", "x", "'x' is no time: hours, more than 0 and at most 8760"),
        ("LOG_LEVEL", "trace", "'trace' is none of debug, info, warning, error"),
        ("SENSITIVE_PATH", "status.a:status..b", 'status..b: expected a name or "*" after the ".", found \'.\''),
    ],
)
def test_a_wrong_variable_is_named(name: str, written: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        settings(**{name: written})
    assert str(caught.value).startswith(f"STATUSGUARD_{name}: {message}")


@pytest.mark.parametrize(
    "words", [("--port", "x"), ("--port", "9" * 5000), ("--action", "deny"), ("--drain-delay", "-1")]
)
def test_a_wrong_flag_is_a_usage_error(words: tuple[str, ...]) -> None:
    with pytest.raises(argparse.ArgumentError):
        settings(*words)
