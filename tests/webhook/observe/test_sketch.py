from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from webhook.observe.sketch import SpaceSaving

STREAMS = st.lists(st.tuples(st.sampled_from("abcdefghij"), st.integers(1, 9)), max_size=200)


@given(st.integers(1, 8), STREAMS)
def test_estimates_are_never_too_low_and_too_high_by_the_error_at_most(
    capacity: int, stream: list[tuple[str, int]]
) -> None:
    sketch, true = SpaceSaving(capacity), Counter[str]()
    for key, count in stream:
        sketch.add(key, count)
        true[key] += count
        assert len(sketch.tracked()) <= capacity
    for tracked in sketch.tracked():
        assert true[tracked.key] <= tracked.estimate <= true[tracked.key] + tracked.error
        assert tracked.counted <= true[tracked.key]
        assert tracked.error <= sketch.total / capacity


@given(st.integers(1, 8), STREAMS)
def test_sums_are_exact(capacity: int, stream: list[tuple[str, int]]) -> None:
    sketch, last = SpaceSaving(capacity), 0
    for number, (key, count) in enumerate(stream, 1):
        sketch.add(key, count)
        assert sketch.total == sum(count for _, count in stream[:number])
        assert sketch.total == sketch.rest + sum(tracked.counted for tracked in sketch.tracked())
        assert sketch.rest >= last  # it is exported as a counter
        last = sketch.rest


@given(st.integers(1, 8), STREAMS)
def test_who_does_more_than_a_fair_part_is_tracked(capacity: int, stream: list[tuple[str, int]]) -> None:
    sketch, true = SpaceSaving(capacity), Counter[str]()
    for key, count in stream:
        sketch.add(key, count)
        true[key] += count
    frequent = {key for key, count in true.items() if count > sketch.total / capacity}
    assert frequent <= {tracked.key for tracked in sketch.tracked()}


@given(STREAMS)
def test_with_room_for_all_it_counts_exactly(stream: list[tuple[str, int]]) -> None:
    sketch, true = SpaceSaving(10), Counter[str]()
    for key, count in stream:
        sketch.add(key, count)
        true[key] += count
    assert {tracked.key: (tracked.counted, tracked.error) for tracked in sketch.tracked()} == {
        key: (count, 0) for key, count in true.items()
    }
    assert sketch.rest == 0


def test_the_newcomer_takes_the_place_of_the_lowest_and_inherits_its_estimate() -> None:
    sketch = SpaceSaving(2)
    for key, count in (("a", 5), ("b", 2), ("c", 1)):
        sketch.add(key, count)
    assert [(each.key, each.counted, each.error, each.estimate) for each in sketch.tracked()] == [
        ("a", 5, 0, 5),
        ("c", 1, 2, 3),
    ]
    assert (sketch.rest, sketch.total) == (2, 8)
