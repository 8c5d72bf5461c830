from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.case_result import differences
from rules.case_write import write_of
from rules.compile import compile_rule
from rules.documents import Document, parse
from rules.suite import Case, Suite, load
from tests.rules.judging import snippet
from tests.rules.strategies.groups import EVIDENCE, co_update
from tests.rules.strategies.invariants import (
    CONDITIONS,
    FROZEN,
    MONOTONIC,
    OBSERVED_GENERATION,
    PRESERVED,
    RELATION,
    REQUIRE,
    TRANSITIONS,
    WRITE_ONCE,
    Invariants,
    guarded,
)
from webhook.commands.test import _outcome
from webhook.explanation import Explanation, explain

_STACKS = {"apiGroups": ["pulumi.com"], "apiVersions": ["v1"], "resources": ["stacks/status"]}


def explained(*invariants: Any, **spec: Any) -> Explanation:
    entries = [{"name": f"i{index}", **invariant} for index, invariant in enumerate(invariants)]
    document = {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "ClusterStatusRule",
        "metadata": {"name": "r"},
        "spec": {"matchConstraints": {"resourceRules": [_STACKS]}, "invariants": entries, **spec},
    }
    return explain(compile_rule(document), document)


def said(invariant: str, **spec: Any) -> list[str]:
    (found,) = explained(snippet(invariant), **spec).invariants
    return found.sentences


def suite(explanation: Explanation) -> Suite | None:
    """Return the suite that is printed, read back; None if it is only comments."""
    documents = parse("\n".join(explanation.as_suite()).encode(), "printed.yaml")
    return load(documents[0], _no_rules) if documents else None


def _no_rules(name: str) -> list[Document]:
    raise AssertionError(name)


def broken_by(case: Case) -> list[str]:
    return [violation.invariant for violation in case.expect.violations or ()]


# --- what is printed is true -------------------------------------------------------------------------

_GROUPS: Invariants = st.lists(st.sampled_from(EVIDENCE), unique=True, max_size=3).flatmap(co_update)
_INVARIANTS: Invariants = st.one_of(
    *(OBSERVED_GENERATION, _GROUPS, RELATION, *MONOTONIC.values(), WRITE_ONCE, PRESERVED),
    *(TRANSITIONS, CONDITIONS, FROZEN, REQUIRE),
)
_ACTIONS = st.sampled_from([["Deny"], ["Warn"], ["Audit"]])


@given(st.lists(guarded(_INVARIANTS).map(lambda invariant: invariant.spec), min_size=1, max_size=2), _ACTIONS)
def test_the_printed_suite_passes(invariants: list[Any], actions: list[str]) -> None:
    explanation = explained(*invariants, validationActions=actions)
    printed = suite(explanation)
    if printed is None:
        return
    for case in printed.cases:
        write = write_of(case)
        assert differences(case, _outcome(printed.rules.concerned(write.request), write)) == []
        name, verb = case.name.split(" ")[:2]
        assert (verb == "is") == (name in broken_by(case))
        assert verb == "is" or not broken_by(case)


# --- what is said ------------------------------------------------------------------------------------


def test_a_guard_comes_first_and_the_message_after_the_demands() -> None:
    entry = "{message: Ask the storage team., when: [{field: spec.x, operator: Exists}], frozen: {fields: [status.a]}}"
    assert said(entry) == [
        "While spec.x is set:",
        "status.a does not change.",
        'The rule\'s author says: "Ask the storage team."',
    ]


@pytest.mark.parametrize(
    ("invariant", "denial"),
    [
        (
            "{observedGeneration: {}}",
            "A denial is 409 Conflict: the writer's copy was stale, and to read again and recompute cures it.",
        ),
        ("{frozen: {fields: [status.a]}}", "A denial is 422 Invalid: the same write would be refused again."),
    ],
)
def test_the_code_of_a_denial_and_why(invariant: str, denial: str) -> None:
    assert denial in said(invariant, validationActions=["Deny"])
    assert denial not in said(invariant, validationActions=["Deny"], denial={"code": 403})
    assert denial not in said(invariant, validationActions=["Warn"])


@pytest.mark.parametrize(
    ("invariant", "expected"),
    [
        ("{cel: {expression: object == oldObject}}", "No example of a write that breaks it was found."),
        ("{cel: {expression: object == oldObject}}", "No example of a write that passes was found."),
        (
            "{coUpdate: {fields: [status.a, status.b]}}",
            "At admission nothing tells that it is broken; the audit log does.",
        ),
        ("{conditions: {lastTransitionTime: Ignore, uniqueTypes: false}}", "It demands nothing."),
    ],
)
def test_what_cannot_be_shown_is_said(invariant: str, expected: str) -> None:
    assert expected in said(invariant)


def test_why_nothing_was_sought_is_said() -> None:
    nothing = {"resourceRules": [_STACKS], "excludeResourceRules": [_STACKS]}
    assert said("{frozen: {fields: [status.a]}}", matchConstraints=nothing) == [
        "status.a does not change.",
        "No write was found that the rule is about.",
    ]


def test_what_only_the_audit_log_tells_is_shown_from_there_alone() -> None:
    (found,) = explained(snippet("{coUpdate: {fields: [status.a, status.b]}}")).invariants
    assert [example.case["source"] for example in found.examples] == ["audit", "audit"]


def test_a_rule_without_examples_is_a_comment() -> None:
    explanation = explained(snippet("{cel: {expression: object == oldObject}}"))
    assert suite(explanation) is None
    assert all(line.startswith("# ") for line in explanation.as_suite())


def test_cases_expect_what_the_server_answers() -> None:
    explanation = explained(snippet("{observedGeneration: {}}"), validationActions=["Deny"])
    (invariant,) = explanation.as_json()["invariants"]
    assert invariant["passes"]["expect"] == {"allowed": True, "violations": []}
    assert invariant["breaks"]["expect"] == {
        "allowed": False,
        "code": 409,
        "violations": [{"rule": "r", "invariant": "i0", "field": "status.observedGeneration"}],
    }
    assert invariant["denial"] == {"code": 409, "reason": "Conflict"}


def test_text_of_the_rule_stays_on_its_line() -> None:
    text = "\n".join(explained({"message": "a\n# b\x1b[2J", "observedGeneration": {}}).as_suite())
    assert "\x1b" not in text
    assert r'"a\u000a# b\u001b[2J"' in text
    assert suite(explained({"message": "a\n# b\x1b[2J", "observedGeneration": {}})) is not None
