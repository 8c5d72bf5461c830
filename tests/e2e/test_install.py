"""Every overlay is applied by kubectl, as the documentation says, and the API server takes all of it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from .api import Object
from .control_plane import ADMIN, ControlPlane
from .install import MANIFESTS, apply
from .process import eventually
from .programs import program
from .widgets import LOOSE

pytestmark = pytest.mark.e2e

OVERLAYS = sorted((MANIFESTS / "overlays").iterdir())


def definition(plural: str, kind: str) -> Object:
    """Return a CRD in place of cert-manager's own."""
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": LOOSE}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.cert-manager.io"},
        "spec": {
            "group": "cert-manager.io",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [version],
        },
    }


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server of these tests' own, with nothing in it but the kinds of cert-manager."""
    with ExitStack() as stack:
        plane = ControlPlane(tmp_path_factory.mktemp("bare"), stack)
        apply(plane.admin, definition("certificates", "Certificate"))
        apply(plane.admin, definition("issuers", "Issuer"))
        served = [f"/apis/cert-manager.io/v1/{plural}" for plural in ("certificates", "issuers")]
        eventually(lambda: all(map(plane.admin.exists, served)))
        yield plane


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda path: path.name)
def test_an_overlay_is_applied(bare: ControlPlane, overlay: Path) -> None:
    words: list[str | Path] = [program("kubectl"), "--kubeconfig", bare.kubeconfig(ADMIN), "apply"]
    words += ["--server-side", "--force-conflicts", "--kustomize", overlay]
    ran = subprocess.run(words, check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "deployment.apps/statusguard serverside-applied\n" in ran.stdout
    applied = [
        "/apis/apps/v1/namespaces/statusguard/deployments/statusguard",
        "/api/v1/namespaces/statusguard/services/statusguard",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/statusguard",
        "/apis/statusguard.dev/v1alpha1/clusterstatusrules",
    ]
    eventually(lambda: all(map(bare.admin.exists, applied)))
