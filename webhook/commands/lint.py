"""`statusguard lint`: find mistakes in rules, and what they cannot see."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rules.compile import CompiledRule
from rules.lint import doubles, unquoted_booleans, warnings
from rules.located import LocatedProblem, locate
from rules.schemas.lint import schema_problems
from rules.schemas.resource_check import undescribed
from rules.schemas.resources import SchemaCatalog
from webhook.display import escape
from webhook.errors import InputError
from webhook.output import add_output, json_line, line
from webhook.rule_loading import load
from webhook.schema_files import load_schemas

EXAMPLE = "statusguard lint --strict my-rules/ --crd crds/"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="rule files, or folders of them")
    parser.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    parser.add_argument(
        "--crd",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="a CustomResourceDefinition, a cluster's OpenAPI (kubectl get --raw /openapi/v2), or a folder of such files: "
        "the rules' paths are checked against their schemas; may be given several times",
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print every mistake and warning with its place; 1 if there is a mistake (with --strict: or a warning)."""
    catalog = load_schemas(arguments.crd)
    loaded = load(arguments.paths)
    documents = {id(rule): document for rule, document in loaded.rules}
    problems = [
        *loaded.problems,
        *(locate(problem, documents[id(rule)]) for rule, problem in doubles([rule for rule, _ in loaded.rules])),
        *(locate(problem, document) for rule, document in loaded.rules for problem in warnings(rule)),
        *(locate(problem, document) for rule, document in loaded.rules for problem in schema_problems(rule, catalog)),
        *(locate(problem, document) for _, document in loaded.rules for problem in unquoted_booleans(document)),
    ]
    if not loaded.rules and not problems:
        raise InputError(f"no rule found in {', '.join(map(str, arguments.paths))}")
    errors = [problem for problem in problems if problem.severity == "error"]
    if arguments.output == "json":
        json_line([_as_json(problem) for problem in sorted(problems)])
    else:
        for problem in sorted(problems):
            line(escape(str(problem)))
        if arguments.crd:
            _print_undescribed([rule for rule, _ in loaded.rules], catalog)
        line(f"{len(loaded.rules)} rules, {len(errors)} errors, {len(problems) - len(errors)} warnings")
    return 1 if errors or (arguments.strict and problems) else 0


def _print_undescribed(rules: Sequence[CompiledRule], catalog: SchemaCatalog) -> None:
    titles = sorted({title for rule in rules for title in undescribed(rule, catalog)})
    if titles:
        line(f"{len(titles)} resources have no schema given: {', '.join(titles)}")


def _as_json(problem: LocatedProblem) -> dict[str, object]:
    return {
        "file": problem.place.source,
        "line": problem.place.line,
        "column": problem.place.column,
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }
