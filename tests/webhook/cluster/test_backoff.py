from __future__ import annotations

from webhook.cluster.backoff import Backoff


def test_waits_double_up_to_the_longest_each_shortened_by_at_most_a_half() -> None:
    backoff = Backoff(first=1, longest=5)
    for longest in (1, 2, 4, 5, 5):
        assert longest / 2 <= backoff.next() <= longest


def test_it_begins_again_after_success() -> None:
    backoff = Backoff(first=1, longest=5)
    assert [backoff.next() for _ in range(3)][-1] >= 2
    backoff.reset()
    assert backoff.next() <= 1


def test_no_two_replicas_wait_alike() -> None:
    assert len({Backoff().next() for _ in range(20)}) > 1
