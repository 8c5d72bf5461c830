"""`statusguard lint`: find mistakes in rules, and what they cannot see."""

from __future__ import annotations

import argparse
from pathlib import Path

from rules.lint import doubles, warnings
from rules.located import LocatedProblem, locate
from webhook.errors import InputError
from webhook.output import add_output, json_line, line
from webhook.rule_loading import load

EXAMPLE = "statusguard lint --strict my-rules/"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="rule files, or folders of them")
    parser.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print every mistake and warning with its place; 1 if there is a mistake (with --strict: or a warning)."""
    loaded = load(arguments.paths)
    documents = {id(rule): document for rule, document in loaded.rules}
    problems = [
        *loaded.problems,
        *(locate(problem, documents[id(rule)]) for rule, problem in doubles([rule for rule, _ in loaded.rules])),
        *(locate(problem, document) for rule, document in loaded.rules for problem in warnings(rule)),
    ]
    if not loaded.rules and not problems:
        raise InputError(f"no rule found in {', '.join(map(str, arguments.paths))}")
    errors = [problem for problem in problems if problem.severity == "error"]
    if arguments.output == "json":
        json_line([_as_json(problem) for problem in sorted(problems)])
    else:
        for problem in sorted(problems):
            line(str(problem))
        line(f"{len(loaded.rules)} rules, {len(errors)} errors, {len(problems) - len(errors)} warnings")
    return 1 if errors or (arguments.strict and problems) else 0


def _as_json(problem: LocatedProblem) -> dict[str, object]:
    return {
        "file": problem.place.source,
        "line": problem.place.line,
        "column": problem.place.column,
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }
