"""Log lines: one per event, to standard error, JSON unless a person is looking.

Everything goes through one path, the standard library's `logging`: our own events (`structlog.get_logger()`) as well as
what aiohttp and asyncio say. Text from outside cannot forge a line or repaint a terminal: JSON is pure ASCII, and in
the readable form control characters, bidirectional marks and the like are escaped.
"""

from __future__ import annotations

import logging
import ssl
import sys
import time
from typing import Literal, TextIO

import structlog
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web import RequestPayloadError
from structlog.typing import EventDict, Processor, WrappedLogger

from webhook.display import escape

Format = Literal["auto", "console", "json"]
Level = Literal["debug", "info", "warning", "error"]

CAUSED_BY_PEERS = (ConnectionError, HttpProcessingError, RequestPayloadError, TimeoutError, ssl.SSLError)
"""What a peer can provoke at will by what it sends or by leaving. A traceback of ours says nothing about it."""

LOUD_LIBRARIES = ("aiohttp", "asyncio", "kubernetes_asyncio")


def configure(*, style: Format = "auto", level: Level = "info", stream: TextIO | None = None) -> None:
    """Send all log lines from `level` upwards to `stream`, by default standard error, and to nowhere else.

    `auto` is `console` on a terminal, else `json`. May be called again: the last call counts.
    """
    stream = sys.stderr if stream is None else stream
    readable = is_for_people(style, stream)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name, _without_peers_traceback],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                *(_readable(stream) if readable else (structlog.processors.JSONRenderer(),)),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # What these say below a warning is for their own developers.
    for library in LOUD_LIBRARIES:
        logging.getLogger(library).setLevel(max(root.level, logging.WARNING))
    logging.captureWarnings(capture=True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
    )


def is_for_people(style: Format, stream: TextIO | None = None) -> bool:
    """Tell whether a person reads what `configure` sends to a stream, by default standard error."""
    return style == "console" or (style == "auto" and (stream or sys.stderr).isatty())


class Throttle:
    """Lets one event of a kind through in `interval` seconds and counts the rest.

    For events that a peer can cause as often as it likes.
    """

    def __init__(self, interval: float = 60.0) -> None:
        self._interval = interval
        self._next: dict[str, float] = {}
        self._held_back: dict[str, int] = {}

    def admit(self, kind: str) -> int | None:
        """Return how many events of this kind were held back since the last one let through; None holds this one back."""
        now = time.monotonic()
        if now < self._next.get(kind, now):
            self._held_back[kind] = self._held_back.get(kind, 0) + 1
            return None
        self._next[kind] = now + self._interval
        return self._held_back.pop(kind, 0)


def _without_peers_traceback(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    exc_info = event.get("exc_info")
    error = exc_info[1] if isinstance(exc_info, tuple) else None
    if isinstance(error, CAUSED_BY_PEERS):
        del event["exc_info"]
        event["error"] = f"{type(error).__name__}: {error}"
    return event


def _readable(stream: TextIO) -> tuple[Processor, ...]:
    return (_escape, structlog.dev.ConsoleRenderer(colors=stream.isatty()))


def _escape(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    for key, value in event.items():
        if key == "exception":
            # A traceback needs its lines; the bar keeps a line in an exception's text from passing for an event.
            event[key] = "\n".join(f"  | {escape(line)}" for line in value.split("\n"))
        elif isinstance(value, str):
            event[key] = escape(value)
    return event
