from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from rules.case_write import merge_patch
from rules.compile import CompiledRule
from rules.invariants import KINDS
from rules.ruleset import judge
from rules.values import canonical
from rules.violation import RuleVerdict
from rules.witness import trial
from rules.witness.cases import Example
from rules.witness.witnesses import Witnesses, witnesses
from rules.write import Roots, Write
from rules.yaml_writer import write_yaml
from tests.rules.judging import rule, snippet

INVARIANTS = """
- observedGeneration: {}
- observedGeneration: {notAhead: false}
- observedGeneration: {fields: [status.x], mayClear: true}
- observedGeneration: {fields: [status.x], ignoreValues: [-1, 1, 2]}
- observedGeneration: {fields: ["status.parents[parentRef,controllerName].conditions[type].observedGeneration"]}
- coUpdate: {fields: [status.a, status.b], digest: status.digest}
- coUpdate: {fields: [status.a, status.b], stamp: status.lastUpdateTime}
- coUpdate: {fields: [status.a, "status.conditions[type=Ready].status"], singleManager: true}
- coUpdate: {fields: [status.a, status.b, status.c], changeTogether: true}
- coUpdate: {fields: [status.a, status.b, status.c], identity: [status.a == status.b + status.c]}
- coUpdate: {fields: [status.a, status.b, status.c], identity: [status.a == status.b + status.c], missing: Zero}
- coUpdate: {fields: [status.a], identity: [status.a == status.b + status.c + status.d + 100]}
- coUpdate: {fields: [status.a, status.b], identity: [status.a <= status.b], digest: status.d, stamp: status.s,
    singleManager: true, changeTogether: true}
- relation: {holds: [status.a <= status.b]}
- relation: {holds: [status.a < status.b]}
- relation: {holds: [status.a != status.b]}
- relation: {holds: [status.a >= 1000], missing: Zero}
- relation: {holds: [status.a == 7]}
- relation: {holds: [status.a > -5]}
- relation: {holds: ["sum(status.versions[*].replicas) == status.replicas - 3"]}
- relation: {holds: ["sum(status.numbers[*]) + sum(status.parts[name].count) < sum(status.holds.*)"], missing: Zero}
- monotonic: {fields: [status.count], direction: NonDecreasing}
- monotonic: {fields: [status.seenTime], direction: NonIncreasing}
- monotonic: {fields: [status.x], direction: NonDecreasing, mayClear: true, ignoreValues: [0, 1]}
- monotonic: {fields: ["status.holds.*", "status.items[name].n"], direction: NonIncreasing}
- writeOnce: {fields: [status.uid]}
- writeOnce: {fields: ["status.conditions[type].startTime"], mayClear: true}
- preserved: {fields: ["status.conditions[type]"]}
- preserved: {fields: ["status.holds.*"]}
- preserved: {fields: [status.state]}
- preserved: {fields: ["status.items[name,ns]"]}
- transitions:
    field: status.phase
    allow: [{from: [Pending], to: [Running]}, {from: [Running], to: [Succeeded, Failed]}]
    initial: [Pending]
    terminal: [Succeeded, Failed]
- transitions: {field: status.phase, forbid: [{from: [Succeeded], to: ["*"]}]}
- transitions: {field: status.phase, forbid: [{from: ["*"], to: [""]}]}
- transitions: {field: status.phase, allow: [{from: ["*"], to: [A, B]}]}
- transitions: {field: status.phase, initial: [A]}
- transitions: {field: "status.conditions[type].status", terminal: ["True"]}
- transitions: {field: status.level, allow: [{from: ["1"], to: ["2"]}, {from: ["2"], to: ["3"]}]}
- conditions: {}
- conditions: {lastTransitionTime: OnlyWithStatus}
- conditions: {lastTransitionTime: WithStatus}
- conditions: {lastTransitionTime: Ignore}
- conditions: {lastTransitionTime: Ignore, uniqueTypes: false, notBack: true}
- conditions: {path: "status.parents[ref].conditions"}
- frozen: {fields: [status.a]}
- frozen: {fields: ["status.items[name].x"]}
- require: {all: [{field: status.x, operator: Exists}]}
- require: {all: [{field: status.x, operator: DoesNotExist}]}
- require: {all: [{field: status.x, operator: In, values: ["3", "4"]}]}
- require: {all: [{field: status.x, operator: NotIn, values: [A, B]}]}
- require: {all: [{field: status.url, operator: Matches, values: ["https?://[^/]+/.*"]}]}
- require: {any: [{field: status.a, operator: Exists}, {field: status.b, operator: In, values: ["true"]}]}
- cel: {expression: object.status.replicas >= oldObject.status.replicas}
- cel: {expression: "!has(object.status.phase) || object.status.phase in ['A', 'B']"}
- cel: {expression: object.status.ready == true || object.status.count > 10}
- cel: {expression: "object.status.name.startsWith('abc')"}
- cel: {expression: "object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')"}
- when: [{field: spec.paused, operator: In, values: ["true"]}]
  frozen: {fields: [status.a]}
- when: [{field: status.phase, operator: In, values: [Running], of: old}]
  frozen: {fields: [status.a]}
- when:
  - {field: status.phase, operator: In, values: [Pending], of: old}
  - {field: status.phase, operator: In, values: [Running]}
  require: {all: [{field: status.startTime, operator: Exists}]}
- when: [{field: 'metadata.annotations["a/hooks"]', operator: Matches, values: ["(.*,)?Update(,.*)?"]}]
  transitions: {field: "status.conditions[type=UpToDate].status", forbid: [{from: ["", "False"], to: ["True"]}]}
"""


