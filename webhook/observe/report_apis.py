"""The APIs of policy reports that a cluster may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ReportKind:
    """One of the two kinds of a report's API."""

    kind: str
    plural: str


@dataclass(frozen=True, slots=True)
class ReportApi:
    """An API of policy reports: the kind for namespaces, and the kind for what is in none."""

    api_version: str
    of_namespace: ReportKind
    of_cluster: ReportKind
    names_source: bool = False

    def kind(self, namespace: str) -> str:
        """Return the kind of the report of a namespace, of the cluster if that is empty."""
        return (self.of_namespace if namespace else self.of_cluster).kind

    def collection(self, namespace: str) -> str:
        """Return the REST path of the reports of a namespace, of the cluster if that is empty."""
        root = f"/apis/{self.api_version}"
        if namespace:
            return f"{root}/namespaces/{namespace}/{self.of_namespace.plural}"
        return f"{root}/{self.of_cluster.plural}"


APIS: Final = (
    ReportApi(
        "openreports.io/v1alpha1",
        ReportKind("Report", "reports"),
        ReportKind("ClusterReport", "clusterreports"),
        names_source=True,
    ),
    ReportApi(
        "wgpolicyk8s.io/v1alpha2",
        ReportKind("PolicyReport", "policyreports"),
        ReportKind("ClusterPolicyReport", "clusterpolicyreports"),
    ),
)
"""What a cluster may have; the first one found is used."""
