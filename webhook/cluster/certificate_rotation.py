"""When the serving certificate is replaced, step by step. Pure: what is known in, what to hold next out.

    stage     a new pair is made; its authority joins the bundle, the old pair is served on
    promote   every configuration was seen with the new authority, and for a minute: the new pair is served
    retire    nobody serves the old pair any more: its authority leaves the bundle

So at any moment whatever any replica serves is trusted by whatever any API server has read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final

from cryptography import x509

from webhook.certificates import CertificateError, covers
from webhook.cluster.certificate_material import Issued, Material, authorities_in

PROPAGATION: Final = 60.0
"""Seconds that all configurations hold a new authority before a certificate of it is served: every API server follows them by a
watch of its own, which may lag."""

RETIREMENT: Final = 3_600.0
"""Seconds that a former authority is trusted after its certificate was replaced in the Secret: replicas take the new one up by
a watch, which may be interrupted."""

RENEWAL: Final = 2 / 3
"""The part of a certificate's life after which the next one is staged, as cert-manager has it."""


class Rotation:
    """The leader's memory of since when something holds. A new leader begins anew, which costs time and nothing else."""

    def __init__(self, issue: Callable[[], Issued], names: Collection[str]) -> None:
        """`issue` makes a new pair with an authority of its own. `names` are those by which clients call us."""
        self._issue = issue
        self._names = names
        self._holding: tuple[tuple[str, x509.Certificate], float] | None = None

    def next(self, material: Material, bundles: Iterable[bytes], *, now: float, today: datetime) -> Material | None:
        """Return what to hold instead of `material`, None if nothing is to be done now.

        `bundles` are the caBundles in the cluster's configurations as they are now; they are read only while a pair is staged.
        `now` is a steady clock in seconds, `today` the wall clock, by which certificates expire.
        """
        serving, staged = material.serving, material.staged
        if serving.expires <= today:
            # Nobody accepts it any more: there is nothing to be careful about.
            return material.promoted(self._issue() if staged is None or self._is_due(staged, today) else staged)
        if staged is None:
            return self._settled(material, now, today)
        if self._is_due(staged, today):
            return replace(material, staged=self._issue())
        if not all(_trusts(bundle, staged.authority) for bundle in bundles):
            self._holding = None
            return None
        return material.promoted(staged) if self._lasted("trusted", staged, now) >= PROPAGATION else None

    def restored(self, material: Material) -> Material:
        """Return what to hold after the Secret was deleted or spoilt: what is served, and a successor.

        Who deletes the Secret gets another certificate, without an interruption.
        """
        return replace(material, staged=material.staged or self._issue())

    def _settled(self, material: Material, now: float, today: datetime) -> Material | None:
        if self._is_due(material.serving, today):
            return replace(material, staged=self._issue())
        if material.former and self._lasted("served", material.serving, now) >= RETIREMENT:
            return replace(material, former=frozenset())
        return None

    def _is_due(self, pair: Issued, today: datetime) -> bool:
        begin = pair.leaf.not_valid_before_utc
        return today >= begin + (pair.expires - begin) * RENEWAL or not covers(pair.leaf, self._names)

    def _lasted(self, what: str, pair: Issued, now: float) -> float:
        """Return for how many seconds `what` was so of this pair whenever it was looked at."""
        if self._holding is None or self._holding[0] != (what, pair.leaf):
            self._holding = ((what, pair.leaf), now)
        return now - self._holding[1]


def _trusts(bundle: bytes, authority: x509.Certificate) -> bool:
    try:
        return authority in authorities_in(bundle)
    except CertificateError:
        return False
