"""`statusguard review`: answer recorded AdmissionReviews."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import msgspec

from rules.ruleset import RuleSet
from webhook.commands.arguments import add_action, add_rules
from webhook.display import Display
from webhook.errors import InputError
from webhook.json_stream import Chunk, chunks
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.output import error_line, json_line, table
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
    """Print the response to each review, one a line, in order; 2 if one was none, or a file unusable: a line on stderr each."""
    rules = RuleSet(load_good(arguments.rules, arguments.action))
    reviewer = RuleReviewer(rules, Wording(Display(arguments.sensitive_path)), Metrics())
    rows: list[list[str]] = []
    failed = False
    with Progress("reviews") as progress:
        for item in _read(arguments.files):
            progress.step()
            if isinstance(item, InputError):
                error_line(str(item))
                failed = True
                continue
            answer = reviewer.review(item.text, None)
            if answer.status != 200:
                error_line(f"{item.place}: {answer.body.decode('utf-8', 'replace').strip()}")
                failed = True
            elif arguments.output == "json":
                json_line(msgspec.json.decode(answer.body))
            else:
                rows.append(_row(item, answer.body))
    if arguments.output == "table":
        table(["REVIEW", "UID", "ALLOWED", "MESSAGE"], rows)
    return 2 if failed else 0


def _read(files: Sequence[str]) -> Iterator[Chunk | InputError]:
    """Yield every document of every file; of a file that cannot be read (any further), why."""
    for file in files:
        try:
            yield from chunks(file)
        except InputError as error:
            yield error


def _row(chunk: Chunk, body: bytes) -> list[str]:
    response = msgspec.json.decode(body)["response"]
    said = [response.get("status", {}).get("message", ""), *response.get("warnings", [])]
    return [chunk.place, response["uid"], "yes" if response["allowed"] else "no", " | ".join(filter(None, said))]
