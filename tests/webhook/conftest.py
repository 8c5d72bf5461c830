"""Fixtures of the tests that talk to a running server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from io import StringIO
from typing import Any

import pytest
import structlog

from webhook.certificates import Certificate, SelfSigned, self_signed
from webhook.limits import Limits
from webhook.observe.log import configure
from webhook.server import Reviewer, ServerConfig

from .running import Echo, LogCapture, Running, running

Serving = Callable[..., Running]


@pytest.fixture(scope="session")
def certificate() -> SelfSigned:
    """A serving certificate for loopback."""
    return self_signed()


@pytest.fixture
def log() -> Iterator[LogCapture]:
    """What the process logs during the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = StringIO()
    configure(style="json", level="debug", stream=stream)
    yield LogCapture(stream)
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture
def serving(log: LogCapture, certificate: SelfSigned) -> Iterator[Serving]:
    """Start servers: `serving(reviewer, certificate=..., unready=..., loop_factory=..., **fields of Limits and ServerConfig)`.

    After the test each must be alive, with no traceback in its log unless `bugs_expected`.
    """
    with ExitStack() as stack:

        def start(
            reviewer: Reviewer | None = None,
            *,
            certificate: Certificate = certificate,
            authority: bytes = certificate.authority,
            drain_delay: float = 0.0,
            drain_patience: float = 5.0,
            limits: dict[str, Any] | None = None,
            **options: Any,
        ) -> Running:
            config = ServerConfig(
                host="127.0.0.1",
                port=0,
                ops_port=0,
                limits=Limits(**{"farewell": 0.2, **(limits or {})}),
                drain_delay=drain_delay,
                drain_patience=drain_patience,
            )
            return stack.enter_context(
                running(reviewer or Echo(), certificate, authority, log, config=config, **options)
            )

        yield start
