from __future__ import annotations

import importlib
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import PATIENCE, SCRIPT, Ran, in_a_process, started, statusguard
from tests.recordings import recorded
from tests.widgets import rule
from webhook import cli
from webhook.commands import lint


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "r.yaml"
    file.write_text(rule("r"))
    return file


def test_without_a_command_it_says_what_there_is() -> None:
    ran = statusguard()
    assert (ran.code, ran.err) == (0, "")
    assert ran == statusguard("--help")
    for name, summary in cli.COMMANDS.items():
        assert f"  {name:<8} {summary}\n" in ran.out
    assert "example:\n  statusguard demo\n" in ran.out


def test_version() -> None:
    ran = statusguard("--version")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("statusguard ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tset"], "statusguard: argument COMMAND: invalid choice: 'tset' (choose from "),
        (["--", "test"], "statusguard: the command comes first (see statusguard --help)\n"),
        (["--strict", "lint"], "statusguard: unrecognized arguments: --strict (see statusguard --help)\n"),
        (["lint"], "statusguard lint: the following arguments are required: PATH (see statusguard lint --help)\n"),
        (["lint", "--stric", "x"], "statusguard lint: unrecognized arguments: --stric (see statusguard lint --help)\n"),
        (["lint", "x", "--\x1b[2J\n"], "statusguard lint: unrecognized arguments: --\\u001b[2J\\u000a (see "),
    ],
)
def test_wrong_usage_is_one_line_and_2(words: list[str], message: str) -> None:
    ran = statusguard(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(message)
    assert ran.err.count("\n") == 1


def test_a_path_that_is_too_long_is_one_line_and_2() -> None:
    assert statusguard("lint", "x" * 5000) == Ran(2, "", f"{'x' * 5000}: File name too long\n")


def test_an_interrupted_command_ends_with_130(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(lint, "run", interrupted)
    assert statusguard("lint", rules) == Ran(130, "", "")


def test_the_installed_command(rules: Path) -> None:
    ran = in_a_process("lint", rules)
    assert ran == Ran(0, "1 rules, 0 errors, 0 warnings\n", "")


def test_ctrl_c_ends_a_process_without_a_traceback(rules: Path) -> None:
    more_than_a_buffer = 4 * b"".join(bytes(each.review) + b"\n" for each in recorded("recorded-reviews.jsonl.gz"))
    with started("review", "--rules", rules, "-") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(more_than_a_buffer)
        process.stdin.flush()
        assert process.stdout.read(1) == b"{"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, b"")


def test_a_reader_that_has_seen_enough_is_no_error(rules: Path) -> None:
    with started("lint", rules) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 0


def test_a_full_disk_is_one_line_and_3(rules: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [SCRIPT, "lint", rules], stdout=full, stderr=subprocess.PIPE, check=False, timeout=PATIENCE
        )
    assert (ran.returncode, ran.stderr) == (3, b"statusguard: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_streams_that_are_closed(rules: Path, closed: str) -> None:
    broken = rules.parent / "broken.yaml"
    broken.write_text("apiVersion: statusguard.dev/v1alpha1\nkind: StatusRul\n")
    for words, code in (
        [f"lint {rules}", 0],
        [f"lint {broken}", 1],
        ["lint /nowhere", 2],
        [f"review --rules {rules} -", 0],
    ):
        shell = ["sh", "-c", f"exec {SCRIPT} {words} {closed}"]
        ran = subprocess.run(shell, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE)
        assert (ran.returncode, b"Traceback" in ran.stderr) == (code, False)


def test_a_terminal_that_knows_few_characters(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(rule("r").replace("Deny", "Zurückweisen"))
    ran = in_a_process("lint", file, environment={"PYTHONIOENCODING": "ascii"})
    assert ran.code == 1
    assert 'validationActions[0] is "Zur\\xfcckweisen", expected' in ran.out


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    ran = statusguard(name, "--help")
    module = importlib.import_module(f"webhook.commands.{name}")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"usage: statusguard {name} ")
    assert f"example:\n  {module.EXAMPLE}\n" in ran.out
    assert module.EXAMPLE.startswith(f"statusguard {name}")
    # Of export each target has it.
    assert "--output {" in ran.out or name in {"serve", "export"}


def test_no_command_loads_what_only_a_cluster_needs() -> None:
    program = (
        "import importlib, sys; from webhook import cli;"
        "[importlib.import_module(f'webhook.commands.{name}') for name in cli.COMMANDS];"
        "print([name for name in sys.modules if name.startswith(('kubernetes_asyncio', 'webhook.cluster'))])"
    )
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.stdout == "[]\n"
