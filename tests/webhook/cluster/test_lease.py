"""What is read from a Lease and written into it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.cluster.lease import Observed, observe, released, taken

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def lease(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "statusguard", "resourceVersion": "7"}, "spec": spec}


def test_a_lease_counts_from_when_it_was_first_seen_unchanged() -> None:
    first = observe(lease(holderIdentity="a", renewTime="1"), 100.0, None)
    again = observe(lease(holderIdentity="a", renewTime="1"), 109.0, first)
    renewed = observe(lease(holderIdentity="a", renewTime="2"), 109.0, again)
    assert (again.since, renewed.since) == (100.0, 109.0)


def test_a_change_of_metadata_is_no_renewal() -> None:
    before = observe(lease(holderIdentity="a"), 100.0, None)
    touched = {**lease(holderIdentity="a"), "metadata": {"name": "statusguard", "resourceVersion": "8"}}
    assert observe(touched, 109.0, before).since == 100.0


@pytest.mark.parametrize(("written", "ends"), [(30, 130.0), (None, 115.0), (0, 115.0), (-5, 115.0), ("9", 115.0)])
def test_it_ends_after_the_duration_that_its_holder_wrote(written: object, ends: float) -> None:
    assert Observed({"leaseDurationSeconds": written}, 100.0).ends == ends


def test_a_new_lease_has_no_transition_and_a_time_that_kubernetes_takes() -> None:
    spec = taken({"metadata": {}}, "a")["spec"]
    assert spec["holderIdentity"] == "a"
    assert spec["leaseDurationSeconds"] == 15
    assert spec["leaseTransitions"] == 0
    assert spec["acquireTime"] == spec["renewTime"]
    written = datetime.strptime(spec["renewTime"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    assert abs((datetime.now(UTC) - written).total_seconds()) < 3600


def test_renewing_moves_the_renew_time_only() -> None:
    before = taken({"metadata": {}}, "a")
    before["spec"]["renewTime"] = "earlier"
    after = taken(before, "a")
    assert {name for name in after["spec"] if after["spec"][name] != before["spec"][name]} == {"renewTime"}


def test_taking_over_counts_a_transition_and_keeps_the_resource_version() -> None:
    after = taken(lease(holderIdentity="a", leaseTransitions=4, acquireTime="x"), "b")
    assert after["spec"]["leaseTransitions"] == 5
    assert after["spec"]["acquireTime"] == after["spec"]["renewTime"]
    assert after["metadata"]["resourceVersion"] == "7"


def test_a_released_lease_has_no_holder_and_the_next_one_counts_on() -> None:
    free = released(taken(lease(holderIdentity="a", leaseTransitions=4), "b"))
    assert observe(free, 0.0, None).holder == ""
    assert taken(free, "c")["spec"]["leaseTransitions"] == 6


@given(JSON, JSON, JSON, JSON)
def test_whatever_a_lease_holds_it_can_be_read_and_taken(spec: Any, holder: Any, seconds: Any, count: Any) -> None:
    names = ("holderIdentity", "leaseDurationSeconds", "leaseTransitions")
    for written in (spec, dict(zip(names, (holder, seconds, count), strict=True))):
        found = {"metadata": {}, "spec": written}
        assert observe(found, 1.0, None).ends > 1.0
        assert observe(taken(found, "me"), 1.0, None).holder == "me"
        assert observe(released(found), 1.0, None).holder == ""
