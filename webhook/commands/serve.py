"""`statusguard serve`: the admission server."""

from __future__ import annotations

import argparse
import asyncio
import signal
from pathlib import Path
from typing import Any

import uvloop

from webhook.certificate_files import CertificateFiles
from webhook.certificates import Certificate, self_signed
from webhook.display import Display
from webhook.errors import InputError
from webhook.message import Wording
from webhook.observe import log
from webhook.observe.metrics import Metrics
from webhook.observe.violation_log import ViolationLog
from webhook.output import error_line
from webhook.reviewer import RuleReviewer
from webhook.rule_service import RuleService
from webhook.server import Server, ServerConfig, serve
from webhook.settings import add_settings, effective

EXAMPLE = "statusguard serve --rules my-rules/"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT. Raises InputError if no rule is good, CannotRunError for a port or a certificate."""
    settings = effective(arguments)
    if not settings["rules"]:
        raise InputError("statusguard serve: no rules: name files or folders with --rules PATH")
    log.configure(style=settings["log_format"], level=settings["log_level"])
    metrics = Metrics()
    rules = RuleService(settings["rules"], settings["action"], metrics)
    rules.load()
    if not rules.rules.rules:
        where = ", ".join(map(str, settings["rules"]))
        raise InputError(*(map(str, rules.problems) if rules.problems else (f"no rule found in {where}",)))
    certificate = _certificate(settings["tls_cert"], settings["tls_key"])
    uvloop.run(_serve(settings, rules, certificate, metrics))
    return 0


def _certificate(certificate: Path | None, key: Path | None) -> Certificate:
    if certificate is None and key is None:
        return self_signed()
    if certificate is None or key is None:
        raise InputError("statusguard serve: --tls-cert and --tls-key go together")
    return CertificateFiles(certificate, key)


async def _serve(settings: dict[str, Any], rules: RuleService, certificate: Certificate, metrics: Metrics) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    wording = Wording(Display(settings["sensitive_path"]))
    reviewer = RuleReviewer(rules.rules, wording, metrics, [ViolationLog(wording)])
    config = ServerConfig(
        host=settings["host"],
        port=settings["port"],
        ops_port=settings["ops_port"],
        drain_delay=settings["drain_delay"],
    )
    server = await serve(config, reviewer, certificate=certificate, metrics=metrics, unready=lambda: None)
    error_line(_greeting(config.host, server, len(rules.rules.rules)))
    rules.report()
    following = loop.create_task(rules.follow(reviewer), name="rules")
    await stop.wait()
    following.cancel()
    await server.drain()


def _greeting(host: str, server: Server, rules: int) -> str:
    name = "localhost" if host in {"0.0.0.0", "::"} else host  # noqa: S104  compared, not bound
    url = f"https://{f'[{name}]' if ':' in name else name}:{server.port}/validate"
    return (
        f"Statusguard judges by {rules} rules at {url} (metrics and health on port {server.ops_port}); try: "
        f"curl -k -H 'Content-Type: application/json' -d @review.json {url}"
    )
