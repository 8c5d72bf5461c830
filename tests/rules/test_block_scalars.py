from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.documents import parse


def place(written: str, offset: int) -> tuple[int, int]:
    (document,) = parse(written.encode(), "r.yaml")
    found = document.place(("a",), offset)
    return found.line, found.column


@pytest.mark.parametrize(
    ("written", "offset", "expected"),
    [
        ("a: |\n  bcd\n", 0, (2, 3)),
        ("a: |\n  bcd\n  efg\n", 5, (3, 4)),
        ("a: |-\n  bcd\n\n    efg\n", 7, (4, 5)),
        ("a: |\r\n  bcd\r\n  efg\r\n", 5, (3, 4)),
        ("a: |\n\n  bcd\n", 1, (3, 3)),
        ("a: |\n  bcd\n", 99, (2, 6)),
        ("a: &x !!str |\n  bcd\n", 2, (2, 5)),
        ("a: > # folded\n  bcd\n  efg\n", 5, (3, 4)),
        ("a: >\n  bcd\n\n  efg\n", 5, (1, 4)),
        ("a: >\n  bcd\n    efg\n", 5, (1, 4)),
        ("a: |2\n    bcd\n", 1, (1, 4)),
        ("a: |\n", 1, (1, 4)),
    ],
)
def test_where_a_character_is_written(written: str, offset: int, expected: tuple[int, int]) -> None:
    assert place(written, offset) == expected


@given(st.lists(st.text(alphabet="ab é😀#'", min_size=1), min_size=1, max_size=4), st.integers(1, 4), st.data())
def test_each_character_of_a_literal_block_is_found(lines: list[str], indentation: int, data: st.DataObject) -> None:
    lines = [f"x{line}" for line in lines]
    written = "a: |\n" + "".join(f"{' ' * indentation}{line}\n" for line in lines)
    (document,) = parse(written.encode(), "r.yaml")
    value = document.data["a"]
    offset = data.draw(st.integers(0, len(value) - 1))
    line, column = place(written, offset)
    assert (written.splitlines()[line - 1] + "\n")[column - 1] == value[offset]
