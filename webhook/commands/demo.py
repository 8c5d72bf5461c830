"""`statusguard demo`: see bad writes refused, without a cluster.

A real server on loopback, real HTTPS, the library's rules; the writes are AdmissionReviews as an API server sent them. That
API server had nothing in front of it and accepted every one.
"""

from __future__ import annotations

import argparse
import asyncio
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import as_file, files
from itertools import groupby
from textwrap import wrap
from typing import Any, get_args

import aiohttp
import msgspec

from rules.api import Action
from rules.ruleset import RuleSet
from webhook.certificates import self_signed
from webhook.display import Display, cut
from webhook.message import Wording
from webhook.observe import log
from webhook.observe.metrics import Metrics
from webhook.observe.rule_labels import labels_of
from webhook.output import add_output, json_line, line, table
from webhook.reviewer import RuleReviewer
from webhook.rule_loading import load_good
from webhook.server import ServerConfig, serve

EXAMPLE = "statusguard demo"

HISTORIES = (
    "kubeadmcontrolplane-v1beta1",
    "kubeadmcontrolplane-v1beta2",
    "machine-in-place-update",
    "pulumi-stack",
)
LIBRARY = ("cluster-api.yaml", "pulumi.yaml", "generic.yaml")


class RecordedWrite(msgspec.Struct, frozen=True):
    """One write of a history: what it is, what a guard must say to it, and the review that the API server sent."""

    system: str
    write: str
    expected: str
    review: msgspec.Raw


class _Status(msgspec.Struct, frozen=True):
    message: str = ""
    code: int = 0


class _Response(msgspec.Struct, frozen=True, rename="camel"):
    uid: str
    allowed: bool
    status: _Status = _Status()
    warnings: list[str] = []
    audit_annotations: dict[str, str] = {}


class _Answer(msgspec.Struct, frozen=True):
    response: _Response


class _User(msgspec.Struct, frozen=True):
    username: str


class _Options(msgspec.Struct, frozen=True, rename="camel"):
    field_manager: str = ""


class _Request(msgspec.Struct, frozen=True, rename="camel"):
    uid: str
    user_info: _User
    options: _Options


class _Review(msgspec.Struct, frozen=True):
    request: _Request


@dataclass(frozen=True, slots=True)
class Judged:
    """A write that was sent, and what came back."""

    write: RecordedWrite
    request: _Request
    response: _Response

    @property
    def verdict(self) -> str:
        """What became of the write."""
        return "allowed" if self.response.allowed else "denied"

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one, on the request that was sent."""
        return self.verdict == self.write.expected and self.response.uid == self.request.uid

    @property
    def violations(self) -> list[dict[str, Any]]:
        """The violations, as the audit annotation has them."""
        found: list[dict[str, Any]] = msgspec.json.decode(self.response.audit_annotations.get("violations", "[]"))
        return found


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--action",
        choices=get_args(Action),
        default="Deny",
        help="what the rules do about a violation (default: Deny); with another the bad writes pass, and the exit code is 1",
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Send every history to a server and show what came of it; 0 only if every verdict is the expected one."""
    log.configure(level="warning")
    judged, metrics = asyncio.run(_play(arguments.action))
    if arguments.output == "json":
        json_line([_as_json(each) for each in judged])
    else:
        _print(judged, metrics)
    return 0 if all(each.as_expected for each in judged) else 1


def recorded_writes() -> Iterator[RecordedWrite]:
    """Yield the writes of all histories, in the order in which they happened."""
    decoder = msgspec.json.Decoder(RecordedWrite)
    for name in HISTORIES:
        history = files("webhook") / "demo_writes" / f"{name}.jsonl"
        yield from map(decoder.decode, history.read_bytes().splitlines())


async def _play(action: Action) -> tuple[list[Judged], str]:
    metrics = Metrics()
    with as_file(files("rules") / "library") as library:
        rules = load_good([library / name for name in LIBRARY], action)
    metrics.declare_rules(labels_of(rules))
    reviewer = RuleReviewer(RuleSet(rules), Wording(Display()), metrics)
    certificate = self_signed()
    config = ServerConfig(host="127.0.0.1", port=0, ops_port=0, drain_delay=0)
    server = await serve(config, reviewer, certificate=certificate, metrics=metrics, unready=lambda: None)
    try:
        trust = ssl.create_default_context(cadata=certificate.authority.decode())
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust)) as client:
            url = f"https://127.0.0.1:{server.port}/validate"
            judged = [await _send(client, url, write) for write in recorded_writes()]
            async with client.get(f"http://127.0.0.1:{server.ops_port}/metrics") as scrape:
                return judged, await scrape.text()
    finally:
        await server.drain()


async def _send(client: aiohttp.ClientSession, url: str, write: RecordedWrite) -> Judged:
    body = bytes(write.review)
    async with client.post(url, data=body, headers={"Content-Type": "application/json"}) as answer:
        answer.raise_for_status()
        response = msgspec.json.decode(await answer.read(), type=_Answer).response
    return Judged(write, msgspec.json.decode(body, type=_Review).request, response)


def _print(judged: list[Judged], metrics: str) -> None:
    line("Statusguard answers on loopback; these are writes that a real API server had accepted.")
    line()
    for system, writes in groupby(judged, key=lambda each: each.write.system):
        line(f"{system}:")
        table(["WRITE", "VERDICT", "FIELD", "OLD", "NEW", "WRITER"], map(_row, writes))
        line()
    refused = [each for each in judged if not each.response.allowed]
    for title, each in {each.write.system: each for each in refused}.items():
        line(f"What the writer of the {title} was told ({each.response.status.code}):")
        for words in wrap(each.response.status.message, 98, break_long_words=False, break_on_hyphens=False):
            line(f"  {words}")
        line()
    line("The metrics they left:")
    for sample in metrics.splitlines():
        if sample.startswith(("statusguard_requests_total", "statusguard_violations_total")) and not sample.endswith(
            " 0.0"
        ):
            line(f"  {sample}")
    line()
    wrong = [each for each in judged if not each.as_expected]
    for each in wrong:
        line(
            f"NOT AS EXPECTED: {each.write.system}: {each.write.write}: {each.verdict}, expected {each.write.expected}"
        )
    line(f"{len(judged)} writes, {len(refused)} refused, {len(judged) - len(wrong)} verdicts as expected.")


def _row(judged: Judged) -> list[str]:
    first = judged.violations[0] if judged.violations else {}
    values = [_shown(first[side]) if first else "" for side in ("old", "new")]
    user = judged.request.user_info.username.removeprefix("system:serviceaccount:")
    return [judged.write.write, judged.verdict, first.get("field", ""), *values, user]


def _shown(value: object) -> str:
    return "unset" if value is None else cut(str(value), 24)


def _as_json(judged: Judged) -> dict[str, Any]:
    return {
        "system": judged.write.system,
        "write": judged.write.write,
        "expected": judged.write.expected,
        "verdict": judged.verdict,
        "message": judged.response.status.message,
        "violations": judged.violations,
        "writer": judged.request.user_info.username,
        "fieldManager": judged.request.options.field_manager,
    }
