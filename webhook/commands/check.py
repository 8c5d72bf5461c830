"""`statusguard check`: judge one write, given as the object before and after."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rules.case_write import write_of
from rules.documents import DocumentError
from rules.ruleset import RuleSet, judge
from rules.suite import Case
from rules.write import Write
from webhook.commands.arguments import add_action, add_rules
from webhook.display import Display
from webhook.errors import InputError
from webhook.files import read_documents
from webhook.message import Wording
from webhook.output import add_output, error_line, json_line, line, table
from webhook.response import respond
from webhook.rule_loading import load_good
from webhook.verdict import Verdict, decide

EXAMPLE = "statusguard check --rules my-rules/ --old before.yaml --object after.yaml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_rules(parser)
    parser.add_argument(
        "--old", type=Path, metavar="FILE", help="the object before; without it the write creates the object"
    )
    parser.add_argument("--object", type=Path, required=True, metavar="FILE", help="the object after")
    parser.add_argument("--resource", metavar="PLURAL", help="the resource (default: guessed from the object's kind)")
    parser.add_argument("--subresource", help='the subresource (default: "status", or "" if the object is created)')
    parser.add_argument("--operation", choices=["UPDATE", "CREATE"], help="default: CREATE without --old, else UPDATE")
    parser.add_argument("--user", default="statusguard-check", help="who writes")
    parser.add_argument("--group", action="append", default=[], help="a group of the user; may be given several times")
    parser.add_argument("--field-manager", default="", help="the field manager that the writer names")
    add_action(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the violations of one write; 1 only if it is denied."""
    rules = RuleSet(load_good(arguments.rules, arguments.action))
    write = write_of(_case(arguments))
    concerned = rules.concerned(write.request)
    verdict = decide(judge(concerned, write), write)
    wording = Wording(Display(arguments.sensitive_path))
    response = respond(verdict, write, wording)
    if arguments.output == "json":
        json_line(_as_json(verdict, response, wording, rules=len(concerned)))
    else:
        _print(verdict, response, wording, write, rules=len(concerned))
    return 0 if verdict.allowed else 1


def _case(arguments: argparse.Namespace) -> Case:
    request = {
        "resource": arguments.resource,
        "subresource": arguments.subresource,
        "operation": arguments.operation,
        "user": {"username": arguments.user, "groups": arguments.group},
        "fieldManager": arguments.field_manager,
    }
    document = {
        "name": "check",
        "old": None if arguments.old is None else _object(arguments.old),
        "object": _object(arguments.object),
        "request": request,
        "expect": {},
    }
    return Case.model_validate(document)


def _object(path: Path) -> Any:
    try:
        documents = read_documents(path)
    except DocumentError as error:
        raise InputError(str(error)) from None
    if len(documents) != 1 or not isinstance(documents[0].data, dict):
        raise InputError(f"{path}: expected one Kubernetes object")
    return documents[0].data


def _as_json(verdict: Verdict, response: dict[str, Any], wording: Wording, *, rules: int) -> dict[str, Any]:
    status = response.get("status", {})
    return {
        "allowed": verdict.allowed,
        "code": status.get("code"),
        "reason": status.get("reason"),
        "message": status.get("message"),
        "warnings": response.get("warnings", []),
        "violations": [wording.entry(judged) for judged in verdict.judged],
        "errors": [{"rule": error.rule, "message": error.message} for error in verdict.errors],
        "rules": rules,
    }


def _print(verdict: Verdict, response: dict[str, Any], wording: Wording, write: Write, *, rules: int) -> None:
    if not rules:
        error_line(f"no rule is about {write.request.title}; see --resource and --subresource")
    if verdict.judged:
        shown = ((wording.entry(each), wording.problem(each.violation)) for each in verdict.judged)
        rows = [
            [entry["action"], entry["rule"], entry["invariant"], entry["field"], problem] for entry, problem in shown
        ]
        table(["ACTION", "RULE", "INVARIANT", "FIELD", "WHAT HAPPENED"], rows)
    for error in verdict.errors:
        line(f"rule {error.rule} could not judge: {error.message}")
    line(_sentence(verdict, response))


def _sentence(verdict: Verdict, response: dict[str, Any]) -> str:
    if verdict.code_and_reason is None:
        return "allowed" if verdict.judged else "allowed, no violation"
    code, reason = verdict.code_and_reason
    return f"denied with {code} {reason}: {response['status']['message']}"
