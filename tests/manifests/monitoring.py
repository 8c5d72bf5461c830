"""The dashboards and alerts as they are in the repository, and what their queries name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from .build import MANIFESTS, ROOT

RULES = MANIFESTS / "alerts/statusguard.rules.yaml"
DASHBOARDS = sorted((MANIFESTS / "dashboards").glob("*.json"))
RUNBOOKS = ROOT / "docs/runbooks"
MONITORING = ROOT / "docs/monitoring.md"

Json = dict[str, Any]

_NOT_A_METRIC = (
    re.compile(r'"[^"]*"'),
    re.compile(r"\[[^]]*\]"),
    re.compile(r"\b(?:by|on|ignoring|without|group_left|group_right)\s*\([^)]*\)"),
)
_THRESHOLD = re.compile(r"\s*(?:==|<|>)\s*\d[\d.]*(?:\s*\*\s*\d+)?(?!\s*\*)(?![\d.])")
_SELECTOR = re.compile(r"\b([a-z_]\w*)\b(?!\s*\()\s*(?:\{([^}]*)\})?")
_WORDS = {"and", "or", "unless", "offset", "bool"}


class Selected(NamedTuple):
    """A metric and the labels by which a query selects its series."""

    metric: str
    labels: frozenset[str]


class Query(NamedTuple):
    """A query of a panel, and where it is."""

    dashboard: str
    panel: str
    expr: str


def dashboard(path: Path) -> Json:
    found: Json = json.loads(path.read_text("utf-8"))
    return found


def panels(path: Path) -> list[Json]:
    """Return the panels that show something."""
    return [panel for panel in dashboard(path)["panels"] if panel["type"] != "row"]


def panel_queries() -> Iterator[Query]:
    for path in DASHBOARDS:
        for panel in panels(path):
            for target in panel["targets"]:
                yield Query(path.stem, panel["title"], target["expr"])


@cache
def alerts() -> dict[str, Json]:
    """Return each alert by its name."""
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    found = [rule for group in groups for rule in group["rules"]]
    assert len(found) == len({rule["alert"] for rule in found})
    return {rule["alert"]: rule for rule in found}


def selected(expr: str) -> Iterator[Selected]:
    """Yield what a query reads."""
    for pattern in _NOT_A_METRIC:
        expr = pattern.sub("", expr)
    for name, matchers in _SELECTOR.findall(expr):
        if name not in _WORDS:
            yield Selected(name, frozenset(re.findall(r"(\w+)\s*[=!]", matchers)))


def without_thresholds(expr: str) -> str:
    """Return what an alert compares with a number, so that it gives something while all is well."""
    return _THRESHOLD.sub("", expr)
