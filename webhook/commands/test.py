"""`statusguard test`: run declarative test suites."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rules.case_result import Broken, Outcome, differences
from rules.case_write import write_of
from rules.compile import CompiledRule
from rules.documents import Document, DocumentError
from rules.ruleset import judge
from rules.suite import Case, Suite, SuiteError, is_suite, load, misnamed
from rules.write import Write
from webhook.errors import InputError
from webhook.files import read_documents
from webhook.output import add_output, json_line, line
from webhook.progress import Progress
from webhook.rule_loading import scan
from webhook.verdict import decide

EXAMPLE = "statusguard test rules/library"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="suites, or folders that are searched for them"
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run every suite; 0 if all cases pass, 1 if some fail. Raises InputError for a file that cannot be used."""
    suites, unusable = _load(arguments.paths)
    if not suites and not unusable:
        raise InputError(f"no suite (kind: StatusRuleTest) found in {', '.join(map(str, arguments.paths))}")
    results = []
    with Progress("cases", sum(len(suite.cases) for suite in suites)) as progress:
        for suite in suites:
            for index, case in enumerate(suite.cases):
                results.append(_result(suite, index, case))
                progress.step()
    failed = [result for result in results if result["differences"]]
    if arguments.output == "json":
        json_line({"passed": len(results) - len(failed), "failed": len(failed), "cases": results})
    else:
        _print(results, failed)
    if unusable:
        raise InputError(*unusable)
    return 1 if failed else 0


def _load(paths: list[Path]) -> tuple[list[Suite], list[str]]:
    found = scan(paths)
    suites: list[Suite] = []
    unusable = list(map(str, found.errors))
    for file in found.files:
        for document in file.documents:
            if problem := misnamed(document):
                unusable.append(str(problem))
            if is_suite(document.data):
                try:
                    suites.append(load(document, partial(_rules, file.path.parent)))
                except SuiteError as error:
                    unusable += map(str, error.problems)
                except DocumentError as error:
                    unusable.append(str(error))
                except InputError as error:
                    unusable.append(f"{document.place(('rules',))}: {error}")
    return suites, unusable


def _rules(folder: Path, name: str) -> list[Document]:
    return read_documents(folder / name)


def _result(suite: Suite, index: int, case: Case) -> dict[str, Any]:
    write = write_of(case)
    concerned = suite.rules.concerned(write.request)
    found = differences(case, _outcome(concerned, write))
    if found and not concerned:
        found.append(f"no rule of the suite is about {write.request.title}; see `request` of a case")
    return {
        "suite": suite.name,
        "case": case.name,
        "place": str(suite.document.place(("cases", index))),
        "differences": found,
    }


def _outcome(concerned: Sequence[CompiledRule], write: Write) -> Outcome:
    verdict = decide(judge(concerned, write), write)
    violations = (judged.violation for judged in verdict.judged)
    return Outcome(
        verdict.allowed,
        verdict.code_and_reason[0] if verdict.code_and_reason else None,
        verdict.warnings,
        tuple(Broken(violation.rule, violation.invariant, violation.field) for violation in violations),
        verdict.errors[0].message if verdict.errors else None,
    )


def _print(results: list[dict[str, Any]], failed: list[dict[str, Any]]) -> None:
    for result in failed:
        line(f"FAIL {result['place']}: {result['suite']}: {result['case']}")
        for difference in result["differences"]:
            line(f"     {difference}")
    line(f"{len(results) - len(failed)} passed, {len(failed)} failed")
