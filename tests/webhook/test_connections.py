"""Which connection goes when there is no room."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from webhook.connections import Connections


@dataclass(eq=False)
class Fake:
    busy: bool = False
    known: bool = False
    aborted: bool = False

    def abort(self) -> None:
        self.aborted = True


def book(bound: int, *connections: Fake) -> Connections:
    made = Connections(bound)
    for connection in connections:
        made.add(connection)
        if connection.known:
            made.answered(connection)
    return made


def test_nobody_goes_while_there_is_room() -> None:
    stranger = Fake()
    assert book(2, stranger).make_room()
    assert not stranger.aborted


def test_the_oldest_stranger_goes_first_even_if_it_is_busy() -> None:
    known, old, young = Fake(known=True), Fake(busy=True), Fake()
    connections = book(3, known, old, young)
    assert connections.make_room()
    assert [known.aborted, old.aborted, young.aborted] == [False, True, False]
    assert len(connections) == 2


def test_of_known_connections_the_one_goes_that_was_idle_longest() -> None:
    first, second, third = (Fake(known=True) for _ in range(3))
    connections = book(3, first, second, third)
    connections.answered(first)
    second.busy = True
    assert connections.make_room()
    assert [first.aborted, second.aborted, third.aborted] == [False, False, True]


def test_a_known_connection_that_is_busy_is_never_closed() -> None:
    busy = Fake(known=True, busy=True)
    assert not book(1, busy).make_room()
    assert not busy.aborted


def test_an_answer_to_a_connection_that_left_does_not_bring_it_back() -> None:
    connection = Fake()
    connections = book(1, connection)
    connections.remove(connection)
    connections.answered(connection)
    assert len(connections) == 0


@given(st.integers(1, 4), st.lists(st.tuples(st.sampled_from(["add", "answer", "busy", "leave"]), st.integers(0, 5))))
def test_there_are_never_more_than_the_bound(bound: int, steps: list[tuple[str, int]]) -> None:
    connections = Connections(bound)
    for step, which in steps:
        present = list(connections)
        if step == "add":
            if connections.make_room():
                connections.add(Fake())
            else:
                assert all(isinstance(each, Fake) and each.known and each.busy for each in present)
        elif present:
            chosen = present[which % len(present)]
            if step == "answer":
                connections.answered(chosen)
            elif step == "busy":
                chosen.busy = not chosen.busy
            else:
                connections.remove(chosen)
        assert len(connections) <= bound
        assert not any(isinstance(each, Fake) and each.aborted for each in connections)


async def test_waiting_ends_when_the_last_one_leaves_or_becomes_known() -> None:
    one, other = Fake(), Fake()
    connections = book(2, one, other)
    waiting = asyncio.create_task(connections.until_no_strangers())
    empty = asyncio.create_task(connections.until_empty())
    await asyncio.sleep(0)
    connections.remove(one)
    await asyncio.sleep(0)
    assert not waiting.done()
    connections.answered(other)
    await waiting
    assert not empty.done()
    connections.remove(other)
    await empty
