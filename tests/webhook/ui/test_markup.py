from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.display import short
from webhook.ui.markup import MAX_TEXT, Markup, counted, element, foreign, joined, moment, text

from .views import Read


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_browser_reads_the_words_that_were_given_and_nothing_else(words: str, value: str) -> None:
    read = Read(element("p", words, title=value))
    assert read.elements == [("p", {"title": short(value, MAX_TEXT)})]
    assert read.text == short(words, MAX_TEXT)
    assert read.is_balanced


def test_what_cannot_be_seen_is_shown_as_an_escape() -> None:
    assert text("a\u202eb\x00\n\ud800") == r"a\u202eb\u0000\u000a\ud800"


def test_words_of_a_megabyte_are_cut() -> None:
    assert len(text("x" * 1_000_000)) == MAX_TEXT


def test_markup_is_left_as_it_is_and_numbers_are_words() -> None:
    assert element("b", Markup("<i>"), 7) == "<b><i>7</b>"
    assert joined(["<", Markup("&amp;")], ", ") == "&lt;, &amp;"


def test_attributes_are_named_as_in_html_and_left_out_if_they_are_none() -> None:
    assert element("i", class_="a b", aria_label="c", viewBox="0", id=None, x=1.5) == (
        '<i class="a b" aria-label="c" viewBox="0" x="1.5"></i>'
    )
    assert element("meta", name="n") == '<meta name="n">'


def test_foreign_words_turn_nothing_beside_them() -> None:
    assert foreign("<") == '<bdi dir="ltr">&lt;</bdi>'


def test_a_time_is_utc() -> None:
    at = datetime(2026, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert moment(at) == '<time datetime="2025-12-31T23:30:00Z">2025-12-31 23:30:00 UTC</time>'


@pytest.mark.parametrize(("number", "words"), [(0, "0 rules"), (1, "1 rule"), (1_000, "1,000 rules")])
def test_a_number_has_its_noun(number: int, words: str) -> None:
    assert counted(number, "rule") == words
