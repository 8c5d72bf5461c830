from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.ui.difference import difference

VALUES = st.text(st.sampled_from('ab1, "{}\u05d0'), max_size=12)


@pytest.mark.parametrize(
    ("old", "new", "marked_old", "marked_new"),
    [
        ("2", "1", ("", "2", ""), ("", "1", "")),
        ("12", "13", ("", "12", ""), ("", "13", "")),
        ('"Succeeded"', '"Failed"', ('"', "Succeeded", '"'), ('"', "Failed", '"')),
        ("[1,2,3]", "[1,4,3]", ("[1,", "2", ",3]"), ("[1,", "4", ",3]")),
        ("[1]", "[1,1]", ("[1", "", "]"), ("[1", ",1", "]")),
        ("1", "1", ("1", "", ""), ("1", "", "")),
        ("unset", '"unset"', ("", "unset", ""), ("", '"unset"', "")),
        ("<hidden>", "<hidden>", ("", "<hidden>", ""), ("", "<hidden>", "")),
    ],
)
def test_whole_words_are_marked(old: str, new: str, marked_old: tuple[str, ...], marked_new: tuple[str, ...]) -> None:
    assert difference(old, new) == (marked_old, marked_new)


@given(VALUES, VALUES)
def test_nothing_is_lost_and_what_is_not_marked_is_the_same(old: str, new: str) -> None:
    first, second = difference(old, new)
    assert ("".join(first), "".join(second)) == (old, new)
    assert (first.before, first.behind) == (second.before, second.behind)
    assert (first.differs == second.differs) == (old == new)
