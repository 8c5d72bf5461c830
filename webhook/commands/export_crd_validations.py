"""`statusguard export crd-validations`: a CustomResourceDefinition with rules set into its schema."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from rules.api import Rule
from rules.documents import DocumentError
from rules.native.crd_rule import NotAboutError
from rules.native.crd_validations import CrdValidations, crd_validations
from rules.native.losses import grouped
from rules.schemas.crd import is_crd, read_crds
from rules.schemas.resources import InvalidSchemaError
from rules.yaml_writer import write_yaml
from webhook.commands.arguments import add_action
from webhook.errors import InputError
from webhook.files import read_documents
from webhook.output import error_line, json_line, line
from webhook.rule_loading import load_named
from webhook.sensitive import Sensitive

EXAMPLE = "statusguard export crd-validations my-rules/ --rule widgets --crd widgets.crd.yaml > widgets.guarded.yaml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="RULE", help="rule files, or folders of them")
    parser.add_argument("--rule", metavar="NAME", help="only this rule (a StatusRule is named namespace/name)")
    parser.add_argument(
        "--crd", required=True, type=Path, metavar="FILE", help="the CustomResourceDefinition, as YAML or JSON"
    )
    parser.add_argument(
        "--strict", action="store_true", help="print nothing and exit 1 if more is lost than every schema loses"
    )
    parser.add_argument(
        "--output", choices=["yaml", "json"], default="yaml", help="the CRD as YAML or as JSON (default: yaml)"
    )
    add_action(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the CRD with all rules that are about it, what is lost to stderr too; 1 if there is nothing to print."""
    definition = _definition(arguments.crd)
    named = load_named(arguments.paths, arguments.rule)
    rules = [rule.with_action(arguments.action).source for rule, _ in named]
    found = list(_said(rules, definition, Sensitive(arguments.sensitive_path)))
    for each in found:
        for said in _remarks(each):
            error_line(f"rule {each.rule.title}: {said}")
    if refused := [said for each in found for said in _refused(each, strict=arguments.strict)]:
        for said in refused:
            error_line(f"statusguard export crd-validations: {said}")
        return 1
    for each in found:
        definition = each.set_into(definition)
    if arguments.output == "json":
        json_line(_plain(definition))
        return 0
    for each in found:
        line(f"# From rule {each.rule.title}, by statusguard export crd-validations.")
        for said in _remarks(each):
            line(f"# {said}")
    sys.stdout.write(write_yaml(definition, in_blocks=True))
    return 0


def _said(rules: Sequence[Rule], definition: dict[str, Any], sensitive: Sensitive) -> Iterator[CrdValidations]:
    """Yield the rules that are about a CRD. Raises InputError if none is."""
    others: list[str] = []
    for rule in rules:
        try:
            yield crd_validations(rule, definition, sensitive.hides)
        except NotAboutError as error:
            others.append(str(error))
    if len(others) == len(rules):
        raise InputError(*others)


def _remarks(found: CrdValidations) -> list[str]:
    lost = [f"lost: {each}" for each in grouped(found.lost)]
    return [*lost, *(f"cost: may be refused: {each}" for each in found.costs)]


def _refused(found: CrdValidations, *, strict: bool) -> list[str]:
    if not found.validations:
        return [f"rule {found.rule.title}: nothing of it can be said in a schema; use --rule to export others alone"]
    if strict and not found.is_whole:
        return [f"rule {found.rule.title}: something of it is lost, and --strict allows nothing"]
    return []


def _definition(path: Path) -> dict[str, Any]:
    """Return the one CRD of a file. Raises InputError."""
    try:
        documents = read_documents(path)
    except DocumentError as error:
        raise InputError(str(error)) from None
    found = [document for document in documents if is_crd(document.data)]
    if len(found) != 1 or "spec" not in found[0].data:
        raise InputError(f"{path}: expected one CustomResourceDefinition, found {len(found) or 'none'}")
    (document,) = found
    try:
        read_crds(document.data)
    except InvalidSchemaError as error:
        raise InputError(*(f"{document.place(each.location)}: {each.message}" for each in error.problems)) from None
    definition: dict[str, Any] = document.data
    return definition


def _plain(value: Any) -> Any:
    """Return a document with its decimals as floats, as JSON is written."""
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
