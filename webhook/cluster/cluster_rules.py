"""The rules in a cluster: compiled when they change, the last valid version kept while the present one is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from rules.compile import CompiledRule, compile_rule
from rules.problem import InvalidRuleError, words

Identity: TypeAlias = tuple[str, str, str]
"""Kind, namespace and name."""


@dataclass(frozen=True, slots=True)
class ClusterRule:
    """One rule object: what it says, the version that is served (None: none was ever valid), and what is wrong with it."""

    manifest: Mapping[str, Any]
    served: CompiledRule | None
    problems: tuple[str, ...] = ()

    @property
    def generation(self) -> int:
        """The generation of the object."""
        return int(self.manifest["metadata"].get("generation") or 0)


class ClusterRules:
    """All rules of a cluster by identity."""

    def __init__(self) -> None:
        self.by_identity: Mapping[Identity, ClusterRule] = {}

    def update(self, manifests: Iterable[Mapping[str, Any]]) -> bool:
        """Take up all rule objects there are now; return whether what is served, or broken, may be another.

        What did not change is not compiled again, and a status that was written is no change.
        """
        fresh: dict[Identity, ClusterRule] = {}
        changed = False
        for manifest in manifests:
            identity = identity_of(manifest)
            known = self.by_identity.get(identity)
            if known is not None and _is_same(known, manifest):
                fresh[identity] = replace(known, manifest=manifest)
            else:
                fresh[identity] = _compiled(manifest, known)
                changed = True
        changed = changed or fresh.keys() != self.by_identity.keys()
        self.by_identity = fresh
        return changed

    def served(self) -> list[CompiledRule]:
        """Return the rules that are served."""
        return [rule.served for rule in self.by_identity.values() if rule.served is not None]


def identity_of(manifest: Mapping[str, Any]) -> Identity:
    """Return what a rule object is known by."""
    metadata = manifest["metadata"]
    return str(manifest.get("kind", "")), str(metadata.get("namespace") or ""), str(metadata["name"])


def _is_same(known: ClusterRule, manifest: Mapping[str, Any]) -> bool:
    """Whether only the status or the like changed: the spec of an object has one content for each generation."""
    before, after = known.manifest["metadata"], manifest["metadata"]
    return (before.get("uid"), before.get("generation")) == (after.get("uid"), after.get("generation"))


def _compiled(manifest: Mapping[str, Any], known: ClusterRule | None) -> ClusterRule:
    same_object = known is not None and known.manifest["metadata"].get("uid") == manifest["metadata"].get("uid")
    last_good = known.served if known is not None and same_object else None
    try:
        return ClusterRule(manifest, compile_rule(manifest))
    except InvalidRuleError as error:
        return ClusterRule(manifest, last_good, tuple(map(words, error.problems)))
