"""The command line: finds the command, and turns whatever goes wrong into one line and an exit code.

Exit codes everywhere: 0 fine, 1 the answer is no, 2 bad input or usage, 3 cannot run here.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import Final, NoReturn, Protocol

from webhook.display import escape
from webhook.errors import CannotRunError, InputError
from webhook.output import error_line

COMMANDS: Final = {
    "serve": "answer the API server's reviews by rules from files or of the cluster",
    "demo": "see it refuse bad writes, without a cluster",
    "check": "judge one write: two objects",
    "review": "answer recorded AdmissionReviews",
    "test": "run test suites of rules",
    "crds": "print the CustomResourceDefinitions of the rules",
    "lint": "find mistakes in rules, and what they cannot see",
    "explain": "say in plain sentences what rules demand, with examples",
    "export": "print rules as native policy, which needs no webhook",
    "library": "list the ready-made rules, or write them out",
}
"""Every command and what it does; its module in `webhook.commands` has its name."""

USAGE, CANNOT_RUN, INTERRUPTED = 2, 3, 130


COLLECT_AFTER: Final = 50_000
"""New objects after which Python looks for garbage in cycles, instead of 700: compiled rules are many objects that stay, and
looking through them again and again took half the time of `lint` on 1,000 rules. What is no cycle is freed at once anyway."""


class Command(Protocol):
    """A module of `webhook.commands`."""

    EXAMPLE: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it; return the exit code. Raises InputError and CannotRunError."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # One line, as all our errors; argparse would print the usage before it.
        self.exit(USAGE, f"{self.prog}: {escape(message)} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the entry point of `statusguard`."""
    gc.set_threshold(COLLECT_AFTER)
    _replace_closed_streams()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may know fewer characters than we use
    try:
        try:
            return _run(list(sys.argv[1:] if argv is None else argv))
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # Nothing more can be written, not even by the interpreter's last flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0  # whoever read our output has seen enough, as `| head` does
        error_line(f"statusguard: {error.strerror or error}")
        return CANNOT_RUN


def _replace_closed_streams() -> None:
    """Let what nobody wants to read go nowhere: Python has None for a stream that was closed when it started (`>&-`)."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115  open as long as the process


def _run(words: Sequence[str]) -> int:
    name = words[0] if words else ""
    if name not in COMMANDS:
        parser = _top_parser()
        parser.parse_args(words or ["--help"])
        parser.error("the command comes first")
    command: Command = importlib.import_module(f"webhook.commands.{name}")
    parser = _Parser(
        prog=f"statusguard {name}",
        description=f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}.",
        epilog=f"example:\n  {command.EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.configure(parser)
    arguments = parser.parse_args(words[1:])
    try:
        return command.run(arguments)
    except InputError as error:
        for text in str(error).split("\n"):
            error_line(text)
        return USAGE
    except CannotRunError as error:
        error_line(f"{parser.prog}: {error}")
        return CANNOT_RUN


def _top_parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:<8} {summary}" for name, summary in COMMANDS.items())
    parser = _Parser(
        prog="statusguard",
        usage="statusguard COMMAND ...",
        description=f"Keeps Kubernetes status honest.\n\ncommands:\n{listed}",
        epilog="example:\n  statusguard demo\n\n`statusguard COMMAND --help` tells more of each.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"statusguard {version('statusguard')}")
    parser.add_argument("command", choices=list(COMMANDS), metavar="COMMAND", help=argparse.SUPPRESS)
    return parser
