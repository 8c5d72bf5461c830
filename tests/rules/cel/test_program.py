from __future__ import annotations

import sys
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from rules.cel.language import Variables
from rules.cel.program import CelRuntimeError, CelSyntaxError, compile_cel
from rules.write import Request, Resource, Roots, UndecodableError, Write
from tests.rules.judging import write

NOW = """
apiVersion: example.test/v1
kind: Widget
metadata: {name: w, namespace: default, generation: 3, labels: {app: a}}
spec: {replicas: 3, paused: false}
status:
  replicas: 3
  ratio: 0.5
  phase: Running
  since: "2026-01-01T00:00:00Z"
  conditions:
  - {type: Ready, status: "True", observedGeneration: 3}
  - {type: Stalled, status: "False", observedGeneration: 2}
  nothing: null
"""
BEFORE = "{metadata: {generation: 2}, status: {replicas: 2, phase: Pending}}"


def value(expression: str, to_judge: Write | None = None) -> Any:
    return compile_cel(expression, "bool").evaluate(to_judge or write(BEFORE, NOW))


def failure(expression: str, to_judge: Write | None = None) -> str:
    with pytest.raises(CelRuntimeError) as caught:
        value(expression, to_judge)
    return str(caught.value)


def holding(a: Any) -> Write:
    return Write(Request(Resource("g", "v1", "xs")), Roots({"a": a}), Roots({}))


def nested(levels: int) -> Any:
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("object.status.replicas == 3 && oldObject.status.replicas == 2", id="both objects"),
        pytest.param("object.metadata.labels['app'] == 'a'", id="member by index"),
        pytest.param("object.kind == 'Widget' && object.apiVersion.startsWith('example.test/')", id="roots"),
        pytest.param("has(object.status.replicas) && !has(object.status.missing)", id="has"),
        pytest.param("has(object.status.nothing) && object.status.nothing == null", id="null is there"),
        pytest.param("object.?status.?missing.orValue(7) == 7", id="optional absent"),
        pytest.param("object.?status.?replicas.orValue(7) == 3", id="optional present"),
        pytest.param("object.status[?'phase'].optMap(p, p + '!').orValue('') == 'Running!'", id="optMap"),
        pytest.param("object.status.conditions.all(c, c.type in ['Ready', 'Stalled'])", id="all"),
        pytest.param("object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')", id="exists"),
        pytest.param("object.status.conditions.exists_one(c, c.observedGeneration == 2)", id="exists_one"),
        pytest.param("object.status.conditions.filter(c, c.status == 'True').size() == 1", id="filter"),
        pytest.param("object.status.conditions.map(c, c.type) == ['Ready', 'Stalled']", id="map"),
        pytest.param("object.status.conditions.map(c, c.status == 'True', c.type) == ['Ready']", id="map if"),
        pytest.param("object.metadata.labels.all(key, key == 'app')", id="keys of a map"),
        pytest.param(
            "object.status.phase.lowerAscii().replace('run', 'x').split('n') == ['x', 'i', 'g']", id="strings"
        ),
        pytest.param("['a', 'b'].join('-') == 'a-b' && 'a%s'.format([1]) == 'a1'", id="join and format"),
        pytest.param("object.status.phase.matches('^[A-Z][a-z]+$')", id="matches"),
        pytest.param("math.greatest(object.status.replicas, 1) == 3 && math.abs(-2) == 2", id="math"),
        pytest.param("object.status.ratio * 2.0 == 1.0", id="decimals are doubles"),
        pytest.param("object.status.replicas == 3.0 && object.status.ratio < 1", id="integers and doubles compare"),
        pytest.param("timestamp(object.status.since) < timestamp('2026-01-02T00:00:00Z')", id="times"),
        pytest.param(
            "timestamp(object.status.since) + duration('1h') > timestamp(object.status.since)", id="durations"
        ),
        pytest.param("timestamp(object.status.since).getHours('+01:00') == 1", id="time zone"),
        pytest.param("object.spec.paused || true", id="or"),
        pytest.param("object.status.missing == 1 || true", id="or forgives an error"),
        pytest.param("type(object.status.replicas) == int && dyn(object.status.phase) != 1", id="types"),
    ],
)
def test_what_expressions_can_say(expression: str) -> None:
    assert value(expression) is True


def test_on_create_the_old_object_is_null() -> None:
    created = write(None, NOW)
    assert value("oldObject == null && object.status.replicas == 3", created)
    assert value("oldObject == null || oldObject.status.replicas == 3", created)
    assert not value("oldObject == null")
    assert failure("oldObject.status.replicas == 3", created)


def test_names_that_need_quotes() -> None:
    annotated = write("{}", "metadata: {annotations: {example.test/held: 'true'}}")
    assert value("object.metadata.annotations['example.test/held'] == 'true'", annotated)
    assert value("object.metadata.?annotations[?'example.test/other'].hasValue() == false", annotated)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("object.status.missing == 1", 'Key not found in map : "missing"'),
        ("object.status.phase < 3", "No matching overloads found : _<_(string, int64)"),
        ("object.status.replicas / 0 == 1", "divide by zero"),
        ("object.status.replicas * 9223372036854775807 == 1", "integer overflow"),
        ("object.status.conditions[7].type == ''", "Index error: index=7 size=..."),
        ("timestamp(object.status.phase) == timestamp(0)", "String to Timestamp conversion failed"),
        ("object.status.replicas", "gives a value of type int, expected bool"),
        ("object.status", "gives a value of type map<dyn, dyn>, expected bool"),
        ("dyn(object.?status)", "gives an optional: end with orValue()"),
        ("object.status.conditions.all(x, object.status.conditions)", "No matching overloads found : _&&_"),
    ],
)
def test_an_expression_without_a_value(expression: str, message: str) -> None:
    assert failure(expression) == message


