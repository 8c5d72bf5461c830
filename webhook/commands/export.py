"""`statusguard export`: a rule as native policy, which needs no webhook; what is lost is said."""

from __future__ import annotations

import argparse
import importlib
from types import ModuleType
from typing import Final

TARGETS: Final = {
    "vap": "print a ValidatingAdmissionPolicy and its binding for each rule",
    "crd-validations": "print a CustomResourceDefinition with the rules set into its schema",
}
"""Every target and what is printed for it; its module in `webhook.commands` has its name after `export_`."""

EXAMPLE = "statusguard export vap my-rules/ | kubectl apply -f -"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add one parser for each target."""
    targets = parser.add_subparsers(dest="target", required=True, metavar="TARGET", title="targets")
    for name, summary in TARGETS.items():
        module = _module(name)
        below = targets.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=f"example:\n  {module.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.configure(below)


def run(arguments: argparse.Namespace) -> int:
    """Print the rules as the target has it; 1 if something cannot be said, or is lost under --strict."""
    code: int = _module(arguments.target).run(arguments)
    return code


def _module(target: str) -> ModuleType:
    return importlib.import_module(f"webhook.commands.export_{target.replace('-', '_')}")
