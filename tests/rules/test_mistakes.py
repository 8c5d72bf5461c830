"""What people read who wrote a bad rule: `tests/data/mistakes` holds bad pieces of rules, below each what is said of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rules.documents import parse
from rules.invariants import KINDS
from rules.suite import SuiteError, load
from tests.golden import DATA, compare

from .judging import MATCH_EVERYTHING, invariant_mistakes, mistakes, spec_mistakes

FOLDER = DATA / "mistakes"
INVARIANTS = "invariants: [{name: i, frozen: {fields: [status.a]}}]"
MARGIN = "    "


def of_match_constraints(written: str) -> list[str]:
    return spec_mistakes(f"matchConstraints: {written}\n{INVARIANTS}")


def of_spec(written: str) -> list[str]:
    rest = MATCH_EVERYTHING if written.startswith("invariants") else f"{MATCH_EVERYTHING}\n{INVARIANTS}"
    return spec_mistakes(f"{written}\n{rest}")


SUITE = """\
apiVersion: statusguard.dev/v1alpha1
kind: StatusRuleTest
metadata: {name: s}
rules: [{}]
cases:
- """


def of_case(written: str) -> list[str]:
    (document,) = parse(f"{SUITE}{written}".encode(), "r.yaml")
    with pytest.raises(SuiteError) as caught:
        load(document, lambda name: [])
    return list(map(str, caught.value.problems))


SUBJECTS: dict[str, Callable[[str], list[str]]] = {
    "case": of_case,
    "document": mistakes,
    "matchConstraints": of_match_constraints,
    "spec": of_spec,
    # What is said of an expression in CEL is its library's.
    **dict.fromkeys([kind for kind in KINDS if kind != "cel"], invariant_mistakes),
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_is_said_of_bad_rules(subject: str) -> None:
    name = f"mistakes/{subject}.txt"
    written = [line for line in (DATA / name).read_text().splitlines() if not line.startswith(MARGIN)]
    found = []
    for line in written:
        said = SUBJECTS[subject](line)
        assert said, f"no mistake: {line}"
        found += [line, *(f"{MARGIN}{each.removeprefix('r.yaml:')}" for each in said)]
    compare(name, "\n".join(found) + "\n")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (f"fields: [{', '.join(f'status.a{n}' for n in range(33))}]", "fields has 33 entries, at most 32 are allowed"),
        (f"fields: [status.{'a' * 1020}]", "fields[0] is longer than 1024 characters"),
    ],
)
def test_bounds_of_fields(spec: str, message: str) -> None:
    (said,) = invariant_mistakes(f"frozen: {{{spec}}}")
    assert message in said


@pytest.mark.parametrize(
    ("invariant", "message"),
    [
        (f"relation: {{holds: [{', '.join(['status.a <= 1'] * 17)}]}}", "holds has 17 entries, at most 16 are allowed"),
        (
            f"coUpdate: {{fields: [status.a], identity: [{', '.join(['status.a <= 1'] * 17)}]}}",
            "identity has 17 entries, at most 16 are allowed",
        ),
        (
            f"require: {{any: [{', '.join(['{field: status.a, operator: Exists}'] * 17)}]}}",
            "any has 17 entries, at most 16 are allowed",
        ),
        (f"relation: {{holds: ['status.a <= {'1' * 1020}']}}", "holds[0] is longer than 1024 characters"),
        (
            f"require: {{any: [{{field: status.a, operator: In, values: [{'x' * 1025}]}}]}}",
            "values[0] is longer than 1024 characters",
        ),
        (
            f"monotonic: {{fields: [status.a], direction: NonDecreasing, ignoreValues: [{'x' * 1025}]}}",
            "ignoreValues[0]: is longer than 1024 characters",
        ),
    ],
)
def test_bounds(invariant: str, message: str) -> None:
    (said,) = invariant_mistakes(invariant)
    assert message in said


@pytest.mark.parametrize(
    ("invariants", "message"),
    [
        (
            "[" + ", ".join(f"{{name: i{n}, frozen: {{fields: [status.a]}}}}" for n in range(65)) + "]",
            "invariants has 65 entries, at most 64 are allowed",
        ),
        (
            f"[{{name: i, message: {'x' * 1025}, frozen: {{fields: [status.a]}}}}]",
            "message is longer than 1024 characters",
        ),
        (
            f"[{{name: i, when: [{', '.join(['{field: status.a, operator: Exists}'] * 17)}], frozen: {{fields: [status.a]}}}}]",
            "when has 17 entries, at most 16 are allowed",
        ),
    ],
)
def test_bounds_of_a_rule(invariants: str, message: str) -> None:
    (said,) = spec_mistakes(f"{MATCH_EVERYTHING}\ninvariants: {invariants}")
    assert message in said
