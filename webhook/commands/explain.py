"""`statusguard explain`: what a rule demands, in plain sentences, with writes that pass and writes that break it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from rules.compile import CompiledRule
from webhook import prefilter_view
from webhook.errors import InputError
from webhook.explanation import explain
from webhook.output import json_line, line
from webhook.rule_loading import load_named

EXAMPLE = "statusguard explain my-rules/ --rule widgets --output suite > widgets.test.yaml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="rule files, or folders of them")
    parser.add_argument("--rule", metavar="NAME", help="only this rule (a StatusRule is named namespace/name)")
    parser.add_argument(
        "--prefilter",
        action="store_true",
        help="instead, what the API server asks of a write before it calls the webhook, and what it cannot ask",
    )
    parser.add_argument(
        "--output",
        choices=["table", "json", "suite"],
        default="table",
        help="for people, for programs, or a test suite with the sentences as comments (default: table)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what each rule demands."""
    chosen = load_named(arguments.paths, arguments.rule)
    if arguments.prefilter:
        return _show_prefilters([rule for rule, _ in chosen], arguments.output)
    explanations = (explain(rule, document.data) for rule, document in chosen)
    match arguments.output:
        case "json":
            json_line([explanation.as_json() for explanation in explanations])
        case "suite":
            _print((explanation.as_suite() for explanation in explanations), "---")
        case _:
            _print((explanation.as_text() for explanation in explanations), "")
    return 0


def _show_prefilters(rules: list[CompiledRule], output: str) -> int:
    match output:
        case "json":
            json_line(list(map(prefilter_view.as_json, rules)))
        case "suite":
            raise InputError("--prefilter is no test suite: use --output table or json")
        case _:
            _print(map(prefilter_view.as_text, rules), "")
    return 0


def _print(texts: Iterable[Iterable[str]], separator: str) -> None:
    for index, text in enumerate(texts):
        for each in chain([separator] if index else [], text):
            line(each)
