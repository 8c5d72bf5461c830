"""`statusguard crds`: the CustomResourceDefinitions to apply."""

from __future__ import annotations

import argparse
import sys

import yaml

from rules.crd import crds
from webhook.output import json_line

EXAMPLE = "statusguard crds | kubectl apply --server-side -f -"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--output", choices=["yaml", "json"], default="yaml", help="how they are written (default: yaml)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the CRDs."""
    if arguments.output == "json":
        json_line({"apiVersion": "v1", "kind": "List", "items": crds()})
    else:
        sys.stdout.write(manifests())
    return 0


class _Dumper(yaml.SafeDumper):
    """Writes what stands in two places twice: an anchor is nothing to read in a manifest."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        return True


def manifests() -> str:
    """Return the CRDs as YAML documents."""
    return yaml.dump_all(crds(), Dumper=_Dumper, sort_keys=False, width=120, explicit_start=True)
