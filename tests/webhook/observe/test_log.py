from __future__ import annotations

import json
import logging
import ssl
import warnings
from io import StringIO

import pytest
import structlog
from aiohttp.http_exceptions import BadHttpMessage
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.webhook.running import LogCapture
from webhook.observe.log import Throttle, configure

HOSTILE = 'a\n2026-01-01 [info] forged\r\x1b[31m\u202e\u2028\u200b\x9b\ud800"b'


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def readable(log: LogCapture) -> StringIO:
    stream = StringIO()
    configure(style="console", stream=stream)
    return stream


def test_an_event_is_one_line_of_json_with_time_and_level(log: LogCapture) -> None:
    structlog.get_logger().info("denied", rule="kcp", count=2)
    (event,) = log.events()
    assert event.pop("timestamp").endswith("Z")
    assert event == {"event": "denied", "level": "info", "rule": "kcp", "count": 2}


@pytest.mark.parametrize(("stream", "json_lines"), [(StringIO(), True), (Terminal(), False)])
def test_a_terminal_gets_readable_lines_and_everything_else_json(
    log: LogCapture, stream: StringIO, *, json_lines: bool
) -> None:
    configure(stream=stream)
    structlog.get_logger().info("hello")
    assert stream.getvalue().startswith("{") == json_lines


def test_text_from_outside_cannot_forge_a_json_line(log: LogCapture) -> None:
    structlog.get_logger().info(HOSTILE, user=HOSTILE)
    (line,) = log.stream.getvalue().splitlines()
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["user"] == HOSTILE


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text() | st.just(HOSTILE))
def test_text_from_outside_cannot_forge_a_readable_line(readable: StringIO, text: str) -> None:
    readable.seek(0)
    readable.truncate()
    structlog.get_logger().info("denied", user=text, users=[text], by={"name": text})
    written = readable.getvalue()
    assert written.count("\n") == 1
    assert not set(written[:-1]) & {"\r", "\x1b", "\x9b", "\u202e", "\u2028", "\u200b", "\x00"}


def test_lines_of_a_traceback_cannot_pass_for_events(readable: StringIO) -> None:
    error = KeyError(HOSTILE)
    error.__cause__ = ValueError("x\n2026-01-01 [info] forged\x1b[31m")
    structlog.get_logger().error("request failed", exc_info=error)
    first, *rest = readable.getvalue().removesuffix("\n").split("\n")
    assert "request failed" in first
    assert len(rest) > 2
    assert all(line.startswith("  | ") for line in rest)
    assert "\x1b" not in readable.getvalue()


@pytest.mark.parametrize(
    "error",
    [
        ConnectionResetError("gone"),
        ssl.SSLError(1, "bad record"),
        BadHttpMessage("bad\nheader"),
        TimeoutError("SSL shutdown timed out"),
    ],
)
def test_what_a_peer_provokes_is_logged_without_a_traceback(log: LogCapture, error: Exception) -> None:
    logging.getLogger("asyncio").error("Fatal error\nprotocol: x", exc_info=error)
    (event,) = log.events()
    assert event["error"].startswith(type(error).__name__)
    assert "exception" not in event
    assert event["logger"] == "asyncio"


def test_bugs_in_libraries_keep_their_traceback(log: LogCapture) -> None:
    logging.getLogger("asyncio").error("Task exception was never retrieved", exc_info=KeyError("x"))
    (event,) = log.events()
    assert "KeyError" in event["exception"]


def test_libraries_do_not_chat(log: LogCapture) -> None:
    for name in ("aiohttp.server", "asyncio", "kubernetes_asyncio.client.rest"):
        logging.getLogger(name).info("hello")
        logging.getLogger(name).debug("hello")
    assert log.events() == []


def test_what_is_below_the_level_is_not_written(log: LogCapture) -> None:
    configure(style="json", level="warning", stream=log.stream)
    structlog.get_logger().info("hello")
    logging.getLogger("x").info("hello")
    structlog.get_logger().warning("stop")
    assert [event["event"] for event in log.events()] == ["stop"]


def test_warnings_become_log_lines(log: LogCapture) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        configure(style="json", stream=log.stream)
        warnings.warn("old API", DeprecationWarning, stacklevel=1)
        logging.captureWarnings(capture=False)
    assert "old API" in log.events()[0]["event"]


def test_the_last_configuration_counts(log: LogCapture) -> None:
    stream = StringIO()
    logger = structlog.get_logger()
    logger.info("before")
    configure(style="json", stream=stream)
    logger.info("after")
    assert [event["event"] for event in log.events()] == ["before"]
    assert json.loads(stream.getvalue())["event"] == "after"


def test_a_throttle_lets_one_through_in_its_interval_and_counts_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("webhook.observe.log.time.monotonic", lambda: now)
    throttle = Throttle(60.0)
    assert [throttle.admit("timeout") for _ in range(3)] == [0, None, None]
    assert throttle.admit("method") == 0
    now += 60.0
    assert [throttle.admit("timeout") for _ in range(2)] == [2, None]
    assert throttle.admit("method") == 0
