"""What is served by rules from the cluster.

What the leader wrote into the status of a rule is taken from there: so every replica shows it. Others could write it too, so
nothing is believed of its shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.api import Action
from webhook.certificate_files import CertificateFiles
from webhook.certificates import Certificate
from webhook.cluster.certificate_secret import CertificateSecret
from webhook.cluster.cluster_rules import ClusterRule, Identity
from webhook.cluster.rule_source import RuleSource
from webhook.ui.inventory import Fact, Inventory, ShownRule, State, expiry, first_facts

MODES: Final = frozenset({"Full", "Partial", "Off"})
"""What a prefilter may be."""


def of_cluster(
    source: RuleSource, action: Action | None, certificate: Certificate, problem: str | None, *, leads: bool
) -> Inventory:
    """Return what is served; `problem` is why this replica is not ready, and `leads` whether it writes into the cluster."""
    facts = first_facts("the cluster", action, problem)
    facts.append(Fact("Leader", "this replica" if leads else "not this replica"))
    if isinstance(certificate, CertificateFiles | CertificateSecret):
        facts.append(expiry("Certificate ends", certificate.expires))
    if isinstance(certificate, CertificateSecret):
        facts.append(expiry("Authority ends", certificate.authority_expires))
    remarks = source.plan.remarks
    return Inventory([_shown(*each, action, remarks) for each in source.rules.by_identity.items()], (), facts)


def _shown(
    identity: Identity, rule: ClusterRule, action: Action | None, remarks: Mapping[str, tuple[str, ...]]
) -> ShownRule:
    kind, namespace, name = identity
    title = f"{namespace}/{name}".removeprefix("/")
    said = rule.manifest.get("status")
    status: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
    why_not_ready = _why_not_ready(status)
    return ShownRule(
        title=title,
        kind=kind,
        served=rule.served,
        state=_state(rule, why_not_ready),
        problems=rule.problems or why_not_ready,
        remarks=remarks.get(title, ()),
        prefilter=_mode(status),
        replaced_by=action,
    )


def _state(rule: ClusterRule, why_not_ready: tuple[str, ...]) -> State:
    if rule.served is None:
        return "broken"
    if rule.problems:
        return "last good"
    return "not ready" if why_not_ready else "served"


def _why_not_ready(status: Mapping[str, Any]) -> tuple[str, ...]:
    """Return in one sentence why the API server does not ask for a rule, as far as the leader says."""
    conditions = status.get("conditions")
    for each in conditions if isinstance(conditions, list) else ():
        if isinstance(each, Mapping) and each.get("type") == "Ready":
            return () if each.get("status") == "True" else (str(each.get("message") or "the leader does not say why"),)
    return ("the leader has not written its status yet",)


def _mode(status: Mapping[str, Any]) -> str:
    prefilter = status.get("prefilter")
    mode = prefilter.get("mode") if isinstance(prefilter, Mapping) else None
    return mode if isinstance(mode, str) and mode in MODES else ""
