from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, event, given

from rules.cel.program import CelRuntimeError, CelSyntaxError, Program, compile_cel
from rules.cel.reads import Parts, Reads, field_paths, path_of
from rules.write import Request, Resource, Roots, Write
from tests.rules.strategies.expressions import EXPRESSIONS, OBJECTS

WHOLE = Reads({"object": ((),), "oldObject": ((),)})


def reads(expression: str) -> dict[str, tuple[Parts, ...]]:
    return dict(compile_cel(f"dyn({expression}\n) == 1", "bool").reads.variables)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("object.status.x", [("status", "x")]),
        (".object.status.x", [("status", "x")]),
        ("has(object.status.x)", [("status", "x")]),
        ("object['status'][\"x\"]", [("status", "x")]),
        ("object['a.b/c'].x", [("a.b/c", "x")]),
        (r"object['\x61'][r'b\c']['''d''']", [("a", r"b\c", "d")]),
        ("object.`a-b`.c", [("a-b", "c")]),
        ("object.status.?x", [("status", "x")]),
        ("object.?status.x.?y.orValue(1)", [("status", "x", "y")]),
        ("object[?'status'].orValue({})", [("status",)]),
        ("object.list[0].x", [("list",)]),
        ("object.list[oldObject.n].x", [("list",)]),
        ("object.map[b'x']", [("map",)]),
        ("object.list.size()", [("list",)]),
        ("object.list.exists(x, x.n == 1)", [("list",)]),
        ("object == null", [()]),
        ("object.a == 1 && object.b == object.a", [("a",), ("b",)]),
        ("object.a.b == 1 && object.a == object.a.c", [("a",)]),
        ("object.a == 1 && object == null", [()]),
        ("'object.a' == r'object.b' + \"'\" + object.c // object.d", [("c",)]),
        ("object // . is not the end\n .a", [("a",)]),
        ("[1].exists(object, object == 2)", []),
        ("[1].exists(object, .object.a == object)", [("a",)]),
        ("[object.a].exists(object, object.b == 1)", [("a",)]),
        ("object.list.map(object, object.a)", [("list",)]),
        ("[1].map(x, x > object.n, object.m)", [("n",), ("m",)]),
        ("optional.of(1).optMap(object, object + 1).value()", []),
        ("object.?a.optMap(x, x.b == object.c).value()", [("a",), ("c",)]),
        ("[?object.?a, 1]", [("a",)]),
        ("{?'x': object.?a, object.k: object.v}", [("a",), ("k",), ("v",)]),
        ("'%s'.format([object.a])", [("a",)]),
        ("1", []),
    ],
)
def test_parts_of_the_object(expression: str, expected: list[Parts]) -> None:
    assert list(reads(expression).get("object", ())) == expected


def test_each_variable_has_its_own_parts() -> None:
    found = compile_cel(
        "object.b == oldObject.a && oldObject.b == request.name && request.userInfo.uid == ''", "bool"
    ).reads
    assert found.of("oldObject") == (("a",), ("b",))
    assert found.of("request") == (("name",), ("userInfo", "uid"))
    assert found.of("namespaceObject") == ()
    assert found.parts == (("b",), ("a",))


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ((), "object"),
        (("status", "a-b"), "status.a-b"),
        (("metadata", "annotations", 'a.b/"c'), r'metadata.annotations["a.b/\"c"]'),
    ],
)
def test_path_of_parts(parts: Parts, path: str) -> None:
    assert path_of(parts) == path


def test_field_paths_leave_out_what_is_no_path() -> None:
    assert list(map(str, field_paths([(), ("status", "a b"), ("a b", "c")]))) == ['status["a b"]']


def outcome(program: Program, write: Write) -> Any:
    try:
        value = program.evaluate(write)
    except CelRuntimeError:
        return "an error"
    assert isinstance(value, bool)
    return value


@given(EXPRESSIONS, OBJECTS, OBJECTS)
def test_what_is_not_read_does_not_matter(expression: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    try:
        program = compile_cel(expression, "bool")
    except CelSyntaxError as error:
        event(error.message[:40])
        assume(False)  # noqa: FBT003
    write = Write(Request(Resource("g", "v1", "xs")), Roots(new), Roots(old))
    expected = outcome(replace(program, reads=WHOLE), write)
    event(str(expected))
    assert outcome(program, write) == expected
