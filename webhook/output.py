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
    """Print one line to standard output. It may hold text from anywhere: whatever would not stay on the line is escaped."""
    sys.stdout.write(f"{escape(text)}\n")


def error_line(text: str) -> None:
    """Print one line to standard error, escaped as `line` does."""
    sys.stderr.write(f"{escape(text)}\n")


def json_line(value: Any) -> None:
    """Print a value as one line of compact JSON, in ASCII: safe on any terminal and in any encoding."""
    sys.stdout.write(f"{json.dumps(value, separators=(',', ':'))}\n")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings in columns as wide as they need."""
    shown = [[escape(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *shown, strict=True)]
    for row in [list(headings), *shown]:
        line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