ENTRIES: list[dict[str, Any]] = snippet(INVARIANTS)


def told(invariant: dict[str, Any]) -> str:
    (kind,) = invariant.keys() & KINDS
    return f"{kind} {canonical(invariant[kind])}"


def compiled(*invariants: dict[str, Any], **spec: Any) -> CompiledRule:
    return rule(*map(write_yaml, invariants), **spec)


def examples(found: Witnesses) -> tuple[Example, Example]:
    pair = found.admission
    assert pair.passing is not None
    assert pair.breaking is not None
    return pair.passing, pair.breaking


def broken(example: Example) -> list[str]:
    return [violation.invariant for violation in example.verdict.violations]


def leaves(patch: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in patch.items():
        if isinstance(value, dict):
            yield from leaves(value, (*above, name))
        else:
            yield (*above, name)


def without(patch: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    name, *rest = path
    others = {other: value for other, value in patch.items() if other != name}
    return {**others, name: without(patch[name], tuple(rest))} if rest else others


def test_all_kinds_are_tried_here() -> None:
    assert {kind for invariant in ENTRIES for kind in invariant} - {"when"} == set(KINDS)


@pytest.mark.parametrize("invariant", ENTRIES, ids=told)
def test_one_write_passes_and_one_breaks(invariant: dict[str, Any]) -> None:
    passing, breaking = examples(*witnesses(compiled(invariant)))
    assert broken(passing) == []
    assert broken(breaking) == ["i"]
    assert passing.write.old != passing.write.new


@pytest.mark.parametrize("invariant", ENTRIES, ids=told)
def test_no_change_of_a_breaking_write_can_be_left_out(invariant: dict[str, Any]) -> None:
    about_it = compiled(invariant)
    _, breaking = examples(*witnesses(about_it))
    for path in leaves(breaking.case["patch"]):
        new = merge_patch(breaking.case["old"], without(breaking.case["patch"], path))
        (verdict,) = judge([about_it], Write(breaking.write.request, Roots(new), breaking.write.old))
        assert verdict.violations == ()


def test_the_same_rule_has_the_same_examples() -> None:
    about_it = compiled(ENTRIES[0], ENTRIES[5])
    first, second = witnesses(about_it), witnesses(about_it)
    assert [each.case for found in first for each in found.examples] == [
        each.case for found in second for each in found.examples
    ]


def test_a_write_that_breaks_one_invariant_breaks_no_other_where_that_is_possible() -> None:
    about_it = rule(
        "{relation: {holds: [status.a <= status.b]}}",
        "{monotonic: {fields: [status.a], direction: NonDecreasing}}",
        "{require: {all: [{field: status.b, operator: NotIn, values: ['0', '1']}]}}",
    )
    found = witnesses(about_it)
    assert [broken(examples(each)[1]) for each in found] == [["i"], ["i1"], ["i2"]]
    assert [broken(examples(each)[0]) for each in found] == [[], [], []]


def test_a_write_that_breaks_two_invariants_is_better_than_none() -> None:
    same = "{writeOnce: {fields: [status.a]}}"
    first, second = witnesses(rule(same, same))
    assert broken(examples(first)[1]) == broken(examples(second)[1]) == ["i", "i1"]


def test_only_the_status_changes_in_a_write_to_the_status() -> None:
    (found,) = witnesses(rule("{relation: {holds: [status.a <= spec.b]}}"))
    for example in examples(found):
        assert list(example.case["patch"]) == ["status"]


def test_where_nothing_may_change_something_else_does() -> None:
    passing, breaking = examples(*witnesses(rule("{frozen: {fields: [status.a]}}")))
    assert breaking.case["patch"] == {"status": {"a": "a"}}
    assert passing.case["patch"] == {"status": {"other": "b"}}


def test_a_rule_about_creations_is_shown_by_creations() -> None:
    match = {
        "resourceRules": [
            {"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["things"], "operations": ["CREATE"]}
        ]
    }
    (found,) = witnesses(rule("{require: {all: [{field: spec.x, operator: In, values: [A]}]}}", matchConstraints=match))
    passing, breaking = examples(found)
    assert passing.case["object"]["spec"] == {"x": "A"}
    assert breaking.write.creates
    assert "old" not in breaking.case


@pytest.mark.parametrize(
    "invariant",
    [
        "{cel: {expression: object == oldObject}}",
        "{when: [{field: status.a, operator: Exists}, {field: status.a, operator: DoesNotExist}], conditions: {}}",
        "{conditions: {lastTransitionTime: Ignore, uniqueTypes: false}}",
    ],
)
def test_what_is_not_found_is_left_out(invariant: str) -> None:
    (found,) = witnesses(rule(invariant))
    assert found.admission.breaking is None


def test_a_write_that_is_another_request_as_a_case_is_left_out() -> None:
    named = {"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["things"], "resourceNames": ["prod"]}
    match = {"resourceRules": [named]}
    (found,) = witnesses(rule("{frozen: {fields: [metadata.name]}}", matchConstraints=match))
    assert found.admission.breaking is None


def test_of_a_rule_that_is_about_nothing_there_are_no_examples() -> None:
    everything = [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}]
    nothing = {"resourceRules": everything, "excludeResourceRules": everything}
    (found,) = witnesses(rule("{observedGeneration: {}}", matchConstraints=nothing))
    assert found.examples == []
    assert found.not_sought == "No write was found that the rule is about."


# --- the audit log ----------------------------------------------------------------------------------


def audited(invariant: str) -> tuple[Example, Example]:
    (found,) = witnesses(rule(invariant))
    passing, breaking = found.audit.passing, found.audit.breaking
    assert passing is not None
    assert breaking is not None
    assert broken(passing) == []
    assert {passing.case["source"], breaking.case["source"]} == {"audit"}
    return passing, breaking


def test_a_partial_patch_breaks_a_group_and_a_locked_one_passes() -> None:
    passing, breaking = audited("{coUpdate: {fields: [status.a, status.b]}}")
    assert breaking.case["patch"] == {"status": {"a": "b"}}
    assert passing.case["patch"] == {"metadata": {"resourceVersion": "1"}, "status": {"a": "b"}}


def test_where_a_lock_does_not_help_the_whole_group_passes() -> None:
    passing, breaking = audited("{coUpdate: {fields: [status.a, status.b], patch: Full}}")
    assert breaking.case["patch"] == {"status": {"a": "b"}}
    assert passing.case["patch"] == {"status": {"a": "b", "b": "a"}}


def test_at_admission_nothing_tells_that_a_patch_is_partial() -> None:
    identity = "identity: [status.a == status.b + status.c]"
    _, breaking = audited(f"{{coUpdate: {{fields: [status.a, status.b, status.c], {identity}}}}}")
    about_it = rule(f"{{coUpdate: {{fields: [status.a, status.b, status.c], {identity}}}}}")
    (verdict,) = judge([about_it], Write(breaking.write.request, breaking.write.new, breaking.write.old))
    assert verdict.violations == ()


@pytest.mark.parametrize(
    "invariant",
    [
        "{coUpdate: {fields: [status.a], identity: [status.a == status.b]}}",
        "{coUpdate: {fields: [status.a, status.b], changeTogether: true}}",
        "{frozen: {fields: [status.a]}}",
    ],
)
def test_some_groups_need_no_audit_log(invariant: str) -> None:
    (found,) = witnesses(rule(invariant))
    assert found.audit.breaking is None


# --- bounds -----------------------------------------------------------------------------------------

_FIELDS = [f"status.f{number}" for number in range(32)]
_IDENTITY = f"{' + '.join(_FIELDS[:9])} == {' + '.join(_FIELDS[9:20])}"
_LARGEST = {
    "fields": {"frozen": {"fields": _FIELDS}},
    "identities": {"coUpdate": {"fields": _FIELDS, "identity": [_IDENTITY] * 4}},
    "guards": {
        "when": [{"field": field, "operator": "In", "values": [field]} for field in _FIELDS[:16]],
        "frozen": {"fields": ["status.x"]},
    },
}


@pytest.mark.parametrize("invariant", _LARGEST.values(), ids=_LARGEST)
def test_the_work_on_a_large_rule_is_bounded(invariant: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    most = 50_000
    about_it = compiled(*[invariant] * 16)
    work = 0

    def counted(rules: Sequence[CompiledRule], write: Write) -> list[RuleVerdict]:
        nonlocal work
        work += trial.work_of(rules[0])
        return judge(rules, write)

    monkeypatch.setattr(trial, "judge", counted)
    monkeypatch.setattr(trial, "_MAX_WORK", most)
    assert len(witnesses(about_it)) == 16
    assert work < most + 4 * trial.work_of(about_it)


def test_what_there_is_no_work_left_for_is_not_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_MAX_WORK", 100)
    first, *others = witnesses(compiled(*ENTRIES[:4]))
    assert first.examples
    assert not first.not_sought
    for other in others:
        assert other.examples == []
        assert other.not_sought == "The rule is too large to seek examples of this invariant too."
