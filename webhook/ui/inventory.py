"""What is served, as the page shows it, wherever the rules come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias

from rules.api import Action
from rules.compile import CompiledRule
from webhook.certificate_files import CertificateFiles
from webhook.certificates import Certificate
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
    much the API server decides before it calls us, empty where that is not known. `replaced_by` is the action that a setting
    puts in place of that of `served`.
    """

    title: str
    kind: str
    served: CompiledRule | None
    state: State = "served"
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    prefilter: str = ""
    replaced_by: Action | None = None

    @property
    def action(self) -> Action | None:
        """What is done about a violation; None if the rule is not served."""
        return None if self.served is None else self.replaced_by or self.served.source.spec.action


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
    facts: Sequence[Fact] = ()


TakeInventory: TypeAlias = Callable[[], Inventory]
"""Called in the event loop for each page: it must be quick."""

SOON_DAYS: Final = 7
"""Days before its end at which a certificate should have been replaced long ago."""


def of_files(rules: RuleService, action: Action | None, certificate: Certificate, problem: str | None) -> Inventory:
    """Return what is served; `action` is the one that replaces the rules', `problem` why this replica is not ready."""
    facts = first_facts("files", action, problem)
    if isinstance(certificate, CertificateFiles):
        facts.append(expiry("Certificate ends", certificate.expires))
    return Inventory(
        tuple(ShownRule(rule.title, rule.source.kind, rule) for rule in rules.rules.rules),
        tuple(map(str, rules.problems)),
        facts,
    )


def first_facts(source: str, action: Action | None, problem: str | None) -> list[Fact]:
    """Return where rules come from, what replaces their actions, and whether this replica is ready, else why not."""
    replaced = [Fact("Action of every rule", f"{action}, by a setting")] if action else []
    return [Fact("Rules from", source), *replaced, Fact("Ready", problem or "yes", bad=problem is not None)]


def expiry(name: str, ends: datetime | None) -> Fact:
    """Return when a certificate ends."""
    if ends is None:
        return Fact(name, "not known yet", bad=True)
    left = ends - datetime.now(UTC)
    return Fact(name, f"{ends:%Y-%m-%d %H:%M} UTC", bad=left < timedelta(days=SOON_DAYS))
