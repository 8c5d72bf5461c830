"""The ready-made rules: they claim only what holds, and find what went wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules.documents import Document, parse
from rules.suite import is_rule, is_suite
from webhook.commands.demo import recorded_writes

from .command import Ran, statusguard
from .library import LIBRARY
from .recordings import recorded

FILES = sorted(file for file in LIBRARY.rglob("*.yaml") if not file.name.endswith(".test.yaml"))

SHARED = Path(__file__).parents[2] / "shared"
"""Where the project's recordings lie beside a checkout of its developers; the tests need none of them."""

shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the project's own recordings are not beside this checkout")


def documents(file: Path) -> list[Document]:
    return parse(file.read_bytes(), file.name)


def test_the_files_of_the_three_systems_and_the_generic_one_are_there() -> None:
    assert {"cluster-api.yaml", "generic.yaml", "pulumi.yaml"} <= {file.name for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_holds_rules_that_only_report_and_its_suite_shows_each_of_them(file: Path) -> None:
    rules = [document.data for document in documents(file)]
    assert all(map(is_rule, rules))
    assert all(rule["spec"]["validationActions"] == ["Audit"] for rule in rules)
    suites = [document.data for document in documents(file.with_suffix(".test.yaml"))]
    assert all(is_suite(suite) and suite["rules"] == [file.name] for suite in suites)
    expected = {
        (violation["rule"], violation["invariant"])
        for suite in suites
        for case in suite["cases"]
        for violation in case["expect"]["violations"]
    }
    assert expected == {
        (rule["metadata"]["name"], each["name"]) for rule in rules for each in rule["spec"]["invariants"]
    }


def test_every_suite_passes() -> None:
    ran = statusguard("test", LIBRARY)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(" passed, 0 failed\n")


def test_nothing_is_to_be_said_against_the_rules() -> None:
    ran = statusguard("lint", "--strict", LIBRARY)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(" rules, 0 errors, 0 warnings\n")


def test_the_bad_writes_of_the_three_systems_break_rules_and_the_honest_ones_none(tmp_path: Path) -> None:
    writes = list(recorded_writes())
    assert [write.expected for write in writes].count("denied") == 5
    assert [write.expected for write in writes].count("allowed") == 6
    ran = reviewed(tmp_path, [bytes(write.review) for write in writes], LIBRARY)
    found = [json.loads(line)["response"].get("auditAnnotations") is not None for line in ran.out.splitlines()]
    assert found == [write.expected == "denied" for write in writes]


def test_the_rules_say_nothing_about_honest_controllers(tmp_path: Path) -> None:
    writes = list(recorded("controller-writes.jsonl.gz"))
    resources = {json.loads(bytes(write.review))["request"]["resource"]["resource"] for write in writes}
    assert {"cronjobs", "daemonsets", "deployments", "jobs", "pods", "replicasets", "resourcequotas"} == resources
    assert_silent(reviewed(tmp_path, [bytes(write.review) for write in writes], LIBRARY), len(writes))


@shared
def test_the_rules_say_nothing_about_all_recorded_writes_of_honest_controllers() -> None:
    recording = SHARED / "captures" / "controllers.jsonl.gz"
    assert_silent(statusguard("review", "--rules", LIBRARY, recording), 280)


@shared
def test_the_projects_own_cases_pass() -> None:
    ran = statusguard("test", SHARED / "cases")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(" passed, 0 failed\n")


def reviewed(folder: Path, reviews: list[bytes], rules: Path) -> Ran:
    """Let `review` answer reviews by the rules of a file or folder."""
    file = folder / "reviews.jsonl"
    file.write_bytes(b"\n".join(reviews))
    ran = statusguard("review", "--rules", rules, file)
    assert (ran.code, ran.err) == (0, "")
    return ran


def assert_silent(ran: Ran, count: int) -> None:
    """Assert that so many reviews were answered, and that nothing was said about any."""
    assert (ran.code, ran.err) == (0, "")
    responses = [json.loads(line)["response"] for line in ran.out.splitlines()]
    assert len(responses) == count
    assert [
        response for response in responses if response.keys() != {"uid", "allowed"} or not response["allowed"]
    ] == []
