"""`statusguard library`: the ready-made rules, listed, or written out to be applied or changed."""

from __future__ import annotations

import argparse
import sys

from rules.diagnosis import suggestion
from webhook.errors import InputError
from webhook.library import LibraryFile, library
from webhook.output import add_output, json_line, table

EXAMPLE = "statusguard library cluster-api | kubectl apply -f -"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="write these files to standard output, as they are (default: list all)"
    )
    parser.add_argument("--test", action="store_true", help="write the suites of the files instead of the rules")
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """List the files, or write out those that are named. Raises InputError for a name that none has."""
    found = library()
    if not arguments.names:
        if arguments.test:
            raise InputError("--test needs the NAME of a file")
        _list(found, arguments.output)
        return 0
    if arguments.output == "json":
        raise InputError("--output json is for the list: a file is written as it is")
    chosen = [_named(name, found) for name in dict.fromkeys(arguments.names)]
    _write([(file.suite if arguments.test else file.rules).read_text("utf-8") for file in chosen])
    return 0


def _list(found: list[LibraryFile], output: str) -> None:
    summaries = [file.summary() for file in found]
    if output == "json":
        json_line(summaries)
        return
    rows = [
        [
            each["name"],
            *(str(each[count]) for count in ("rules", "invariants", "cases")),
            f"{each['title']}{', optional' if each['optional'] else ''}",
        ]
        for each in summaries
    ]
    table(["NAME", "RULES", "INVARIANTS", "CASES", "SYSTEM"], rows)


def _named(name: str, found: list[LibraryFile]) -> LibraryFile:
    chosen = next((file for file in found if file.name == name), None)
    if chosen is None:
        hint = suggestion(name, [file.name for file in found])
        raise InputError(f"there is no file {name} in the library{hint or '; `statusguard library` lists them'}")
    return chosen


def _write(texts: list[str]) -> None:
    """Write files one after the other, so that they are one file of YAML documents."""
    for index, text in enumerate(texts):
        sys.stdout.write(f"---\n{text}" if index else text)
