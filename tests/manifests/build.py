"""Builds what `kubectl apply -k` would apply."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rules.documents import parse

ROOT = Path(__file__).parents[2]
MANIFESTS = ROOT / "manifests"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
OVERLAYS = sorted(folder.name for folder in (MANIFESTS / "overlays").iterdir())

PROGRAMS = os.environ.get("KUBEBUILDER_ASSETS", "/usr/local/kubebuilder/bin")
KUBECTL = shutil.which("kubectl", path=os.pathsep.join([PROGRAMS, os.environ.get("PATH", os.defpath)]))

needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="kubectl is neither in KUBEBUILDER_ASSETS nor in PATH")

Object = dict[str, Any]


@cache
def kustomized(folder: Path) -> tuple[Object, ...]:
    """Return the objects of a kustomization."""
    assert KUBECTL is not None
    ran = subprocess.run([KUBECTL, "kustomize", folder], capture_output=True, timeout=30, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    return tuple(document.data for document in parse(ran.stdout, f"{folder.name}.yaml"))


def overlay(name: str) -> tuple[Object, ...]:
    return kustomized(MANIFESTS / "overlays" / name)


def of_kind(objects: tuple[Object, ...], kind: str) -> list[Object]:
    return [each for each in objects if each["kind"] == kind]


def the(objects: tuple[Object, ...], kind: str) -> Object:
    """Return the only object of a kind."""
    (found,) = of_kind(objects, kind)
    return found


def names(objects: tuple[Object, ...], kind: str) -> set[str]:
    return {each["metadata"]["name"] for each in of_kind(objects, kind)}


def pod(objects: tuple[Object, ...]) -> Object:
    """Return the spec of the pods."""
    spec = the(objects, "Deployment")["spec"]["template"]["spec"]
    assert isinstance(spec, dict)
    return spec


def container(objects: tuple[Object, ...]) -> Object:
    (found,) = pod(objects)["containers"]
    assert isinstance(found, dict)
    return found


def environment(objects: tuple[Object, ...]) -> dict[str, str]:
    """Return the variables with a value that is written in the manifest."""
    return {each["name"]: each["value"] for each in container(objects)["env"] if "value" in each}


def permissions(objects: tuple[Object, ...]) -> Iterator[Object]:
    for kind in ("Role", "ClusterRole"):
        for role in of_kind(objects, kind):
            yield from role["rules"]
