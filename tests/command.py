"""Runs the command line: in this process, where that shows the same, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from webhook.cli import main

SCRIPT = Path(sysconfig.get_path("scripts"), "statusguard")
PATIENCE = 30.0
"""Seconds after which a test gives up on a process."""


@dataclass(frozen=True)
class Ran:
    """What a command left."""

    code: int
    out: str
    err: str


def statusguard(*words: str | Path) -> Ran:
    """Run a command in this process."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code: object = main([str(word) for word in words])
        except SystemExit as usage:
            code = usage.code
    assert isinstance(code, int)
    return Ran(code, out.getvalue(), err.getvalue())


def started(*words: str | Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start the installed command with pipes for all its streams. `environment` is added to ours without our settings."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("STATUSGUARD_")}
    return subprocess.Popen(
        [sys.executable, SCRIPT, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ours, **(environment or {})},
    )


def in_a_process(*words: str | Path, stdin: bytes = b"", environment: Mapping[str, str] | None = None) -> Ran:
    """Run the installed command to its end."""
    with started(*words, environment=environment) as process:
        out, err = process.communicate(stdin, PATIENCE)
    return Ran(process.returncode, out.decode(), err.decode())
