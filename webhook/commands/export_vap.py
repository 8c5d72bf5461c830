"""`statusguard export vap`: rules as ValidatingAdmissionPolicies with their bindings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rules.native.losses import grouped
from rules.native.message import nothing_hidden
from rules.native.vap import Policy, policy
from rules.yaml_writer import write_yaml
from webhook.commands.arguments import add_action
from webhook.errors import InputError
from webhook.output import error_line, json_line, line
from webhook.rule_loading import load_named
from webhook.sensitive import Sensitive

MAX_NAMESPACE: Final = 63
"""Characters of a namespace's name, which is the value of a label."""

EXAMPLE = "statusguard export vap my-rules/ --rule widgets --action Deny | kubectl apply -f -"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="RULE", help="rule files, or folders of them")
    parser.add_argument("--rule", metavar="NAME", help="only this rule (a StatusRule is named namespace/name)")
    parser.add_argument(
        "--strict", action="store_true", help="print nothing and exit 1 if more is lost than every policy loses"
    )
    parser.add_argument(
        "--output", choices=["yaml", "json"], default="yaml", help="YAML documents, or a List as JSON (default: yaml)"
    )
    add_action(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a policy and its binding for each rule, what is lost to stderr too; 1 if there is nothing to print."""
    hides = Sensitive(arguments.sensitive_path).hides if arguments.sensitive_path else nothing_hidden
    rules = load_named(arguments.paths, arguments.rule)
    policies = [policy(rule.with_action(arguments.action).source, hides) for rule, _ in rules]
    _reject_doubles(policies)
    for each in policies:
        for lost in grouped(each.lost):
            error_line(f"rule {each.rule.title}: lost: {lost}")
    if refused := [said for each in policies for said in _refused(each, strict=arguments.strict)]:
        for said in refused:
            error_line(f"statusguard export vap: {said}")
        return 1
    documents = [document for each in policies for document in each.documents()]
    if arguments.output == "json":
        json_line({"apiVersion": "v1", "kind": "List", "items": documents})
    else:
        for index, each in enumerate(policies):
            _print(each, is_first=index == 0)
    return 0


def _reject_doubles(policies: Sequence[Policy]) -> None:
    known: dict[str, str] = {}
    for each in policies:
        other = known.setdefault(each.name, each.rule.title)
        if other != each.rule.title:
            raise InputError(
                f"rules {other} and {each.rule.title} would have one policy, {each.name}: rename one of them"
            )


def _refused(policy: Policy, *, strict: bool) -> list[str]:
    if not policy.validations:
        return [f"rule {policy.rule.title}: nothing of it can be said in a policy; use --rule to export others alone"]
    if len(policy.rule.metadata.namespace or "") > MAX_NAMESPACE:
        return [f"rule {policy.rule.title}: no namespace has a name of more than {MAX_NAMESPACE} characters"]
    if strict and not policy.is_whole:
        return [f"rule {policy.rule.title}: something of it is lost, and --strict allows nothing"]
    return []


def _print(policy: Policy, *, is_first: bool) -> None:
    if not is_first:
        line("---")
    line(f"# From rule {policy.rule.title}, by statusguard export vap.")
    for lost in grouped(policy.lost):
        line(f"# lost: {lost}")
    sys.stdout.write("---\n".join(map(write_yaml, policy.documents())))
