"""`statusguard review`: answer recorded AdmissionReviews."""

from __future__ import annotations

import argparse

import msgspec

from rules.ruleset import RuleSet
from webhook.commands.arguments import add_action, add_rules
from webhook.display import Display
from webhook.json_stream import Chunk, chunks
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.output import error_line, line, table
from webhook.progress import Progress
from webhook.reviewer import RuleReviewer
from webhook.rule_loading import load_good

EXAMPLE = "statusguard review --rules my-rules/ recorded.jsonl"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="AdmissionReviews: one or more a file, pretty or JSON lines, also gzip; - is standard input",
    )
    add_rules(parser)
    add_action(parser)
    parser.add_argument(
        "--output", choices=["table", "json"], default="json", help="for people or for programs (default: json)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the response to each review, one a line, in order; 2 if one was no review, which is a line on standard error."""
    rules = RuleSet(load_good(arguments.rules, arguments.action))
    reviewer = RuleReviewer(rules, Wording(Display(arguments.sensitive_path)), Metrics())
    rows: list[list[str]] = []
    failed = False
    with Progress("reviews") as progress:
        for file in arguments.files:
            for chunk in chunks(file):
                answer = reviewer.review(chunk.text, None)
                progress.step()
                text = answer.body.decode("utf-8", "replace").strip()
                if answer.status != 200:
                    error_line(f"{chunk.place}: {text}")
                    failed = True
                elif arguments.output == "json":
                    line(text)
                else:
                    rows.append(_row(chunk, answer.body))
    if arguments.output == "table":
        table(["REVIEW", "UID", "ALLOWED", "MESSAGE"], rows)
    return 2 if failed else 0


def _row(chunk: Chunk, body: bytes) -> list[str]:
    response = msgspec.json.decode(body)["response"]
    said = [response.get("status", {}).get("message", ""), *response.get("warnings", [])]
    return [chunk.place, response["uid"], "yes" if response["allowed"] else "no", " | ".join(filter(None, said))]
