"""The rotation, with clocks that the test moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from webhook.cluster.certificate_material import Issued, Material, authorities_in, bundle_of
from webhook.cluster.certificate_rotation import PROPAGATION, RETIREMENT, Rotation

from .pairs import NAME, new_pair

Seen = TypeVar("Seen")

ONE, OTHER, THIRD = new_pair(), new_pair(), new_pair()
TODAY = datetime.now(UTC)
DUE = TODAY + timedelta(days=61)
EXPIRED = TODAY + timedelta(days=91)
STAGED = Material(ONE, OTHER)
OLD_BUNDLE, BUNDLE = Material(ONE).bundle, STAGED.bundle


def rotation(*made: Issued, names: Sequence[str] = (NAME,)) -> Rotation:
    return Rotation(iter(made).__next__, names)


def test_nothing_is_done_while_a_certificate_is_young() -> None:
    assert rotation().next(Material(ONE), (), now=0, today=TODAY + timedelta(days=59)) is None


def test_after_two_thirds_of_its_life_a_successor_is_staged() -> None:
    assert rotation(OTHER).next(Material(ONE), (), now=0, today=DUE) == STAGED


def test_a_certificate_that_is_not_for_our_names_gets_a_successor() -> None:
    assert rotation(OTHER, names=[NAME, "10.0.0.1"]).next(Material(ONE), (), now=0, today=TODAY) == STAGED
    assert rotation(OTHER, names=[NAME, "localhost", "::1"]).next(Material(ONE), (), now=0, today=TODAY) is None


def test_the_successor_is_served_once_all_configurations_have_trusted_it_for_a_minute() -> None:
    machine = rotation()
    assert machine.next(STAGED, [BUNDLE, BUNDLE], now=100, today=TODAY) is None
    assert machine.next(STAGED, [BUNDLE, BUNDLE], now=159.9, today=TODAY) is None
    assert machine.next(STAGED, [BUNDLE, BUNDLE], now=160, today=TODAY) == STAGED.promoted(OTHER)


@pytest.mark.parametrize("bundle", [OLD_BUNDLE, b"", b"no certificate", bundle_of({THIRD.authority})])
def test_one_configuration_that_does_not_trust_it_holds_everything_up(bundle: bytes) -> None:
    machine = rotation()
    for now in (0, 100, 1_000):
        assert machine.next(STAGED, [BUNDLE, bundle], now=now, today=TODAY) is None


def test_the_minute_begins_anew_when_a_configuration_lost_the_bundle() -> None:
    machine = rotation()
    machine.next(STAGED, [BUNDLE], now=0, today=TODAY)
    machine.next(STAGED, [OLD_BUNDLE], now=50, today=TODAY)
    assert machine.next(STAGED, [BUNDLE], now=61, today=TODAY) is None
    assert machine.next(STAGED, [BUNDLE], now=121, today=TODAY) == STAGED.promoted(OTHER)


def test_the_minute_is_that_of_one_certificate() -> None:
    machine = rotation()
    third = Material(ONE, THIRD)
    machine.next(STAGED, [BUNDLE], now=0, today=TODAY)
    assert machine.next(third, [third.bundle], now=61, today=TODAY) is None


def test_without_any_configuration_nobody_has_to_be_waited_for_but_the_minute() -> None:
    machine = rotation()
    assert machine.next(STAGED, [], now=0, today=TODAY) is None
    assert machine.next(STAGED, [], now=60, today=TODAY) == STAGED.promoted(OTHER)


def test_the_former_authority_is_trusted_for_an_hour_more() -> None:
    machine, promoted = rotation(), STAGED.promoted(OTHER)
    machine.next(STAGED, [BUNDLE], now=0, today=TODAY)
    assert machine.next(promoted, (), now=100, today=TODAY) is None
    assert machine.next(promoted, (), now=3_699, today=TODAY) is None
    assert machine.next(promoted, (), now=3_700, today=TODAY) == Material(OTHER)


def test_an_expired_certificate_is_replaced_at_once() -> None:
    fresh = new_pair(days=400)
    former = frozenset({ONE.authority})
    assert rotation(fresh).next(Material(ONE), (), now=0, today=EXPIRED) == Material(fresh, None, former)
    assert rotation().next(Material(ONE, fresh), (), now=0, today=EXPIRED) == Material(fresh, None, former)


def test_a_successor_that_waited_too_long_is_replaced() -> None:
    fresh = new_pair(days=400)
    young = Material(new_pair(days=300), OTHER)
    assert rotation(fresh).next(young, [young.bundle], now=0, today=DUE) == replace(young, staged=fresh)
    replaced = Material(fresh, None, frozenset({ONE.authority}))
    assert rotation(fresh).next(STAGED, [BUNDLE], now=0, today=EXPIRED) == replaced


def test_a_lost_secret_comes_back_with_what_is_served_and_a_successor() -> None:
    assert rotation(OTHER).restored(Material(ONE)) == STAGED
    assert rotation().restored(STAGED) == STAGED


class Cluster(RuleBasedStateMachine):
    """A leader, replicas and API servers, each in its own time: nobody may ever meet a certificate that it does not trust.

    An API server lags less than a minute behind the configurations, a replica less than an hour behind the Secret.
    """

    @initialize()
    def begin(self) -> None:
        self.now = 0.0
        self.today = TODAY
        self.secret = Material(self.issue())
        self.configured = self.secret.bundle
        self.served = [(0.0, self.secret.serving)]
        self.trusted = [(0.0, authorities_in(self.configured))]
        self.rotation = Rotation(self.issue, [NAME])

    def issue(self) -> Issued:
        return new_pair(days=90 + (self.today - TODAY).days)

    @rule(seconds=st.sampled_from([1, 20, 59, 61, 1_000, 3_500, 3_700]))
    def time_passes(self, seconds: int) -> None:
        self.now += seconds

    @rule()
    def the_leader_looks(self) -> None:
        bundles = [self.configured] if self.secret.staged else []
        self.secret = self.rotation.next(self.secret, bundles, now=self.now, today=self.today) or self.secret
        if self.secret.serving != self.served[-1][1]:
            self.served.append((self.now, self.secret.serving))

    @rule()
    def the_leader_writes_the_configurations(self) -> None:
        if self.configured != self.secret.bundle:
            self.configured = self.secret.bundle
            self.trusted.append((self.now, authorities_in(self.configured)))

    @rule()
    def another_leader_is_elected(self) -> None:
        self.rotation = Rotation(self.issue, [NAME])

    @rule()
    def the_secret_is_deleted(self) -> None:
        self.secret = self.rotation.restored(self.secret)

    @precondition(lambda self: self.secret.staged is None and self.configured == self.secret.bundle)
    @precondition(lambda self: self.secret.serving.expires > self.today + timedelta(days=61))
    @rule()
    def two_months_pass(self) -> None:
        self.now += timedelta(days=61).total_seconds()
        self.today += timedelta(days=61)

    @invariant()
    def every_api_server_trusts_every_replica(self) -> None:
        for pair in lately(self.served, self.now - RETIREMENT):
            for trusted in lately(self.trusted, self.now - PROPAGATION):
                assert pair.authority in trusted


def lately(history: list[tuple[float, Seen]], since: float) -> list[Seen]:
    """Return what was so at any time after `since`."""
    ends = [begin for begin, _ in history[1:]] + [math.inf]
    return [what for (_, what), end in zip(history, ends, strict=True) if end > since]


TestCluster = Cluster.TestCase
TestCluster.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
