"""What is served, as the page shows it, wherever the rules come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from rules.compile import CompiledRule
from webhook.certificates import Certificate
from webhook.certificate_files import CertificateFiles
from webhook.rule_service import RuleService

State: TypeAlias = Literal["broken", "last good", "not ready", "served"]
"""`last good`: the present version is broken, and the one before is served. `not ready`: served, but the API server does not
ask for it (yet)."""

STATES: Final[tuple[State, ...]] = ("broken", "last good", "not ready", "served")
"""Worst first."""


@dataclass(frozen=True, slots=True)
class ShownRule:
    """One rule; `served` is the version that judges, None if none does.

    `problems` is what is wrong with it, `remarks` what is not as it says: only reported, never guarded. `prefilter` is how
    much the API server decides before it calls us, empty where that is not known.
    """

    title: str
    kind: str
    served: CompiledRule | None
    state: State = "served"
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    prefilter: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something to know about this replica; `bad` if somebody should do something about it."""

    name: str
    value: str
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Inventory:
    """All rules, what is wrong with documents that are no rule by name, and facts."""

    rules: Sequence[ShownRule] = ()
    problems: Sequence[str] = ()
    facts: Sequence[Fact] = field(default=())


TakeInventory: TypeAlias = Callable[[], Inventory]
"""Called in the event loop for each page: it must be quick."""


def of_files(rules: RuleService, certificate: Certificate, unready: Callable[[], str | None]) -> Inventory:
    """Return what is served by rules from files."""
    facts = [Fact("Rules from", "files"), readiness(unready())]
    if isinstance(certificate, CertificateFiles):
        facts.append(expiry("Certificate ends", certificate.expires))
    return Inventory(
        tuple(ShownRule(rule.title, rule.source.kind, rule) for rule in rules.rules.rules),
        tuple(map(str, rules.problems)),
        facts,
    )


def readiness(problem: str | None) -> Fact:
    """Return whether this replica is ready, else why not."""
    return Fact("Ready", problem or "yes", bad=problem is not None)


def expiry(name: str, ends: datetime | None) -> Fact:
    """Return when a certificate ends."""
    if ends is None:
        return Fact(name, "not known yet", bad=True)
    now = datetime.now(UTC)
    days = (ends - now).days
    return Fact(name, f"{ends:%Y-%m-%d %H:%M} UTC, in {days:,} days", bad=days < _SOON_DAYS)


_SOON_DAYS: Final = 7
"""Days before its end at which a certificate should have been replaced long ago."""
