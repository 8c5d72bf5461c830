from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webhook.observe.token_bucket import KeyedBuckets, TokenBucket


def test_a_burst_passes_and_then_one_for_each_token() -> None:
    bucket = TokenBucket(burst=3, rate=0.5)
    assert [bucket.take(100.0) for _ in range(4)] == [True, True, True, False]
    assert not bucket.take(101.9)
    assert bucket.take(102.0)
    assert not bucket.take(102.0)


def test_a_pause_fills_it_up_to_the_burst_and_no_further() -> None:
    bucket = TokenBucket(burst=2, rate=1.0)
    assert [bucket.take(0.0), bucket.take(0.0)] == [True, True]
    assert [bucket.take(1e6) for _ in range(3)] == [True, True, False]


def test_looking_takes_nothing() -> None:
    bucket = TokenBucket(burst=1, rate=0.0)
    assert [bucket.has_token(1.0), bucket.has_token(1.0), bucket.take(1.0), bucket.has_token(1.0)] == [
        True,
        True,
        True,
        False,
    ]


@given(
    burst=st.integers(1, 5),
    rate=st.floats(0.0, 10.0),
    pauses=st.lists(st.floats(0.0, 5.0), min_size=1, max_size=100),
)
def test_no_more_are_taken_than_were_there_and_came_since(burst: int, rate: float, pauses: list[float]) -> None:
    bucket, now, taken = TokenBucket(burst, rate), 0.0, 0
    for pause in pauses:
        now += pause
        taken += bucket.take(now)
    assert taken <= burst + rate * now + 1e-6


def test_each_key_has_a_bucket_of_its_own() -> None:
    buckets = KeyedBuckets(burst=1, rate=0.0, most=10)
    assert [buckets.bucket(key).take(0.0) for key in "aabab"] == [True, False, True, False, False]


def test_the_key_that_was_asked_for_the_longest_ago_is_forgotten() -> None:
    buckets = KeyedBuckets(burst=1, rate=0.0, most=2)
    for key in "abac":
        buckets.bucket(key).take(0.0)
    assert len(buckets) == 2
    assert not buckets.bucket("a").take(0.0)
    assert buckets.bucket("b").take(0.0)


def test_any_number_of_keys_takes_no_more_room() -> None:
    buckets = KeyedBuckets(burst=1, rate=0.0, most=100)
    for key in range(10_000):
        buckets.bucket(key)
    assert len(buckets) == 100
