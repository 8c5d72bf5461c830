from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rules.check import Finding, literal
from rules.fieldpath import parse
from rules.managed_fields import LastWriter
from rules.ruleset import judge
from rules.violation import Violation
from rules.write import Roots, UndecodableError, Write
from tests.rules.judging import rule, snippet, violations, write
from webhook.display import Display
from webhook.message import Wording, last_writer_of
from webhook.verdict import Judged, RuleError, decide

CURED_ADVICE = (
    "The writer most likely worked from a stale copy: read the object again, recompute the status and write that; "
    "this is no field-manager conflict, do not force it."
)
ADVICE = (
    "Read the object again and recompute what you write before you try again; "
    "this is no field-manager conflict, do not force it."
)
WORDING = Wording(Display())

HOSTILE = st.text(max_size=30) | st.sampled_from(
    ["", "{old}", "{", '"', "\\", "\n\r\x1b[31m", "\u202e\u2066", "\ud800", "😀" * 1_000, "x" * 100_000, "\u200b" * 500]
)
VALUES = HOSTILE | st.sampled_from(
    [None, True, 3, 10**400, ["x" * 100] * 10_000, {"\u202e": ["\n"]}, [[[[["\ud800"] * 3] * 3] * 3] * 3] * 3]
)
FIELDS = st.tuples(HOSTILE, HOSTILE).map(lambda keys: parse("status.a[k].*").concrete(((keys[0],), (keys[1],))))
PROBLEMS = st.sampled_from(["went back from {old} to {new}", "was dropped"]) | HOSTILE.map(literal)
FINDINGS = st.builds(
    Finding, FIELDS, PROBLEMS, VALUES, VALUES, st.tuples(st.tuples(FIELDS, VALUES)) | st.just(()), HOSTILE
)
VIOLATIONS = st.builds(
    Violation,
    rule=st.sampled_from(["r", "team/" + "r" * 253]),
    invariant=st.sampled_from(["i", "i" * 253]),
    kind=st.just("frozen"),
    finding=FINDINGS,
    action=st.just("Deny"),
    guard=HOSTILE,
    message=HOSTILE,
    cured_by_waiting=st.booleans(),
)
ONE = violations("status: {a: 1}", "status: {a: 2}", "frozen: {fields: [status.a]}")[0]


def written_by(username: str, manager: str = "", last: str = "") -> Write:
    owner = {"apiVersion": "v1", "manager": last, "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:status": {}}}
    to_judge = write("{apiVersion: v1}", "{}", username=username, field_manager=manager)
    to_judge.old["metadata"] = {"managedFields": [owner]} if last else None
    return to_judge


WRITES = st.builds(written_by, HOSTILE, HOSTILE, HOSTILE)


@given(st.lists(VIOLATIONS, min_size=1, max_size=2), st.integers(1, 3_000), WRITES)
@example([ONE], 1, written_by("u"))
def test_a_denial_is_at_most_1024_bytes_and_ends_with_the_advice(
    found: list[Violation], times: int, to_judge: Write
) -> None:
    found = found * times
    message = WORDING.denial(found, to_judge)
    assert len(message.encode()) <= 1024
    assert message.isprintable()
    assert message.endswith(CURED_ADVICE if all(each.cured_by_waiting for each in found) else f" {ADVICE}")
    assert 'Written by "' in message


@given(st.lists(VIOLATIONS, min_size=1, max_size=2), st.integers(1, 20), WRITES)
def test_causes(found: list[Violation], times: int, to_judge: Write) -> None:
    found = found * times
    causes = WORDING.causes(found, to_judge)
    assert len(causes) == min(len(found), 16)
    for cause in causes:
        assert cause["reason"] == "FieldValueInvalid"
        assert cause["message"].isprintable()
        assert cause["field"].isprintable()
        assert len(cause["field"]) <= 200
        assert len(cause["message"]) <= 3_000
    assert causes[-1]["message"].endswith(" do not force it.")


@given(st.lists(VIOLATIONS, min_size=1, max_size=2), st.sampled_from(["r", "team/" + "r" * 253]), st.integers(1, 3_000))
def test_a_warning_is_at_most_120_characters(found: list[Violation], title: str, times: int) -> None:
    warning = WORDING.warning(title, found * times)
    assert len(warning) <= 120
    assert warning.isprintable()
    assert warning.startswith("statusguard: ")
    assert len(found) * times == 1 or warning.endswith(f" (and {len(found) * times - 1} more)")


