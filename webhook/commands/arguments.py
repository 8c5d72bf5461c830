"""Arguments that several commands have."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from rules.api import Action
from rules.fieldpath import FieldPath, parse
from rules.path_syntax import FieldPathError


def field_path(written: str) -> FieldPath:
    """Return a field path of the command line; argparse turns the error into a usage error."""
    try:
        return parse(written)
    except FieldPathError as error:
        raise argparse.ArgumentTypeError(f"{written}: {error.message} (at character {error.offset + 1})") from None


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add `--rules`."""
    parser.add_argument(
        "--rules",
        action="append",
        required=True,
        type=Path,
        metavar="PATH",
        help="a rule file, or a folder of them; may be given several times",
    )


def add_action(parser: argparse.ArgumentParser) -> None:
    """Add `--action` and `--sensitive-path`."""
    parser.add_argument(
        "--action", choices=get_args(Action), help="replaces the action of every rule (the library's files say Audit)"
    )
    parser.add_argument(
        "--sensitive-path",
        action="append",
        default=[],
        type=field_path,
        metavar="FIELD",
        help="a field whose value is never printed; may be given several times",
    )
