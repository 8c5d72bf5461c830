"""Installs Statusguard from its manifests, but for the Deployment: the replicas under test run beside the API server."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import yaml

from .api import Api, done

MANIFESTS: Final = Path(__file__).parents[2] / "manifests"

FILES: Final = (
    "crds/statusguard.dev.yaml",
    *(f"base/{name}.yaml" for name in ("namespace", "service-account", "cluster-role", "role", "configuration-policy")),
)

PATHS: Final = {
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "Namespace": "/api/v1/namespaces",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/statusguard/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/statusguard/rolebindings",
    "Service": "/api/v1/namespaces/statusguard/services",
    "ServiceAccount": "/api/v1/namespaces/statusguard/serviceaccounts",
    "ValidatingAdmissionPolicy": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
}

SERVICE: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "statusguard", "namespace": "statusguard"},
    "spec": {"type": "ExternalName", "externalName": "127.0.0.1"},
}
"""A Service that leads to this machine."""


def install(api: Api) -> None:
    """Apply everything."""
    for file in FILES:
        for document in yaml.safe_load_all((MANIFESTS / file).read_text()):
            apply(api, document)
    apply(api, SERVICE)


def apply(api: Api, document: dict[str, Any]) -> None:
    """Apply an object of a kind that is in the manifests."""
    done(api.apply(f"{PATHS[document['kind']]}/{document['metadata']['name']}", document))
