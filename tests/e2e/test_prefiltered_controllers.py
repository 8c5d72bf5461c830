"""A thousand status writes of Kubernetes' own controllers under the library's rules: the API server asks nobody about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.library import LIBRARY

from .api import Api, done
from .control_plane import ControlPlane
from .replica import Replica
from .rules import Rules
from .workloads import Workloads, are_ready, replicated

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

WANTED: Final = 1_000
DEPLOYMENTS: Final = 30


@pytest.fixture(scope="module", autouse=True)
def controllers(plane: ControlPlane) -> Iterator[None]:
    with plane.controllers():
        yield


@pytest.fixture
def rules(guard: Replica, admin: Api) -> Iterator[Rules]:
    """The library's rules for Kubernetes' own controllers and those for everything, all of which refuse."""
    rules = Rules(admin)
    for name in ("kubernetes.yaml", "generic.yaml"):
        for manifest in yaml.safe_load_all((LIBRARY / name).read_text()):
            manifest["spec"]["validationActions"] = ["Deny"]
            rules.serve(manifest)
    yield rules
    rules.delete_all()


def skipped(admin: Api) -> float:
    """Return how many status writes the API server decided by the prefilter of the rules for everything, pods aside."""
    return _count(admin, "apiserver_admission_match_condition_exclusions_total", "any-status.")


def failed(admin: Api) -> float:
    return _count(admin, "apiserver_admission_match_condition_evaluation_errors_total", "")


def _count(admin: Api, metric: str, hook: str) -> float:
    text = admin.call("GET", "/metrics").body
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == metric
        and sample.labels["name"].startswith(hook)
        and sample.labels["name"].endswith(".statusguard.dev")
    )


def called(guard: Replica) -> float:
    """Return how many writes were brought to us; the canary's are dry runs."""
    return guard.count("statusguard_requests_total", dry_run="false")


def test_a_thousand_honest_writes_make_no_call_and_a_bad_one_does(guard: Replica, rules: Rules, admin: Api) -> None:
    workloads = Workloads.created(admin, "prefiltered")
    before, calls = skipped(admin), called(guard)
    paths = [
        workloads.create("deployments", f"d{number}", replicated(f"d{number}", 1)) for number in range(DEPLOYMENTS)
    ]
    replicas = 1
    while skipped(admin) - before < WANTED:
        replicas = replicas % 3 + 1
        for path in paths:
            done(admin.merge(path, {"spec": {"replicas": replicas}}))
        for path in paths:
            workloads.until(path, are_ready(replicas))
    assert called(guard) - calls == 0
    assert failed(admin) == 0
    # The prefilter lets through what the controller would never write.
    assert admin.merge(f"{paths[0]}/status", {"status": {"observedGeneration": 1}}).refusal == (409, "Conflict")
    assert called(guard) - calls > 0
