from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from rules.path_syntax import FieldPathError
from rules.relations import Relation, parse

from .judging import broken, rule, verdict, write


def holds(relation: str, status: str, missing: str = "Skip") -> bool:
    """Tell whether a relation holds in a status that the write changed."""
    invariant = f"relation: {{holds: ['{relation}'], missing: {missing}}}"
    return not broken(invariant, "status: {}", f"status: {status}")


@pytest.mark.parametrize(
    ("written", "paths"),
    [
        ("status.a <= status.b", ["status.a", "status.b"]),
        ("status.a<=status.b", ["status.a", "status.b"]),
        ("  status.a  ==  1  ", ["status.a"]),
        ("status.a-b == 1", ["status.a-b"]),
        ("0 < status.a - 1 + status.b", ["status.a", "status.b"]),
        ("status.a == sum(status.v[*].n) - sum( status.m.*.n )", ["status.a", "status.v[*].n", "status.m.*.n"]),
        ("status.a == sum(status.v[type].n)", ["status.a", "status.v[type].n"]),
        ("status.c[type=Ready].n != -3", ["status.c[type=Ready].n"]),
        ('status.c[type="a <= b"].n != 1', ['status.c[type="a <= b"].n']),
        ("sum != 1", ["sum"]),
        ("status.a - -1 > 0", ["status.a"]),
    ],
)
def test_what_a_relation_names(written: str, paths: list[str]) -> None:
    relation = parse(written)
    assert list(map(str, relation.paths)) == paths
    assert str(relation) == written


@pytest.mark.parametrize(
    ("written", "offset", "message"),
    [
        ("status.a", 8, "expected one of <= < == != >= > (or + or - with spaces), found the end of the relation"),
        ("status.a = 1", 8, "expected one of <= < == != >= > (or + or - with spaces), found '='"),
        ("status.a +1 < 2", 8, "expected one of <= < == != >= > (or + or - with spaces), found '+'"),
        ("status.a * 2 < 2", 8, "expected one of <= < == != >= > (or + or - with spaces), found '*'"),
        ("status.a <", 10, "expected a name (letters, digits, _, -, $), found the end of the path"),
        ("status.a < status.", 18, 'expected a name or "*" after the ".", found the end of the path'),
        ("status.a < 1 < 2", 12, "expected + or - with spaces, or the end of the relation, found '<'"),
        ("status.a < 1.5", 12, "expected + or - with spaces, or the end of the relation, found '.'"),
        ("1 < 2", 0, "a relation must name a field"),
        ("  1 < 2", 2, "a relation must name a field"),
        ("status.v[*].n < 1", 0, "status.v[*].n names many values: write sum(status.v[*].n)"),
        ("1 < status.v[k].n", 4, "status.v[k].n names many values: write sum(status.v[k].n)"),
        ("1 < status.m.*", 4, "status.m.* names many values: write sum(status.m.*)"),
        ("sum(status.a) < 1", 4, "sum() wants a path that names many values, as status.parts[*].replicas"),
        ("sum(status.v[*].n < 1", 17, "expected \")\", found '<'"),
        ("sum(status.v[*].n", 17, 'expected ")", found the end of the relation'),
        ("sum() < 1", 4, "expected a name (letters, digits, _, -, $), found ')'"),
        ("< 1", 0, "expected a name (letters, digits, _, -, $), found '<'"),
        ("٣ < status.a", 0, "expected a name (letters, digits, _, -, $), found '٣'"),
    ],
)
def test_what_is_no_relation(written: str, offset: int, message: str) -> None:
    with pytest.raises(FieldPathError) as caught:
        parse(written)
    assert (caught.value.offset, caught.value.message) == (offset, message)


@pytest.mark.parametrize(
    ("relation", "status", "expected"),
    [
        ("status.a <= status.b", "{a: 1, b: 1}", True),
        ("status.a <= status.b", "{a: 2, b: 1}", False),
        ("status.a < status.b", "{a: 1, b: 1}", False),
        ("status.a >= status.b", "{a: 1, b: 2}", False),
        ("status.a > status.b", "{a: 2, b: 1}", True),
        ("status.a == status.b", "{a: 3, b: 3.0}", True),
        ("status.a != status.b", "{a: 3, b: 3.0}", False),
        ("status.a == status.b + status.c", "{a: 3, b: 1, c: 2}", True),
        ("status.a - status.b - status.c == 0", "{a: 3, b: 1, c: 2}", True),
        ("status.a - 3 == status.b - -1", "{a: 4, b: 0}", True),
        ("status.a == 9007199254740993", "{a: 9007199254740992}", False),
        ("status.a == status.b + status.c", "{a: 0.3, b: 0.1, c: 0.2}", True),
        ("status.a == sum(status.v[*].n)", "{a: 3, v: [{n: 1}, {n: 2}]}", True),
        ("status.a == sum(status.v[*].n)", "{a: 4, v: [{n: 1}, {n: 2}]}", False),
        ("status.a == sum(status.v[*].n)", "{a: 0, v: []}", True),
        ("status.a == sum(status.v[*].n)", "{a: 1, v: []}", False),
        ("status.a == sum(status.v[*])", "{a: 3, v: [1, 2]}", True),
        ("status.a == sum(status.v[k].n)", "{a: 1, v: [{k: x, n: 1}, {k: x, n: 5}, {n: 7}]}", True),
        ("status.a == sum(status.m.*.n)", "{a: 3, m: {x: {n: 1}, y: {n: 2}, z: null}}", True),
        ("status.a == sum(status.p[*].v[*].n)", "{a: 6, p: [{v: [{n: 1}]}, {v: [{n: 2}, {n: 3}]}]}", True),
        # An item that is no object is not there.
        ("status.a == sum(status.v[*].n)", "{a: 1, v: [{n: 1}, 7, null, text]}", True),
    ],
)
def test_arithmetic(relation: str, status: str, *, expected: bool) -> None:
    assert holds(relation, status) is expected


