"""Every overlay is applied by kubectl, as the documentation says, and the API server takes all of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .api import Api, Object
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
def certificates(admin: Api) -> None:
    """The kinds of cert-manager."""
    apply(admin, definition("certificates", "Certificate"))
    apply(admin, definition("issuers", "Issuer"))
    served = [f"/apis/cert-manager.io/v1/{plural}" for plural in ("certificates", "issuers")]
    eventually(lambda: all(map(admin.exists, served)))


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda path: path.name)
def test_an_overlay_is_applied(plane: ControlPlane, certificates: None, overlay: Path) -> None:
    words: list[str | Path] = [program("kubectl"), "--kubeconfig", plane.kubeconfig(ADMIN), "apply"]
    words += ["--server-side", "--force-conflicts", "--dry-run=server", "--kustomize", overlay]
    ran = subprocess.run(words, check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "deployment.apps/statusguard serverside-applied (server dry run)" in ran.stdout