def test_errors_do_not_tell_values() -> None:
    secret = write("{}", "{a: sesame, m: {}, l: [], n: 4711}")
    assert failure("object.m[object.a] == 1", secret) == "Key not found in map : ..."
    assert failure("object.m[object.n] == 1", secret) == "Key not found in map : ..."
    assert failure("object.l[object.n] == 1", secret) == "Index error: index=... size=..."


def test_strings() -> None:
    program = compile_cel("object.status.phase + ' since ' + object.status.since", "string")
    assert program.evaluate(write(BEFORE, NOW)) == "Running since 2026-01-01T00:00:00Z"
    with pytest.raises(CelRuntimeError, match="gives a value of type int, expected string"):
        compile_cel("object.status.replicas", "string").evaluate(write(BEFORE, NOW))


@pytest.mark.parametrize(("levels", "fits"), [(499, True), (500, True), (501, False), (5_000, False), (100_000, False)])
def test_depth_of_an_object(levels: int, *, fits: bool) -> None:
    if fits:
        assert value("object.a.size() == 1", holding(nested(levels)))
    else:
        assert failure("object.a.size() == 1", holding(nested(levels))) == "object.a is nested deeper than 500 levels"


def test_depth_of_what_is_not_read_does_not_matter() -> None:
    to_judge = holding({"deep": nested(100_000), "b": 1})
    assert value("object.a.b == 1", to_judge)


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_integers_of_64_bits(number: int) -> None:
    assert value(f"object.a == {number}", holding(number))


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**400])
def test_larger_integers_are_errors(number: int) -> None:
    assert failure("object.a[0] == 1", holding([number])) == "object.a holds an integer of more than 64 bits"


@pytest.mark.parametrize(
    ("number", "expression"),
    [
        (Decimal("2.50"), "object.a == 2.5 && type(object.a) == double"),
        (Decimal("3.0"), "object.a == 3 && type(object.a) == double"),
        (Decimal("1e400"), "object.a > 1e308"),
        (Decimal("0.1234567890123456789"), "object.a > 0.1234 && object.a < 0.1235"),
    ],
)
def test_decimals_become_doubles(number: Decimal, expression: str) -> None:
    assert value(expression, holding(number))


@pytest.mark.parametrize(
    "loops", ["object.a.all(x, object.a.all(y, true))", "object.a.all(x, true) && object.b.all(y, true)"]
)
def test_the_engine_bounds_iterations(loops: str) -> None:
    items = list(range(101)) if "object.b" not in loops else list(range(5_001))
    to_judge = Write(Request(Resource("g", "v1", "xs")), Roots({"a": items, "b": items}))
    assert failure(loops, to_judge) == "Iteration budget exceeded"


def test_an_object_that_might_take_too_long_is_an_error() -> None:
    expression = "object.a.map(x, x).size() > 1"
    assert value(expression, holding(list(range(800))))
    assert failure(expression, holding(list(range(2_000)))) == (
        "the object is too large for this expression: it might take too long"
    )


def test_an_object_that_is_too_large_is_not_converted() -> None:
    assert failure("object.a.size() > 1", holding([[1]] * 300_000)) == "object.a is too large for CEL"


class Spy:
    """Decodes the roots of an object and remembers which."""

    def __init__(self, **roots: Any) -> None:
        self.decoded: list[str] = []
        self._roots = roots

    def roots(self) -> Roots:
        return Roots(decode=self._decode, encoded=self._roots)

    def _decode(self, name: str) -> Any:
        self.decoded.append(name)
        if self._roots.get(name) == "undecodable":
            raise UndecodableError(f"object.{name} cannot be decoded")
        return self._roots.get(name)


def test_only_roots_that_are_read_are_decoded() -> None:
    new, old = Spy(spec={"a": 1}, status="undecodable"), Spy(spec={"a": 1}, status="undecodable")
    to_judge = Write(Request(Resource("g", "v1", "xs")), new.roots(), old.roots())
    assert value("object.spec.a == oldObject.spec.a && !has(object.data)", to_judge)
    assert (new.decoded, old.decoded) == (["spec", "data"], ["spec"])
    assert value("object.spec.a == 1", to_judge)
    with pytest.raises(UndecodableError):
        value("object == oldObject", to_judge)


def test_only_parts_that_are_read_reach_the_engine() -> None:
    seen: list[Variables] = []

    def evaluate(variables: Variables) -> bool:
        seen.append(variables)
        return True

    program = compile_cel("object.status.a == 1 && object.status.b.c == 2 && has(object.spec.x.y)", "bool")
    spied = replace(program, _compiled=replace(program._compiled, evaluate=evaluate))
    spied.evaluate(write("{}", "{status: {a: 1, b: {c: 2, d: 3}, e: 4}, spec: {x: {z: 5}, w: 6}, data: 7}"))
    assert seen[0]["object"] == {"status": {"a": 1, "b": {"c": 2}}, "spec": {"x": {}}}
    assert seen[0]["oldObject"] == {}


def test_the_extra_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rules.cel.engine", None)
    with pytest.raises(CelSyntaxError, match=r"CEL needs the extra `cel`: pip install 'statusguard\[cel\]'"):
        compile_cel.__wrapped__("object.a == 1", "bool")
