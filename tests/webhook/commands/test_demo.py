from __future__ import annotations

import json

import pytest

from tests.command import Ran, statusguard
from tests.golden import compare
from webhook.commands import demo

pytestmark = pytest.mark.usefixtures("log")


def test_every_bad_write_is_refused_and_every_honest_one_passes() -> None:
    ran = statusguard("demo")
    assert (ran.code, ran.err) == (0, "")
    compare("demo.txt", ran.out)
    assert ran.out.endswith("11 writes, 5 refused, 11 verdicts as expected.\n")


def test_json_names_verdict_violation_and_writer() -> None:
    ran = statusguard("demo", "--output", "json")
    assert (ran.code, ran.err) == (0, "")
    writes = json.loads(ran.out)
    assert [each["verdict"] for each in writes].count("denied") == 5
    assert all(each["verdict"] == each["expected"] for each in writes)
    stack = writes[-1]
    assert stack["writer"] == "system:serviceaccount:pulumi-kubernetes-operator:controller-manager"
    assert stack["fieldManager"] == "pulumi-kubernetes-operator/stack-status"
    assert [(each["field"], each["old"], each["new"]) for each in stack["violations"]] == [
        ("status.observedGeneration", 2, 1),
        ("status.observedGeneration", 2, 1),
        ("status.lastUpdate.generation", 2, 1),
    ]


def test_it_is_1_if_a_verdict_is_not_the_expected_one() -> None:
    ran = statusguard("demo", "--action", "Audit")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.count("NOT AS EXPECTED: ") == 5
    assert ran.out.endswith("11 writes, 0 refused, 6 verdicts as expected.\n")


def test_an_answer_to_another_request_is_not_as_expected() -> None:
    write = next(demo.recorded_writes())
    request = demo._Request(uid="a", user_info=demo._User("u"), options=demo._Options())
    assert not demo.Judged(write, request, demo._Response(uid="b", allowed=True)).as_expected
    assert demo.Judged(write, request, demo._Response(uid="a", allowed=True)).as_expected


def test_wrong_usage() -> None:
    ran = statusguard("demo", "--rules", "r.yaml")
    assert ran == Ran(2, "", "statusguard demo: unrecognized arguments: --rules r.yaml (see statusguard demo --help)\n")
