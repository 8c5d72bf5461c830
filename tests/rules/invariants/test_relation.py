from __future__ import annotations

import pytest

from tests.rules.judging import broken, violations

BOTH = "relation: {holds: ['status.ready <= status.replicas', 'status.replicas == sum(status.versions[*].replicas)']}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("{}", "{ready: 1, replicas: 1, versions: [{replicas: 1}]}", [], id="both hold"),
        pytest.param(
            "{}",
            "{ready: 2, replicas: 1, versions: []}",
            ["status.ready", "status.replicas"],
            id="each is a check of its own",
        ),
        pytest.param("{ready: 2, replicas: 1}", "{ready: 2, replicas: 1, other: 1}", [], id="a fault from before"),
        pytest.param(
            "{ready: 2, replicas: 1}", "{ready: 3, replicas: 1}", ["status.ready"], id="a fault that is touched"
        ),
        pytest.param(
            "{ready: 2, replicas: 2}", "{ready: 2, replicas: 1}", ["status.replicas"], id="the path that changed"
        ),
    ],
)
def test_relations_are_judged_one_by_one(old: str, new: str, expected: list[str]) -> None:
    assert broken(BOTH, f"status: {old}", f"status: {new}") == expected


def test_judges_on_create() -> None:
    assert broken(BOTH, None, "status: {ready: 2, replicas: 1}") == ["status.ready"]
    assert broken(BOTH, None, "spec: {}") == []


def test_a_guard_that_turns_true_makes_every_check() -> None:
    invariant = f"{{when: [{{field: status.stable, operator: Exists}}], {BOTH}}}"
    old, new = "status: {ready: 2, replicas: 1}", "status: {ready: 2, replicas: 1, stable: true}"
    assert broken(invariant, old, new) == ["status.ready"]


def test_problem() -> None:
    (violation,) = violations("status: {ready: 1, replicas: 1}", "status: {ready: 2, replicas: 1}", BOTH)
    finding = violation.finding
    assert finding.problem == "breaks status.ready <= status.replicas"
    assert (finding.old, finding.new) == (1, 2)
    assert finding.values == (("status.ready", 2), ("status.replicas", 1))
    assert not violation.cured_by_waiting


def test_braces_in_a_relation_mean_themselves() -> None:
    relation = "relation: {holds: ['status.m[\"{old}\"] <= 1']}"
    (violation,) = violations("status: {}", "status: {m: {'{old}': 2}}", relation)
    assert violation.finding.problem.format(old="a", new="b") == 'breaks status.m["{old}"] <= 1'
