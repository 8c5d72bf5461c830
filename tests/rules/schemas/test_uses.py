from __future__ import annotations

from typing import Any

import pytest

from rules.compile import CompiledRule, compile_rule
from rules.documents import parse
from rules.problem import Location
from rules.roles import Role
from rules.schemas.uses import Use, uses
from rules.suite import is_rule
from tests.library import LIBRARY as FOLDER
from tests.rules.judging import rule

LIBRARY = [
    compile_rule(document.data)
    for file in sorted(FOLDER.rglob("*.yaml"))
    for document in parse(file.read_bytes(), file.name)
    if is_rule(document.data)
]


def used(*invariants: str, **spec: Any) -> dict[tuple[Location, int | None], Use]:
    """Return the uses of a rule's paths, by where they are in the first invariant (or in the spec)."""
    found: dict[tuple[Location, int | None], Use] = {}
    for use in uses(rule(*invariants, **spec).source.spec):
        below = use.location[3:] if use.location[1] == "invariants" else use.location[1:]
        found[below, use.offset] = use
    return found


@pytest.mark.parametrize(
    ("invariant", "location", "offset", "use"),
    [
        (
            "monotonic: {fields: [status.a, status.b], direction: NonDecreasing}",
            ("monotonic", "fields", 1),
            0,
            "ORDERED status.b",
        ),
        ("observedGeneration: {fields: [status.a]}", ("observedGeneration", "fields", 0), 0, "NUMBER status.a"),
        ("relation: {holds: ['0 <= status.a + sum(status.b[*].c)']}", ("relation", "holds", 0), 5, "NUMBER status.a"),
        ("relation: {holds: ['status.a < sum(status.a[*].c)']}", ("relation", "holds", 0), 15, "NUMBER status.a[*].c"),
        ("coUpdate: {fields: [status.a]}", ("coUpdate", "fields", 0), 0, "ANYTHING status.a"),
        ("coUpdate: {fields: [a.b], identity: [a.c == 1]}", ("coUpdate", "identity", 0), 0, "NUMBER a.c"),
        ("coUpdate: {fields: [status.a], digest: status.d}", ("coUpdate", "digest"), 0, "TEXT status.d"),
        ("coUpdate: {fields: [status.a], stamp: status.s}", ("coUpdate", "stamp"), 0, "ANYTHING status.s"),
        ("conditions: {path: status.c}", ("conditions", "path"), 0, "CONDITIONS status.c"),
        ("transitions: {field: status.p, terminal: [a]}", ("transitions", "field"), 0, "SCALAR status.p"),
        ("require: {any: [{field: a.b, operator: Exists}]}", ("require", "any", 0, "field"), 0, "ANYTHING a.b"),
        ("require: {all: [{field: a, operator: In, values: [x]}]}", ("require", "all", 0, "field"), 0, "SCALAR a"),
        ("require: {all: [{field: a, operator: Matches, values: [x]}]}", ("require", "all", 0, "field"), 0, "SCALAR a"),
        ("{frozen: {fields: [a]}, when: [{field: b, operator: Exists}]}", ("when", 0, "field"), 0, "ANYTHING b"),
        ("cel: {expression: 'object.a.b > oldObject.a.c'}", ("cel", "expression"), 23, "ANYTHING a.c"),
        ("cel: {expression: 'object.a[\"b\"] > 1'}", ("cel", "expression"), None, "ANYTHING a.b"),
        ("cel: {expression: 'object.b', messageExpression: 'object.b'}", ("cel", "messageExpression"), 7, "ANYTHING b"),
    ],
)
def test_where_a_path_is_used_and_what_for(invariant: str, location: Location, offset: int | None, use: str) -> None:
    found = used(invariant)[location, offset]
    assert f"{found.role.name} {found.path}" == use


def test_matchconditions_are_read_too() -> None:
    found = used("frozen: {fields: [spec.a]}", matchConditions=[{"name": "c", "expression": "object.spec.b == 1"}])
    assert str(found[("matchConditions", 0, "expression"), 7].path) == "spec.b"


@pytest.mark.parametrize(
    ("invariant", "location", "values"),
    [
        (
            "transitions: {field: status.p, allow: [{from: [A, ''], to: ['*', B]}], initial: [C], terminal: [D]}",
            ("transitions", "field"),
            {("allow", 0, "from", 0): "A", ("allow", 0, "to", 1): "B", ("initial", 0): "C", ("terminal", 0): "D"},
        ),
        (
            "require: {all: [{field: status.a, operator: NotIn, values: ['', x]}]}",
            ("require", "all", 0, "field"),
            {("values", 1): "x"},
        ),
        ("require: {all: [{field: status.a, operator: Matches, values: [x]}]}", ("require", "all", 0, "field"), {}),
        (
            "monotonic: {fields: [status.a], direction: NonDecreasing, ignoreValues: [x]}",
            ("monotonic", "fields", 0),
            {},
        ),
    ],
)
def test_the_values_that_a_field_is_compared_with(
    invariant: str, location: Location, values: dict[Location, str]
) -> None:
    below = ("spec", "invariants", 0, *location[:-1])
    assert dict(used(invariant)[location, 0].values) == {(*below, *where): value for where, value in values.items()}


def test_paths_that_the_document_leaves_to_their_default_belong_together() -> None:
    here = ("spec", "invariants", 0, "observedGeneration", "fields")
    assert [use.default_of for use in used("observedGeneration: {}").values()] == [here, here]
    assert [use.default_of for use in used("observedGeneration: {fields: [status.a]}").values()] == [None]
    (conditions,) = used("conditions: {}").values()
    assert conditions.default_of == ("spec", "invariants", 0, "conditions", "path")


@pytest.mark.parametrize("library", LIBRARY, ids=lambda each: each.title)
def test_no_path_of_the_library_is_overlooked(library: CompiledRule) -> None:
    found = {str(use.path) for use in uses(library.source.spec)}
    read = {str(path) for invariant in library.invariants for path in invariant.checks.paths}
    assert read - {"metadata.generation", "metadata.managedFields", "apiVersion"} <= found
    assert found


def test_the_library_has_paths_that_must_lead_to_more_than_anything() -> None:
    # Not each of its rules has: writeOnce and preserved take what is there.
    roles = [{use.role for use in uses(library.source.spec)} for library in LIBRARY]
    assert sum(found != {Role.ANYTHING} for found in roles) > len(roles) / 2
