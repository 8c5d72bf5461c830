from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rules.check import is_gone, literal, present
from rules.pairing import Pair
from rules.values import MISSING


@given(st.text(st.sampled_from("{}old new")))
def test_literal_words_mean_themselves(words: str) -> None:
    assert f"{literal(words)} {{old}}".format(old=1) == f"{words} 1"


def test_what_has_no_place_is_absent() -> None:
    assert present(MISSING) is None
    assert present(0) == 0
    assert is_gone(Pair((), 1, MISSING))
    assert not is_gone(Pair((), MISSING, None))
