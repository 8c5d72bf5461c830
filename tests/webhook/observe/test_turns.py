from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from webhook.observe.turns import MAX_BREACHES, MAX_OBJECTS, Object, Subject, Turns

WINDOW = 60.0


def subject(name: str = "w", writer: str = "u", rule: str = "r", invariant: str = "i") -> Subject:
    return Subject(rule, invariant, writer, Object("example.test", "widgets", name))


def crowd(writer: str = "u") -> Subject:
    return Subject("r", "i", writer)


def admitted(turns: Turns, *subjects: Subject, now: float = 0.0) -> list[bool]:
    return [turns.admit(each, now) for each in subjects]


def test_what_repeats_has_one_line_and_is_counted() -> None:
    turns = Turns(WINDOW)
    assert admitted(turns, *[subject()] * 4) == [True, False, False, False]
    assert turns.ended(WINDOW - 0.01) == []
    assert turns.ended(WINDOW) == [(subject(), 3)]


def test_a_line_about_what_was_held_back_opens_a_window() -> None:
    turns = Turns(WINDOW)
    admitted(turns, subject(), subject())
    assert turns.ended(WINDOW) == [(subject(), 1)]
    assert admitted(turns, subject(), now=WINDOW) == [False]
    assert turns.ended(2 * WINDOW - 0.01) == []
    assert turns.ended(2 * WINDOW) == [(subject(), 1)]
    assert turns.ended(3 * WINDOW) == []
    assert admitted(turns, subject(), now=3 * WINDOW) == [True]


def test_nothing_is_said_of_what_did_not_repeat() -> None:
    turns = Turns(WINDOW)
    admitted(turns, subject())
    assert turns.ended(WINDOW) == []
    assert admitted(turns, subject(), now=WINDOW) == [True]


def test_another_rule_invariant_object_or_writer_is_another_line() -> None:
    others = subject("v"), subject(writer="v"), subject(rule="s"), subject(invariant="j")
    assert all(admitted(Turns(WINDOW), subject(), *others))


def test_of_one_writer_only_so_many_objects_are_named() -> None:
    turns = Turns(WINDOW)
    assert sum(admitted(turns, *(subject(str(number)) for number in range(10_000)))) == MAX_OBJECTS
    assert admitted(turns, subject(writer="v")) == [True]
    assert turns.ended(WINDOW) == [(crowd(), 10_000 - MAX_OBJECTS)]


def test_objects_that_go_on_keep_their_place_and_new_ones_wait() -> None:
    turns = Turns(WINDOW)
    names = [subject(str(number)) for number in range(2 * MAX_OBJECTS)]
    for window in range(5):
        now = window * WINDOW
        said = turns.ended(now)
        assert len(said) <= MAX_OBJECTS + 1
        assert sum(admitted(turns, *names, *names, now=now)) == (MAX_OBJECTS if window == 0 else 0)


def test_all_writers_together_are_bounded() -> None:
    turns = Turns(WINDOW)
    writers = [subject(writer=str(number)) for number in range(10_000)]
    assert sum(admitted(turns, *writers)) == MAX_BREACHES
    assert turns.ended(WINDOW) == [(Subject(), 10_000 - MAX_BREACHES)]
    assert sum(admitted(turns, *reversed(writers), now=WINDOW)) == MAX_BREACHES


def test_memory_is_bounded_whatever_comes() -> None:
    turns = Turns(WINDOW)
    for window in range(3):
        now = window * WINDOW / 2
        turns.ended(now)
        for number in range(3 * MAX_BREACHES):
            for name in range(MAX_OBJECTS + 2):
                turns.admit(subject(str(name), writer=f"{window}-{number}"), now)
    assert len(turns._said) <= MAX_OBJECTS * MAX_BREACHES
    assert len(turns._open) <= MAX_BREACHES
    assert len(turns._crowds) <= MAX_BREACHES + 2


def test_without_a_window_nothing_is_held_back_for_long() -> None:
    turns = Turns(0.0)
    for now in range(3):
        assert turns.ended(now) == []
        assert admitted(turns, subject(), now=now) == [True]


SUBJECTS = st.builds(subject, st.sampled_from("vw"), st.sampled_from("ab"))


@given(st.lists(st.tuples(SUBJECTS, st.sampled_from((0.0, 1.0, 30.0, 59.0, 60.0, 130.0))), max_size=60))
def test_lines_and_what_was_held_back_are_together_as_many_as_there_were(steps: list[tuple[Subject, float]]) -> None:
    turns, now = Turns(WINDOW), 0.0
    said, last, lines = Counter[Subject](), dict[Subject, float](), 0
    for each, pause in steps:
        now += pause
        due = turns.ended(now)
        for held, count in due:
            said[held] += count
        new = [held for held, _ in due]
        if turns.admit(each, now):
            said[each] += 1
            new.append(each)
        for line in new:
            assert now - last.get(line, -WINDOW) >= WINDOW
            last[line] = now
        lines += len(new)
    for held, count in turns.rest():
        said[held] += count
    assert said == Counter(each for each, _ in steps)
    assert turns.rest() == []
