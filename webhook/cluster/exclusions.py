"""What is never guarded, whatever a rule says: writes without which a cluster cannot run, or mend itself.

A rule that names one of these is served without it, and its status says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rules.api import API_VERSION

STATUSGUARD_GROUP: Final = API_VERSION.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Resources of a group that are never guarded, and why.

    `*` among the resources is all of the group; `subresources` is None where all are meant, and the resource itself.
    """

    group: str
    resources: frozenset[str]
    why: str
    subresources: frozenset[str] | None = None

    def covers(self, group: str, resource: str) -> bool:
        """Tell whether all is excluded that a rule means by a group and a resource (`pods/status`, `*/status`)."""
        name, _, subresource = resource.partition("/")
        return (
            group == self.group
            and ("*" in self.resources or name in self.resources)
            and (self.subresources is None or subresource in self.subresources)
        )

    def touches(self, group: str, resource: str) -> bool:
        """Tell whether a part is excluded of what a rule means by a group and a resource."""
        name, _, subresource = resource.partition("/")
        return (
            group in ("*", self.group)
            and (name == "*" or "*" in self.resources or name in self.resources)
            and (self.subresources is None or subresource == "*" or subresource in self.subresources)
        )


EXCLUSIONS: Final = (
    Exclusion(
        "coordination.k8s.io",
        frozenset({"leases", "leasecandidates"}),
        "leader election and node heartbeats go through leases",
    ),
    Exclusion("", frozenset({"events"}), "events are how trouble is told"),
    Exclusion("events.k8s.io", frozenset({"events"}), "events are how trouble is told"),
    Exclusion("authentication.k8s.io", frozenset({"*"}), "every request is authenticated by reviews"),
    Exclusion("authorization.k8s.io", frozenset({"*"}), "every request is authorized by reviews"),
    Exclusion(
        "admissionregistration.k8s.io", frozenset({"*"}), "whoever mends the admission configuration must not need us"
    ),
    Exclusion(
        "apiextensions.k8s.io", frozenset({"*"}), "no CRD becomes established while its status writes are refused"
    ),
    Exclusion("apiregistration.k8s.io", frozenset({"*"}), "the API server writes the state of aggregated APIs itself"),
    Exclusion("certificates.k8s.io", frozenset({"*"}), "nodes join by certificate signing requests"),
    Exclusion("flowcontrol.apiserver.k8s.io", frozenset({"*"}), "the API server keeps itself alive by flow control"),
    Exclusion("", frozenset({"namespaces"}), "a namespace could not be deleted", frozenset({"status", "finalize"})),
    Exclusion(STATUSGUARD_GROUP, frozenset({"*"}), "our own rules are mended by writing them"),
)

SOFT: Final = frozenset({("", "nodes"), ("", "pods"), ("", "persistentvolumes")})
"""(group, resource) pairs that are only reported, unless the settings say more: the kubelet writes them all the time, and a
node whose status is refused is taken for dead."""


def why_excluded(group: str, resource: str) -> str | None:
    """Return why a resource (`pods/status`) of a group is never guarded; None if it may be, or if a part of it may be."""
    return next((each.why for each in EXCLUSIONS if each.covers(group, resource)), None)


def left_out(group: str, resource: str) -> tuple[Exclusion, ...]:
    """Return the exclusions of which a rule means a part: what they name has to be left out of its entry."""
    return tuple(each for each in EXCLUSIONS if each.touches(group, resource))


def soft_parts(group: str, resource: str) -> tuple[str, ...]:
    """Return the resources of the core group that are only reported, as far as a wildcard means them: `pods/status`."""
    name, slash, subresource = resource.partition("/")
    if name != "*" or group not in ("*", ""):
        return ()
    return tuple(f"{each}{slash}{subresource}" for _, each in sorted(SOFT))
