from __future__ import annotations

from typing import Any

import pytest

from rules.fieldpath import parse
from rules.reading import Tally, all_values, reader
from rules.write import Roots

from .judging import snippet

OBJECT = """
metadata: {annotations: {a.b/c: x}}
status:
  replicas: 3
  nothing: null
  empty: ""
  conditions: [text, {type: Ready, status: "True"}, {type: Ready, status: "False"}, {status: Unknown}]
  versions: [{replicas: 1}, {}, 7, {replicas: 2}, {replicas: null}]
  nested: [{parts: [{n: 1}]}, {parts: [{n: 2}, {n: 3}]}]
  holds: {a: {n: 1}, b: null, c: {n: 2}}
  plain: [1, text, null]
"""


@pytest.mark.parametrize(
    ("path", "expected", "mismatches"),
    [
        ("status.replicas", 3, 0),
        ("status.nothing", None, 0),
        ("status.nothing.deeper", None, 0),
        ("status.missing.deeper.still", None, 0),
        ("spec.replicas", None, 0),
        ("status.empty", "", 0),
        ('metadata.annotations["a.b/c"]', "x", 0),
        ('metadata.annotations["a.b"]', None, 0),
        ("status.conditions[type=Ready].status", "True", 0),
        ("status.conditions[type=Ready,status=False].type", "Ready", 0),
        ("status.conditions[type=Gone].status", None, 0),
        ("status.missing[type=Ready].status", None, 0),
        ("status.replicas.deeper", None, 1),
        ("status.empty.deeper.still", None, 1),
        ("status.conditions.status", None, 1),
        ("status.replicas[type=Ready].status", None, 1),
        ("status.holds[type=Ready]", None, 1),
        ("status.conditions[type=Ready].status.deeper", None, 1),
    ],
)
def test_one_value(path: str, expected: Any, mismatches: int) -> None:
    tally = Tally()
    assert reader(parse(path))(Roots(snippet(OBJECT)), tally) == expected
    assert tally.type_mismatches == mismatches


@pytest.mark.parametrize(
    ("path", "expected", "mismatches"),
    [
        ("status.versions[*].replicas", [1, None, 2, None], 0),
        ("status.versions[replicas].replicas", [1, 2], 0),
        ("status.plain[*]", [1, "text"], 0),
        ("status.nested[*].parts[*].n", [1, 2, 3], 0),
        ("status.holds.*.n", [1, 2], 0),
        ("status.conditions[type=Ready].status[*]", None, 1),
        ("status.missing[*].n", None, 0),
        ("status.replicas[*].n", None, 1),
        ("status.replicas.*", None, 1),
        ("status.versions[*].parts[*].n", None, 0),
        ("status.versions[*].replicas.deeper", [None, None, None, None], 2),
    ],
)
def test_all_values(path: str, expected: list[Any] | None, mismatches: int) -> None:
    tally = Tally()
    assert all_values(parse(path))(Roots(snippet(OBJECT)), tally) == expected
    assert tally.type_mismatches == mismatches


def test_only_the_root_that_is_read_is_decoded() -> None:
    decoded: list[str] = []

    def decode(name: str) -> Any:
        decoded.append(name)
        return {"a": 1}

    roots = Roots(decode=decode)
    read = reader(parse("status.a"))
    assert read(roots, Tally()) == read(roots, Tally()) == 1
    assert decoded == ["status"]
