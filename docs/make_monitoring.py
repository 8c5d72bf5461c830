"""Makes the Grafana dashboards and the PrometheusRule: `make docs`. Tests compare the files with what this gives.

A dashboard is described in manifests/dashboards/*.yaml: what is not the same in every panel. The alerts are written once, as
Prometheus reads them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import Any, TypeAlias

import yaml

Json: TypeAlias = dict[str, Any]

MANIFESTS = Path(__file__).parents[1] / "manifests"
RULES = MANIFESTS / "alerts/statusguard.rules.yaml"

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
SCHEMA_VERSION = 42
WIDTH = 24
"""Columns of a dashboard."""

SIZES = {"stat": (4, 4), "timeseries": (8, 8), "table": (12, 8), "bargauge": (8, 8)}
"""Columns and rows of a panel that does not say."""

OPTIONS: dict[str, Json] = {
    "stat": {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "value", "graphMode": "none"},
    "timeseries": {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
        "tooltip": {"mode": "multi", "sort": "desc"},
    },
    "table": {"cellHeight": "sm", "showHeader": True},
    "bargauge": {"reduceOptions": {"calcs": ["lastNotNull"]}, "orientation": "horizontal", "displayMode": "basic"},
}
KEYS = {
    *("title", "type", "width", "height", "unit", "description", "expr", "legend", "queries"),
    *("thresholds", "column", "link", "heatmap"),
}

HEAD = """\
# Made by `make docs` from manifests/alerts/statusguard.rules.yaml; do not edit.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: statusguard
  namespace: statusguard
  labels: {app.kubernetes.io/name: statusguard}
spec:
"""


def prometheus_rule() -> str:
    """Return the alerts as the Prometheus operator takes them."""
    lines = RULES.read_text("utf-8").splitlines()
    return HEAD + "".join(f"  {line}".rstrip() + "\n" for line in lines[lines.index("groups:") :])


def dashboards() -> dict[str, str]:
    """Return the text of each dashboard by the name of its file."""
    sources = sorted(path for path in (MANIFESTS / "dashboards").glob("*.yaml") if path.stem != "kustomization")
    return {f"{path.stem}.json": _text(dashboard(yaml.safe_load(path.read_text("utf-8")))) for path in sources}


def dashboard(source: Json) -> Json:
    """Return a dashboard as Grafana stores it."""
    return {
        "uid": source["uid"],
        "title": source["title"],
        "description": source["description"],
        "tags": ["statusguard"],
        "schemaVersion": SCHEMA_VERSION,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "1m",
        "timezone": "browser",
        "time": {"from": source.get("time", "now-6h"), "to": "now"},
        "links": [_links()],
        "templating": {"list": [_datasource(), *map(_variable, source.get("variables", ()))]},
        "annotations": {"list": []},
        "panels": list(_panels(source["panels"])),
    }


def _links() -> Json:
    return {
        "type": "dashboards",
        "title": "Statusguard",
        "tags": ["statusguard"],
        "asDropdown": False,
        "keepTime": True,
    }


def _datasource() -> Json:
    return {"type": "datasource", "name": "datasource", "label": "Prometheus", "query": "prometheus"}


def _variable(source: Json) -> Json:
    several = source.get("multi", False)
    found = {
        "type": "query",
        "name": source["name"],
        "label": source["label"],
        "datasource": DATASOURCE,
        "query": {"query": source["query"], "refId": "Variable"},
        "definition": source["query"],
        "refresh": 2,
        "sort": 1,
        "multi": several,
        "includeAll": several,
    }
    return found | ({"allValue": ".*", "current": {"text": ["All"], "value": ["$__all"]}} if several else {})


def _panels(sources: list[Json]) -> Iterator[Json]:
    """Yield panels from left to right, and on the next line what does not fit any more."""
    left = top = tallest = 0
    for number, source in enumerate(sources, 1):
        row = "row" in source
        kind = "row" if row else source.get("type", "timeseries")
        width, height = (WIDTH, 1) if row else SIZES[kind]
        width, height = source.get("width", width), source.get("height", height)
        if left + width > WIDTH or row:
            left, top, tallest = 0, top + tallest, 0
        place = {"x": left, "y": top, "w": width, "h": height}
        left, tallest = left + width, max(tallest, height)
        if row:
            yield {
                "id": number,
                "type": "row",
                "title": source["row"],
                "collapsed": False,
                "gridPos": place,
                "panels": [],
            }
        else:
            yield {"id": number, "type": kind, "gridPos": place, **_panel(kind, source)}


def _panel(kind: str, source: Json) -> Json:
    if unknown := source.keys() - KEYS:
        raise ValueError(f"{source['title']}: unknown {', '.join(sorted(unknown))}")
    queries = source.get("queries") or [{"expr": source["expr"], "legend": source.get("legend", "")}]
    found = {
        "title": source["title"],
        "description": source["description"],
        "datasource": DATASOURCE,
        "fieldConfig": {"defaults": _defaults(kind, source), "overrides": []},
        "options": OPTIONS[kind],
        "targets": [_target(kind, ref, query, source) for ref, query in zip(ascii_uppercase, queries, strict=False)],
    }
    if kind != "table":
        return found
    columns = {"excludeByName": {"Time": True}, "renameByName": {"Value": source["column"]}}
    return found | {"transformations": [{"id": "organize", "options": columns}]}


def _target(kind: str, ref: str, query: Json, source: Json) -> Json:
    instant = kind != "timeseries"
    return {
        "refId": ref,
        "datasource": DATASOURCE,
        "expr": query["expr"],
        "legendFormat": query.get("legend", ""),
        "instant": instant,
        "range": not instant,
        "format": "table" if kind == "table" else "heatmap" if source.get("heatmap") else "time_series",
    }


def _defaults(kind: str, source: Json) -> Json:
    found: Json = {"unit": source["unit"], "thresholds": {"mode": "absolute", "steps": _steps(source)}}
    if kind != "timeseries" and source["unit"] == "short":
        found["decimals"] = 0  # `increase` extrapolates, and nobody counts a third of a write
    if kind == "timeseries":
        found["min"] = 0
        found["custom"] = {"drawStyle": "line", "fillOpacity": 10, "showPoints": "never"}
    if "link" in source:
        found["links"] = [source["link"]]
    return found


def _steps(source: Json) -> list[Json]:
    steps: list[Json] = [{"color": "green", "value": None}]
    for each in source.get("thresholds", ()):
        if "above" in each:
            steps.append({"color": each["color"], "value": each["above"]})
        else:
            steps = [{"color": each["color"], "value": None}, {"color": "green", "value": each["below"]}]
    return steps


def _text(found: Json) -> str:
    return json.dumps(found, indent=2) + "\n"


if __name__ == "__main__":
    for name, text in dashboards().items():
        (MANIFESTS / "dashboards" / name).write_text(text, encoding="utf-8")
    (MANIFESTS / "components/alerts/prometheus-rule.yaml").write_text(prometheus_rule(), encoding="utf-8")