@pytest.mark.parametrize(
    ("relation", "status"),
    [
        ("status.a <= status.b", "{a: 1}"),
        ("status.a <= 0", "{b: 1}"),
        ("status.a == 5", "{a: null, b: 1}"),
        ("status.a == sum(status.v[*].n)", "{a: 5, v: [{n: 1}, {}]}"),
    ],
)
def test_skip_an_absent_path_skips_the_relation(relation: str, status: str) -> None:
    assert holds(relation, status)


@pytest.mark.parametrize(
    ("relation", "status", "expected"),
    [
        ("status.a <= status.b", "{a: 1}", False),
        ("status.a <= status.b", "{a: 1, b: null}", False),
        ("status.a >= status.b", "{a: 1}", True),
        ("status.a == sum(status.v[*].n)", "{a: 5, v: [{n: 1}, {}]}", False),
        ("status.a == sum(status.v[*].n)", "{v: [{n: 1}]}", False),
        ("status.a + 1 == sum(status.v[*].n)", "{v: []}", False),
        # Unless all are absent.
        ("status.a + 1 == status.b", "{c: 1}", True),
        ("status.a + 1 == sum(status.v[*].n)", "{v: [{}, {n: null}]}", True),
    ],
)
def test_zero_absent_is_0_unless_all_are_absent(relation: str, status: str, *, expected: bool) -> None:
    assert holds(relation, status, "Zero") is expected


@pytest.mark.parametrize("missing", ["Skip", "Zero"])
@pytest.mark.parametrize(
    ("relation", "status"),
    [
        ("status.a == sum(status.v[*].n)", "{a: 5}"),
        ("status.a == sum(status.p[*].v[*].n)", "{a: 5, p: [{v: [{n: 1}]}, {}]}"),
    ],
)
def test_an_absent_list_in_sum_always_skips(relation: str, status: str, missing: str) -> None:
    assert holds(relation, status, missing)


@pytest.mark.parametrize("missing", ["Skip", "Zero"])
@pytest.mark.parametrize(
    ("relation", "status"),
    [
        ("status.a == 5", "{a: '5'}"),
        ("status.a == 5", "{a: true}"),
        ("status.a == 5", "{a: {b: 1}}"),
        ("status.a == status.b", "{a: 1, b: 500m}"),
        ("sum(status.v[*].n) == 5", "{v: [{n: 1}, {n: x}]}"),
        ("sum(status.v[*].n) == 5", "{v: {n: 1}}"),
        ("status.a == 5", "{a: 1e4300}"),
    ],
)
def test_a_value_that_is_no_number_skips_and_is_counted(relation: str, status: str, missing: str) -> None:
    compiled = rule(f"relation: {{holds: ['{relation}'], missing: {missing}}}")
    found = verdict(compiled, write("status: {}", f"status: {status}"))
    assert (found.violations, found.type_mismatches) == ((), 1)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("{a: 1, b: 1}", "{a: 2, b: 1}", "status.a"),
        ("{a: 2, b: 2}", "{a: 2, b: 1}", "status.b"),
        ("{a: 1, b: 3}", "{a: 2, b: 1}", "status.a"),
    ],
)
def test_the_field_is_the_first_path_that_changed(old: str, new: str, field: str) -> None:
    relation = "relation: {holds: ['1 + status.a <= status.b + 1']}"
    assert broken(relation, f"status: {old}", f"status: {new}") == [field]


def test_a_field_inside_sum_is_the_path_as_written() -> None:
    relation = "relation: {holds: ['status.a == sum(status.v[k].n)']}"
    assert broken(relation, "status: {a: 1, v: [{k: x, n: 1}]}", "status: {a: 1, v: [{k: x, n: 2}]}") == [
        "status.v[k].n"
    ]


def test_in_documents_a_relation_is_a_string() -> None:
    adapter = TypeAdapter(Relation)
    assert adapter.dump_json(parse("status.a <= 1")) == b'"status.a <= 1"'
    for bad in ("", "x" * 1_025, 1, None):
        with pytest.raises(ValidationError):
            adapter.validate_python(bad)


def test_decimals_are_exact() -> None:
    assert not holds("status.a == status.b", f"{{a: 1, b: 1.{'0' * 400}1}}")
