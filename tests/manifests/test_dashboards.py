"""The Grafana dashboards: what every panel has, and that what they ask for exists."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.docs.test_generated import program
from tests.docs.test_metrics_table import described

from .build import MANIFESTS, kustomized, needs_kubectl, of_kind
from .monitoring import DASHBOARDS, MONITORING, Selected, alerts, dashboard, panel_queries, panels, selected

OF_EVERY_TARGET = {"instance", "job", "le"}
SUFFIX = re.compile(r"_(bucket|count|sum)$")

by_name = pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.stem)


def test_the_dashboards_are_those_of_their_descriptions() -> None:
    made = program("make_monitoring").dashboards()
    assert {path.name: path.read_text("utf-8") for path in DASHBOARDS} == made, "run `make docs`"


def test_there_are_three_and_each_links_to_the_others() -> None:
    found = [dashboard(path) for path in DASHBOARDS]
    assert [each["uid"] for each in found] == ["statusguard-overview", "statusguard-rule", "statusguard-server"]
    assert all(each["tags"] == ["statusguard"] == each["links"][0]["tags"] for each in found)
    linked = set(re.findall(r"/d/([a-z-]+)", "".join(path.read_text("utf-8") for path in DASHBOARDS)))
    assert linked == {"statusguard-rule"}


@by_name
def test_it_can_be_imported_anywhere(path: Path) -> None:
    found = dashboard(path)
    assert not {"__inputs", "__requires", "id", "iteration"} & found.keys()
    datasource, *variables = found["templating"]["list"]
    assert (datasource["type"], datasource["query"], datasource["name"]) == ("datasource", "prometheus", "datasource")
    assert all(each["datasource"]["uid"] == "${datasource}" for each in variables)


@by_name
def test_every_panel_says_what_it_shows_in_which_unit_and_where_from(path: Path) -> None:
    for panel in panels(path):
        assert panel["title"]
        assert panel["description"].endswith(".")
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["targets"]
        for source in (panel, *panel["targets"]):
            assert source["datasource"] == {"type": "prometheus", "uid": "${datasource}"}


@by_name
def test_panels_are_told_apart_and_do_not_overlap(path: Path) -> None:
    found = dashboard(path)["panels"]
    assert len({panel["id"] for panel in found}) == len({panel["title"] for panel in found}) == len(found)
    places = [panel["gridPos"] for panel in found]
    cells = [
        (x, y)
        for place in places
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert all(0 <= x < 24 for x, _ in cells)


@by_name
def test_every_variable_is_used_and_no_other(path: Path) -> None:
    found = dashboard(path)
    written = json.dumps(found["panels"])
    of_grafana = {"__range", "__rate_interval", "__url_time_range", "__data"}
    used = set(re.findall(r"\$\{?(\w+)", written)) - of_grafana
    assert used == {each["name"] for each in found["templating"]["list"]}


def asked() -> set[Selected]:
    """Return what dashboards and alerts read."""
    variables = re.findall(r"label_values\(([^,]+),", "".join(path.read_text("utf-8") for path in DASHBOARDS))
    queries = [*variables, *(query.expr for query in panel_queries()), *(rule["expr"] for rule in alerts().values())]
    return {each for expr in queries for each in selected(expr)}


def test_every_metric_and_label_that_is_asked_for_is_described() -> None:
    tables = described()
    foreign = set()
    for metric, labels in asked():
        row = tables.get(metric) or tables.get(SUFFIX.sub("", metric))
        if row is None:
            foreign.add(metric)
        else:
            assert labels <= row.labels | OF_EVERY_TARGET, metric
    page = MONITORING.read_text("utf-8").partition("## Dashboards")[0]
    assert foreign == set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))


def test_every_metric_of_ours_is_shown() -> None:
    ours = {name for name in described() if name.startswith("statusguard_")}
    shown = {SUFFIX.sub("", each.metric) for query in panel_queries() for each in selected(query.expr)}
    assert len(ours) > 20
    assert ours - shown == set()


@needs_kubectl
def test_the_config_maps_hold_them_for_the_sidecar(tmp_path: Path) -> None:
    (tmp_path / "manifests").symlink_to(MANIFESTS)
    (tmp_path / "kustomization.yaml").write_text(
        "resources: [manifests/overlays/default]\ncomponents: [manifests/components/dashboards]\n"
    )
    found = of_kind(kustomized(tmp_path), "ConfigMap")
    assert {each["metadata"]["namespace"] for each in found} == {"statusguard"}
    assert {each["metadata"]["labels"]["grafana_dashboard"] for each in found} == {"1"}
    held = [(name, json.loads(text)) for each in found for name, text in each["data"].items()]
    assert sorted(name for name, _ in held) == [f"statusguard-{path.name}" for path in DASHBOARDS]
    assert sorted(text["uid"] for _, text in held) == [dashboard(path)["uid"] for path in DASHBOARDS]
