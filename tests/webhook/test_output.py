from __future__ import annotations

import json

import pytest

from webhook.errors import InputError
from webhook.output import error_line, json_line, line, table


def test_a_table_is_as_wide_as_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    table(["A", "LONG HEADING", "C"], [["1", "2", ""], ["a longer cell", "", "3"]])
    assert (
        capsys.readouterr().out == "A              LONG HEADING  C\n1              2\na longer cell                3\n"
    )


def test_a_table_without_rows_has_its_headings(capsys: pytest.CaptureFixture[str]) -> None:
    table(["A", "B"], [])
    assert capsys.readouterr().out == "A  B\n"


def test_nothing_leaves_its_line_or_repaints_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "a\nb\r\x1b[2J\u202e\u2028\x9b"
    shown = r"a\u000ab\u000d\u001b[2J\u202e\u2028\u009b"
    line(hostile)
    error_line(hostile)
    table(["H"], [[hostile]])
    assert capsys.readouterr() == (f"{shown}\nH\n{shown}\n", f"{shown}\n")


def test_json_is_one_line_of_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"a": ["ü", "\u202e", "\U000e0001", "\udcff", "\n"], "b": 2**70}
    json_line(value)
    out = capsys.readouterr().out
    assert (out.count("\n"), out.isascii(), " " in out) == (1, True, False)
    assert json.loads(out) == value


def test_the_lines_of_an_input_error_hold_one_mistake_each() -> None:
    assert str(InputError("a: b\nc", "d: \x1b")) == "a: b\\u000ac\nd: \\u001b"