@given(st.lists(VIOLATIONS, min_size=1, max_size=2), st.integers(1, 3_000))
def test_an_annotation_is_json_of_at_most_4_kib(found: list[Violation], times: int) -> None:
    judged = [Judged(violation, "Deny") for violation in found * times]
    annotation = WORDING.annotation(judged)
    assert len(annotation.encode()) <= 4 * 1024
    assert annotation.isprintable()
    entries = json.loads(annotation)
    assert 1 <= len(entries) <= len(judged)
    assert all(list(entry) == ["rule", "invariant", "field", "old", "new", "action"] for entry in entries)


@given(st.lists(HOSTILE, min_size=1, max_size=3))
def test_what_is_said_of_errors_is_bounded(messages: list[str]) -> None:
    errors = [RuleError("team/" + "r" * 253, message, refuses=True) for message in messages]
    failure = WORDING.failure(errors)
    assert len(failure.encode()) <= 1024
    assert failure.isprintable()
    assert failure.endswith("The rule's failurePolicy is Fail, so the write is refused.")
    assert len(WORDING.failure_warning(errors[0])) <= 120
    assert WORDING.failure_warning(errors[0]).isprintable()


def denial(old: str, new: str, *invariants: str, **request: Any) -> str:
    to_judge = write(old, new, **request)
    found = violations(old, new, *invariants, **request)
    return Wording(Display()).denial(found, to_judge)


MANAGED = """
apiVersion: v1
metadata:
  managedFields:
  - {apiVersion: v1, manager: topology, time: "2026-01-01T00:00:00Z", fieldsV1: {f:status: {f:a: {}}}}
status: {a: 2}
"""


def test_a_denial_says_what_happened_who_did_it_and_what_to_do() -> None:
    message = denial(
        MANAGED,
        "{apiVersion: v1, status: {a: 1}}",
        "{name: counter, monotonic: {fields: [status.a], direction: NonDecreasing}}",
        username="system:serviceaccount:capi:capi",
        field_manager="capi-manager",
    )
    assert message == (
        "status.a went back from 2 to 1 (rule r, invariant counter). "
        'Written by "system:serviceaccount:capi:capi" with field manager "capi-manager"; '
        'the field was last written by "topology" at 2026-01-01T00:00:00Z. ' + CURED_ADVICE
    )


def test_several_violations_and_an_unknown_writer() -> None:
    message = denial(
        "status: {a: 1, b: [1]}", "status: {b: {c: d}}", "frozen: {fields: [status.a, status.b]}", username="u"
    )
    assert message == (
        "status.a changed from 1 to unset (rule r, invariant i); "
        'status.b changed from [1] to {"c":"d"} (rule r, invariant i). '
        'Written by "u"; who wrote status.a last is unknown. ' + ADVICE
    )


def test_the_author_speaks_first_and_what_happened_is_always_appended() -> None:
    invariant = """
    message: Stop the other controller.
    when: [{field: status.a, operator: Exists}]
    frozen: {fields: [status.a]}
    """
    message = denial("status: {a: 1}", "status: {a: 2}", invariant)
    assert message.startswith(
        "Stop the other controller: status.a changed from 1 to 2 while status.a is set (rule r, invariant i). "
    )
    (violation,) = violations("status: {a: 1}", "status: {a: 2}", invariant)
    expected = "Stop the other controller: changed from 1 to 2 while status.a is set"
    assert WORDING.problem(violation) == expected
    assert WORDING.causes([violation], write("{}", "{}"))[0]["message"].startswith(
        f"{expected} (rule r, invariant i). "
    )
    assert (
        WORDING.warning("r", [violation])
        == "statusguard: r/i: Stop the other controller: status.a changed from 1 to 2 while status.a is set"
    )


def test_values_that_belong_together_are_shown_with_the_one_that_changed() -> None:
    message = denial("status: {a: 1, b: 1}", "status: {a: 2, b: 1}", "relation: {holds: [status.a <= status.b]}")
    assert message.startswith("status.a breaks status.a <= status.b (status.a = 2 (was 1), status.b = 1) (rule r, ")


