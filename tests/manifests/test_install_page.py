"""What the installation page tells people to write builds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from webhook.cluster.configurations import LABELS
from webhook.settings import SETTINGS

from .build import OVERLAYS, ROOT, VERSION, container, environment, kustomized, needs_kubectl

PAGE = (ROOT / "docs/install.md").read_text("utf-8")


@needs_kubectl
def test_the_kustomization_builds_and_does_what_it_says(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "kustomization.yaml").write_text(example)
    (tmp_path / "statusguard").symlink_to(ROOT)
    objects = kustomized(tmp_path)
    assert container(objects)["image"] == f"registry.example/statusguard:{VERSION}"
    assert environment(objects)["STATUSGUARD_NAMESPACED_DENY"] == "deployments.apps:stacks.pulumi.com"


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_overlay_is_explained(overlay: str) -> None:
    assert f"| `{overlay}` |" in PAGE


def test_every_variable_is_a_setting() -> None:
    named = set(re.findall(r"STATUSGUARD_[A-Z_]+", PAGE))
    assert named
    assert named <= {setting.variable for setting in SETTINGS}


def test_the_way_out_finds_the_configurations() -> None:
    selectors = set(re.findall(r"validatingwebhookconfigurations -l (\S+)=(\S+)", PAGE))
    assert selectors
    assert selectors <= LABELS.items()
