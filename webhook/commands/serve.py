"""`statusguard serve`: the admission server."""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import uvloop

from rules.ruleset import RuleSet
from webhook.canary import Canary
from webhook.certificate_files import CertificateFiles
from webhook.certificates import Certificate, self_signed
from webhook.display import Display
from webhook.errors import InputError
from webhook.greeting import Greeting
from webhook.message import Wording
from webhook.observe import log
from webhook.observe.delivery import delivering
from webhook.observe.event_loop import measure_lag
from webhook.observe.metrics import Metrics
from webhook.observe.queue import IncidentQueue
from webhook.observe.violation_log import ViolationLog
from webhook.reviewer import RuleReviewer
from webhook.rule_service import RuleService
from webhook.server import ServerConfig, serve
from webhook.settings import add_settings, effective
from webhook.ui.inventory import of_files
from webhook.ui.site import Site

EXAMPLE = "statusguard serve --rules my-rules/"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT, by rules from files or else from the cluster.

    Raises InputError if no rule of the files is good, CannotRunError for a port, a certificate, or if there is no cluster.
    """
    settings = effective(arguments)
    log.configure(style=settings["log_format"], level=settings["log_level"])
    metrics = Metrics()
    if not settings["rules"]:
        uvloop.run(_serve_cluster(settings, metrics))
        return 0
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
    stop = _stop_signal()
    reviewer = _reviewer(settings, rules.rules, metrics)
    config = _config(settings)
    unready = Canary().problem
    site = _site(settings, reviewer)
    if site is not None:
        site.inventory = lambda: of_files(rules, settings["action"], certificate, unready())
    async with _observing(settings, reviewer, metrics):
        server = await serve(config, reviewer, certificate=certificate, metrics=metrics, unready=unready, site=site)
        _greeting(settings).of_files(config.host, server.port, server.ops_port, len(rules.rules.rules))
        rules.report()
        following = asyncio.create_task(rules.follow(reviewer), name="rules")
        await stop.wait()
        following.cancel()
        await server.drain()


async def _serve_cluster(settings: dict[str, Any], metrics: Metrics) -> None:
    from webhook.cluster.incident_sinks import Telling  # noqa: PLC0415  slow to import
    from webhook.cluster.serve_cluster import ClusterSettings, policy, serve_cluster  # noqa: PLC0415  slow to import

    files = (
        _certificate(settings["tls_cert"], settings["tls_key"]) if settings["certificates"] == "cert-manager" else None
    )
    if settings["certificates"] == "cert-manager" and not isinstance(files, CertificateFiles):
        raise InputError("statusguard serve: --certificates cert-manager needs --tls-cert and --tls-key")
    cluster = ClusterSettings(
        namespace=settings["namespace"],
        service=settings["service"],
        service_port=settings["service_port"],
        secret=settings["secret"],
        cluster_role=settings["cluster_role"],
        url=settings["webhook_url"],
        policy=policy(settings["guarded"], settings["namespaced_deny"]),
        certificate_files=files if isinstance(files, CertificateFiles) else None,
        action=settings["action"],
        telling=Telling(
            events=settings["events"] == "on",
            reports=settings["reports"] == "on",
            retention=timedelta(hours=settings["report_retention"]),
        ),
    )
    reviewer = _reviewer(settings, RuleSet(()), metrics)
    async with _observing(settings, reviewer, metrics):
        site = _site(settings, reviewer)
        await serve_cluster(
            cluster, _config(settings), reviewer, metrics, _stop_signal(), site, greeting=_greeting(settings)
        )


@asynccontextmanager
async def _observing(settings: dict[str, Any], reviewer: RuleReviewer, metrics: Metrics) -> AsyncIterator[None]:
    """Log violations and measure the event loop; at the end, when no request can come, all that was accepted is logged."""
    queue = IncidentQueue("log", metrics)
    violation_log = ViolationLog(metrics, settings["log_window"])
    reviewer.sinks.append(queue)
    measuring = asyncio.create_task(measure_lag(metrics), name="event loop lag")
    try:
        async with violation_log.closing(), delivering(queue, violation_log.take):
            yield
    finally:
        measuring.cancel()


def _stop_signal() -> asyncio.Event:
    """Return what is set once somebody wants us to stop. Who asks a second time does not want to wait for the drain."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def asked(number: int) -> None:
        stop.set()
        loop.remove_signal_handler(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked, number)
    return stop


def _reviewer(settings: dict[str, Any], rules: RuleSet, metrics: Metrics) -> RuleReviewer:
    return RuleReviewer(rules, Wording(Display(settings["sensitive_path"])), metrics)


def _site(settings: dict[str, Any], reviewer: RuleReviewer) -> Site | None:
    """Return the web page, None if it is off; whoever knows the rules tells it of them."""
    if settings["ui"] == "off":
        return None
    site = Site()
    reviewer.sinks.append(site)
    return site


def _config(settings: dict[str, Any]) -> ServerConfig:
    return ServerConfig(
        host=settings["host"],
        port=settings["port"],
        ops_port=settings["ops_port"],
        drain_delay=settings["drain_delay"],
    )


def _greeting(settings: dict[str, Any]) -> Greeting:
    return Greeting(for_people=log.is_for_people(settings["log_format"]))