def test_values_are_shortened_first_and_then_violations_left_out() -> None:
    def said(count: int) -> str:
        fields = ", ".join(f"status.f{index}" for index in range(count))
        old = ", ".join(f"f{index}: {'o' * 100}" for index in range(count))
        new = ", ".join(f"f{index}: {'n' * 100}" for index in range(count))
        return denial(f"status: {{{old}}}", f"status: {{{new}}}", f"frozen: {{fields: [{fields}]}}")

    assert f'changed from "{"o" * 62}… to "{"n" * 62}…' in said(1)
    assert f'changed from "{"o" * 30}… to "{"n" * 30}…' in said(6)
    assert f'changed from "{"o" * 6}… to "{"n" * 6}…' in said(10)
    assert all("more" not in said(count) for count in (1, 6, 10))
    assert f'changed from "{"o" * 6}… to "{"n" * 6}…' in said(32)
    assert "; and 21 more. Written by" in said(32)


def test_the_last_cause_tells_who_wrote_its_field_last() -> None:
    to_judge = write(MANAGED, "{apiVersion: v1}")
    found = violations(MANAGED, "{apiVersion: v1}", "preserved: {fields: [metadata.managedFields, status.a]}")
    causes = WORDING.causes(found, to_judge)
    assert [cause["field"] for cause in causes] == ["metadata.managedFields", "status.a"]
    assert causes[0]["message"] == (
        'was dropped: it was [{"apiVersion":"v1","manager":"topology","time":"2026-01-01T00:… (rule r, invariant i)'
    )
    assert 'the field was last written by "topology"' in causes[1]["message"]
    reverse = WORDING.causes(found[::-1], to_judge)
    assert "who wrote the field last is unknown" in reverse[1]["message"]


def test_one_warning_tells_of_the_first_and_counts_the_others() -> None:
    found = violations("status: {a: 1, b: 1}", "{}", "preserved: {fields: [status.a, status.b]}")
    assert WORDING.warning("r", found) == "statusguard: r/i: status.a was dropped: it was 1 (and 1 more)"


def test_an_annotation_tells_all_that_fits() -> None:
    found = violations("status: {a: x, b: true}", "{}", "preserved: {fields: [status.a, status.b]}")
    assert WORDING.annotation([Judged(violation, "Audit") for violation in found]) == (
        '[{"rule":"r","invariant":"i","field":"status.a","old":"x","new":null,"action":"Audit"},'
        '{"rule":"r","invariant":"i","field":"status.b","old":true,"new":null,"action":"Audit"}]'
    )


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("status.a", LastWriter("topology", "2026-01-01T00:00:00Z")),
        ("status.b", LastWriter("", "")),
        pytest.param(
            'status.a[k={"b":1,"c":2}].d', LastWriter("topology", "2026-01-01T00:00:00Z"), id="an object as the key"
        ),
    ],
)
def test_who_wrote_a_field_last(field: str, expected: LastWriter) -> None:
    assert last_writer_of(field, write(MANAGED, "{}")) == expected


def test_who_wrote_last_is_unknown_if_metadata_cannot_be_decoded() -> None:
    def fail(name: str) -> Any:
        raise UndecodableError(name)

    to_judge = Write(write("{}", "{}").request, Roots(), Roots(decode=fail))
    assert last_writer_of("status.a", to_judge) == LastWriter("", "")


SECRETS = "s3cret-old", "s3cret-new"


def with_secrets(secret: str, count: int) -> dict[str, Any]:
    return {
        "metadata": {"generation": 1, "annotations": {"token": secret}},
        "spec": {"token": secret},
        "status": {
            "token": secret,
            "flag": count == 1,
            "count": 424_242 + count,
            "negative": -424_242 - count,
            "items": [
                {"name": f"{secret}-{index}", "token": f"{secret}-{index}", "n": index} for index in range(count)
            ],
            "map": {secret: {"token": secret, "n": count}},
            "conditions": [{"type": "s3cret-T", "status": "s3cret-S", "lastTransitionTime": secret, "message": secret}],
        },
    }


