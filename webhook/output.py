"""What commands print: a table for people, JSON for programs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from webhook.display import escape


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add `--output`, which every command has."""
    parser.add_argument(
        "--output", choices=["table", "json"], default="table", help="for people or for programs (default: table)"
    )


def line(text: str = "") -> None:
    """Print one line to standard output."""
    sys.stdout.write(f"{text}\n")


def error_line(text: str) -> None:
    """Print one line to standard error."""
    sys.stderr.write(f"{text}\n")


def json_line(value: Any) -> None:
    """Print a value as one line of compact JSON."""
    line(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings in columns as wide as they need; what rows hold is escaped."""
    shown = [[escape(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *shown, strict=True)]
    for row in [list(headings), *shown]:
        line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