SENSITIVE = [
    *(
        "metadata.annotations.token",
        "spec.token",
        "status.token",
        "status.count",
        "status.negative",
        "status.flag",
        "status.map",
    ),
    *("status.items[name].token", "status.items[name].name", "status.conditions"),
]
EVERY_KIND = [
    "observedGeneration: {fields: [status.count, 'status.items[name].n']}",
    "coUpdate: {fields: [status.token, status.count], identity: ['status.count == 1'], stamp: status.gone}",
    "coUpdate: {fields: [status.count, status.token], digest: status.token, changeTogether: true}",
    "relation: {holds: ['status.count <= sum(status.items[*].n)']}",
    "monotonic: {fields: [status.count, 'status.map.*.n'], direction: NonIncreasing}",
    "monotonic: {fields: [status.negative], direction: NonDecreasing}",
    "writeOnce: {fields: [status.token, status, 'status.items[name]', status.flag]}",
    "preserved: {fields: ['status.items[token]', 'status.map.*', 'status.items[name].token', 'status.conditions[type]']}",
    "transitions: {field: status.token, initial: [x], terminal: ['*']}",
    "transitions: {field: 'status.items[name].token', initial: [x]}",
    "conditions: {lastTransitionTime: OnlyWithStatus}",
    "frozen: {fields: [metadata, 'metadata.annotations.token', spec, status.items, 'status.map.*.token', status.flag]}",
    "require: {all: [{field: status.token, operator: In, values: [x]}], any: [{field: status.count, operator: DoesNotExist}]}",
    "cel: {expression: 'object.status.token == oldObject.status.token', messageExpression: 'object.status.token'}",
    "cel: {expression: 'object == oldObject', messageExpression: 'string(object.status.count)'}",
]


@pytest.mark.parametrize("action", ["Deny", "Warn", "Audit"])
@pytest.mark.parametrize(("before", "after"), [(0, 2), (1, 2), (2, 3)])
def test_sensitive_values_appear_nowhere(action: str, before: int, after: int) -> None:
    old, new = with_secrets(SECRETS[0], before), with_secrets(SECRETS[1], after)
    to_judge = Write(write("{}", "{}").request, Roots(new), Roots(old))
    rules = [rule(each, name=f"r{index}", validationActions=[action]) for index, each in enumerate(EVERY_KIND)]
    found = judge(rules, to_judge)
    assert [each.rule.title for each in found if not each.violations] == []
    said = everything_said(Wording(Display([parse(path) for path in SENSITIVE])), found, to_judge)
    assert "s3cret" not in said
    assert "424" not in said
    plainly = everything_said(WORDING, found, to_judge)
    assert "s3cret" in plainly
    assert "424" in plainly


def everything_said(wording: Wording, found: Sequence[Any], to_judge: Write) -> str:
    verdict = decide(found, to_judge)
    all_violations = [judged.violation for judged in verdict.judged]
    said = [wording.denial([violation], to_judge) for violation in all_violations]
    said += [wording.problem(violation) for violation in all_violations]
    said += [wording.warning("r", [violation]) for violation in all_violations]
    said += [wording.annotation([judged]) for judged in verdict.judged]
    said += [str(wording.causes([violation], to_judge)) for violation in all_violations]
    return "\n".join(said)


def test_a_sensitive_boolean_is_hidden_too() -> None:
    found = violations("status: {a: true}", "status: {a: false}", "frozen: {fields: [status.a]}")
    wording = Wording(Display([parse("status.a")]))
    assert wording.entry(Judged(found[0], "Deny")) == {
        **snippet("{rule: r, invariant: i, field: status.a, action: Deny}"),
        "old": "<hidden>",
        "new": "<hidden>",
    }


def test_what_when_asks_of_a_sensitive_field_is_hidden() -> None:
    guarded = "when: [{field: status.s, operator: In, values: [hunter2]}]\nfrozen: {fields: [status.a]}"
    (violation,) = violations("status: {a: 1, s: hunter2}", "status: {a: 2, s: hunter2}", guarded)
    assert 'while status.s is "hunter2"' in WORDING.problem(violation)
    assert Wording(Display([parse("status.s")])).problem(violation).endswith("while status.s is <hidden>")


def test_what_a_message_expression_says_is_shown_unless_it_read_what_is_sensitive() -> None:
    invariant = "cel: {expression: 'object.status.a > 0', messageExpression: \"'a is ' + string(object.status.a)\"}"
    (violation,) = violations("status: {a: 1}", "status: {a: 0}", invariant)
    assert WORDING.problem(violation) == "a is 0: breaks object.status.a > 0"
    hiding = Wording(Display([parse("status.a")]))
    assert hiding.problem(violation) == "breaks object.status.a > 0"
