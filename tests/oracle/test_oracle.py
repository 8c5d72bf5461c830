"""Hand-made examples, about one for each sentence of section 2 of DESIGN.md."""

from __future__ import annotations

import hashlib
import random
from decimal import Decimal
from typing import Any

import pytest

from . import NO_PATCH, Broken, Write, judge
from .paths import parse, show_path
from .values import canonical, equal, instant, quantity, text

Json = dict[str, Any]
OG = "status.observedGeneration"


def broken(invariant: Json, old: Json | None, new: Json, *, meta: Json | None = None, **write: Any) -> list[str]:
    """The broken fields of a write that turns one status into another."""
    metadata = {"generation": 3} if meta is None else meta
    before = None if old is None else {"apiVersion": "g/v1", "metadata": metadata, "status": old}
    after = {"apiVersion": "g/v1", "metadata": metadata, "status": new}
    operation = "CREATE" if old is None else "UPDATE"
    found = judge({"invariants": [{"name": "i", **invariant}]}, Write(before, after, operation, **write))
    assert all(each.invariant == "i" for each in found)
    return [each.field for each in found]


def items(*conditions: Json) -> Json:
    return {"conditions": list(conditions)}


# --- values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (3, 3.0, True),
        (True, 1, False),
        ({"a": None}, {}, True),
        ([None], [], False),
        ([1, 2], [2, 1], False),
        (0.1, Decimal("0.1"), True),
        (2**53 + 1, 2**53, False),
        (None, "", False),
        (Decimal("1e999999999"), 1, False),
    ],
)
def test_equality(left: object, right: object, same: bool) -> None:  # noqa: FBT001
    assert equal(left, right) is same


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "true"),
        (10**25, "1" + "0" * 25),
        (3.0, "3"),
        (1e21, "1" + "0" * 21),
        (0.5, "0.5"),
        (Decimal("-1.50"), "-1.5"),
        (0.000001, "0.000001"),
        (0.0000001, "1e-7"),
        (-0.0, "0"),
        ([], None),
        ({}, None),
    ],
)
def test_text(value: object, expected: str | None) -> None:
    assert text(value) == expected


def test_canonical_json() -> None:
    value = {"b": [1.0, None, "é\n"], "a": {"x": None}, "\U0001f600": True, "\ufb01": 2**60}
    assert canonical(value) == '{"a":{},"b":[1,null,"é\\n"],"\U0001f600":true,"\ufb01":1152921504606846976}'


def test_times() -> None:
    assert instant("2026-01-01T01:00:00.10+01:00") == instant("2026-01-01T00:00:00.1Z")
    before, after = instant("2026-01-01T00:00:00.09Z"), instant("2026-01-01T00:00:00.1000000000001Z")
    assert before
    assert after
    assert before < after
    for no_time in ("2026-01-01", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00", "1"):
        assert instant(no_time) is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [("500m", "0.5"), ("1Ki", "1024"), ("1.5Gi", "1610612736"), ("1E", "1e18"), ("1E3", "1000"), ("-.5k", "-500"),
     ("+5.", "5"), ("1e-3", "0.001"), ("7n", "7e-9"), ("1K", None), ("1e", None), (".", None), ("1 ", None), ("", None)],
)  # fmt: skip
def test_quantities(source: str, expected: str | None) -> None:
    assert quantity(source) == (None if expected is None else Decimal(expected))


# --- paths ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "status.conditions[type=Ready].status",
        "status.parents[parentRef,controllerName].conditions[type].reason",
        "status.versions[*].replicas",
        "status.holds.*",
        'metadata.annotations["a.b/c"]',
        'status.list[name="a b",id=7].x',
    ],
)
def test_paths(source: str) -> None:
    assert show_path(parse(source)) == source


def test_concrete_fields() -> None:
    once = {"preserved": {"fields": ["status.m.*", "status.l[k]"]}}
    old = {"m": {"a": 1, "a.b": 1}, "l": [{"k": "a b"}, {"k": {"b": 1, "a": 2}}, {"k": 3.0}, {"k": "x"}]}
    fields = ["status.m.a", 'status.m["a.b"]', 'status.l[k="a b"]', 'status.l[k={"a":2,"b":1}]', "status.l[k=3]"]
    assert broken(once, old, {}) == [*fields, "status.l[k=x]"]


def test_a_segment_that_meets_another_type_yields_absent() -> None:
    assert broken({"preserved": {"fields": ["status.a.b"]}}, {"a": {"b": 1}}, {"a": "x"}) == ["status.a.b"]


def test_items_without_key_are_not_there_and_the_first_of_a_key_is_read() -> None:
    frozen = {"frozen": {"fields": ["status.l[k].v"]}}
    assert not broken(frozen, {"l": [7, {"v": 1}, {"k": None, "v": 1}]}, {"l": [8, {"v": 2}, {"k": None, "v": 2}]})
    assert not broken(frozen, {"l": [{"k": "a", "v": 1}]}, {"l": [{"k": "a", "v": 1}, {"k": "a", "v": 2}]})


def test_gone_items_take_their_fields_with_them() -> None:
    once = {"writeOnce": {"fields": ["status.conditions[type=A].x", "status.m.*"]}}
    old = {**items({"type": "A", "x": 1}), "m": {"k": 1}}
    assert not broken(once, old, {"conditions": []})
    assert broken(once, old, {**items({"type": "A"}), "m": {"k": 2}}) == ["status.conditions[type=A].x", "status.m.k"]


# --- predicates -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "operator", "values", "expected"),
    [
        (None, "In", ["a"], False),
        (None, "In", [""], True),
        (None, "NotIn", [""], True),
        (None, "Matches", [".*"], False),
        ("ab", "Matches", ["a"], False),
        ("٣", "Matches", [r"\d"], False),
        (3.0, "In", ["3"], True),
        (True, "In", ["true"], True),
        ({}, "In", ["{}"], False),
        ([], "NotIn", ["[]"], True),
        ([], "Exists", [], True),
        (None, "DoesNotExist", [], True),
    ],
)
def test_predicates(value: object, operator: str, values: list[str], expected: bool) -> None:  # noqa: FBT001
    when = [{"field": "status.p", "operator": operator, "values": values}]
    fields = broken({"when": when, "frozen": {"fields": ["status.x"]}}, {"x": 1, "p": value}, {"x": 2, "p": value})
    assert bool(fields) is expected


def test_of_old() -> None:
    when = [{"field": "status.p", "operator": "In", "values": ["a"], "of": "old"}]
    invariant = {"when": when, "frozen": {"fields": ["status.x"]}}
    assert broken(invariant, {"p": "a", "x": 1}, {"p": "b", "x": 2})
    assert not broken(invariant, {"p": "b", "x": 1}, {"p": "a", "x": 2})


# --- observedGeneration -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "old", "new", "generation", "bad"),
    [
        ({}, 2, 1, 3, True),
        ({}, 2, None, 3, True),
        ({}, 2, 0, 3, True),
        ({}, None, 4, 3, True),
        ({}, None, 4, None, False),
        ({}, None, 4, 0, False),
        ({}, 5, 2, 3, False),  # the old one was impossible
        ({}, 5, 4, 3, True),
        ({}, 0, None, 3, False),
        ({"notAhead": False}, 2, 9, 3, False),
        ({"mayClear": True}, 2, None, 3, False),
        ({}, 2, -1, 3, True),
        ({"ignoreValues": [-1]}, 2, -1, 3, False),
        ({"ignoreValues": [-1]}, -1, 2, 3, False),
        ({"ignoreValues": [-1]}, -1, 4, 3, True),
    ],
)
def test_observed_generation(spec: Json, old: object, new: object, generation: object, bad: bool) -> None:  # noqa: FBT001
    fields = broken(
        {"observedGeneration": spec},
        {"observedGeneration": old},
        {"observedGeneration": new},
        meta={"generation": generation},
    )
    assert fields == ([OG] if bad else [])


def test_a_path_through_list_items_may_clear() -> None:
    old = items({"type": "A", "observedGeneration": 2})
    assert not broken({"observedGeneration": {}}, old, items({"type": "A"}))
    strict = {"fields": ["status.conditions[type].observedGeneration"], "mayClear": False}
    field = "status.conditions[type=A].observedGeneration"
    assert broken({"observedGeneration": strict}, old, items({"type": "A"})) == [field]
    assert broken({"observedGeneration": {}}, {}, items({"type": "A", "observedGeneration": 4})) == [field]


def test_generation_is_read_by_not_ahead() -> None:
    def write(spec: Json) -> list[Broken]:
        old, new = ({"metadata": {"generation": each}, "status": {"observedGeneration": 9}} for each in (1, 2))
        return judge({"invariants": [{"name": "i", "observedGeneration": spec}]}, Write(old, new))

    assert write({}) == [Broken("i", OG)]
    assert write({"notAhead": False}) == []


# --- relation ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "missing", "new", "bad"),
    [
        ("status.a <= status.b", None, {"a": 2, "b": 1}, True),
        ("status.a <= status.b", None, {"a": 2}, False),
        ("status.a <= status.b", "Zero", {"a": 2}, True),
        ("status.a < status.b", "Zero", {"c": 1}, False),
        ("status.a == status.b - status.c + 1", None, {"a": 2, "b": 5, "c": 4}, False),
        ("status.a != 3", None, {"a": 3.0}, True),
        ("status.a == sum(status.v[*].n)", None, {"a": 3, "v": [{"n": 1}, {"n": 1}]}, True),
        ("status.a == sum(status.v[*].n)", None, {"a": 3, "v": [{"n": 1}, {}]}, False),
        ("status.a == sum(status.v[*].n)", "Zero", {"a": 3, "v": [{"n": 1}, {}]}, True),
        ("status.a == sum(status.v[*].n)", "Zero", {"a": 3}, False),
        ("status.a == sum(status.v[*].n)", None, {"a": 3, "v": []}, True),
        ("status.a == sum(status.v[*].n)", None, {"a": 3, "v": [7, "x"]}, True),
        ("status.a == sum(status.m.*)", None, {"a": 3, "m": {"x": 1, "y": 2}}, False),
        ("status.a <= 1", "Zero", {"a": "5"}, False),
        ("status.a <= 1", None, {"a": True}, False),
        ("status.a <= 9007199254740992", None, {"a": 9007199254740993}, True),
        ("status.a <= 1", None, {"a": Decimal("1e999999999")}, False),  # absurd: no number
    ],
)
def test_relation(relation: str, missing: str | None, new: Json, bad: bool) -> None:  # noqa: FBT001
    assert bool(broken({"relation": {"holds": [relation], "missing": missing}}, {}, new)) is bad


def test_a_relation_names_the_first_path_that_changed() -> None:
    invariant = {"relation": {"holds": ["status.a <= status.b", "status.a < status.c"]}}
    old = {"a": 1, "b": 2, "c": 0}
    assert broken(invariant, old, {**old, "b": 0}) == ["status.b"]


# --- monotonic, writeOnce, preserved, frozen --------------------------------------------------------

T1, T2 = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"


@pytest.mark.parametrize(
    ("direction", "old", "new", "bad"),
    [
        ("NonDecreasing", 5, 4, True),
        ("NonDecreasing", 5, None, True),
        ("NonDecreasing", 0, None, False),
        ("NonDecreasing", -5, None, False),
        ("NonDecreasing", T2, T1, True),
        ("NonDecreasing", T1, None, True),
        ("NonDecreasing", "1Gi", "1024Mi", False),
        ("NonDecreasing", "1Gi", 1000, True),
        ("NonDecreasing", T1, 9, True),
        ("NonDecreasing", 0, T1, False),
        ("NonDecreasing", "no measure", 1, False),
        ("NonDecreasing", Decimal("1e999999999"), Decimal("1e999999998"), True),
        ("NonIncreasing", 4, 5, True),
        ("NonIncreasing", 5, None, False),
        ("NonIncreasing", None, 5, False),
        ("NonIncreasing", T1, T2, True),
    ],
)
def test_monotonic(direction: str, old: object, new: object, bad: bool) -> None:  # noqa: FBT001
    invariant = {"monotonic": {"fields": ["status.x"], "direction": direction}}
    assert broken(invariant, {"x": old}, {"x": new}) == (["status.x"] if bad else [])


def test_monotonic_may_clear_and_ignore() -> None:
    spec = {"fields": ["status.x"], "direction": "NonDecreasing", "mayClear": True, "ignoreValues": [-1]}
    assert not broken({"monotonic": spec}, {"x": 5}, {})
    assert not broken({"monotonic": spec}, {"x": 5}, {"x": -1})
    assert broken({"monotonic": spec}, {"x": 5}, {"x": 0})


def test_write_once() -> None:
    assert not broken({"writeOnce": {"fields": ["status.x"]}}, {}, {"x": ""})
    assert broken({"writeOnce": {"fields": ["status.x"]}}, {"x": ""}, {"x": "a"})
    assert broken({"writeOnce": {"fields": ["status.x"]}}, {"x": "a"}, {})
    assert not broken({"writeOnce": {"fields": ["status.x"], "mayClear": True}}, {"x": "a"}, {})


def test_preserved() -> None:
    fields = {"preserved": {"fields": ["status.conditions[type].status"]}}
    old = items({"type": "A", "status": "True"}, {"type": "B"})
    assert broken(fields, old, {}) == ["status.conditions[type=A].status"]
    assert not broken(fields, old, items({"type": "A", "status": ""}))


def test_frozen() -> None:
    frozen = {"frozen": {"fields": ["status.x", "status.l[k].v"]}}
    assert broken(frozen, {}, {"x": 1}) == ["status.x"]
    assert not broken(frozen, {"l": []}, {"l": [{"k": "a", "v": 1}]})
    assert broken(frozen, {"l": [{"k": "a"}]}, {"l": [{"k": "a", "v": 1}]}) == ["status.l[k=a].v"]


# --- transitions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "old", "new", "bad"),
    [
        ({"allow": [{"from": ["A"], "to": ["B"]}]}, "A", "B", False),
        ({"allow": [{"from": ["A"], "to": ["B"]}]}, "B", "A", True),
        ({"allow": [{"from": ["A"], "to": ["B"]}]}, "A", None, True),
        ({"allow": [{"from": ["A"], "to": [""]}]}, "A", None, False),
        ({"allow": [{"from": ["*"], "to": ["*"]}]}, None, "A", False),
        ({"forbid": [{"from": ["*"], "to": ["B"]}]}, None, "B", True),
        ({"forbid": [{"from": ["*"], "to": ["B"]}]}, "A", {}, False),
        ({"initial": ["A"]}, None, "B", True),
        ({"initial": ["A"], "allow": [{"from": ["A"], "to": ["B"]}]}, "", "A", False),
        ({"initial": ["A"]}, "B", "C", False),
        ({"terminal": ["Done"]}, "Done", "A", True),
        ({"terminal": ["Done"]}, "Done", None, True),
        ({"terminal": ["3"]}, 3, "3", False),
    ],
)
def test_transitions(spec: Json, old: object, new: object, bad: bool) -> None:  # noqa: FBT001
    assert bool(broken({"transitions": {"field": "status.x", **spec}}, {"x": old}, {"x": new})) is bad


def test_an_item_that_is_new_was_unset() -> None:
    spec = {"field": "status.conditions[type=Up].status", "forbid": [{"from": [""], "to": ["True"]}]}
    assert broken({"transitions": spec}, {}, items({"type": "Up", "status": "True"})) == [spec["field"]]


# --- conditions -------------------------------------------------------------------------------------


def condition(time: str | None = T1, status: str = "True", reason: str = "R", **more: object) -> Json:
    return {"type": "A", "status": status, "reason": reason, "lastTransitionTime": time, **more}


@pytest.mark.parametrize(
    ("spec", "old", "new", "bad"),
    [
        ({}, condition(), condition(T2), True),
        ({}, condition(), condition(T2, reason="S"), False),
        ({}, condition(), condition(T2, severity="Info"), False),
        ({}, condition(), condition(None), True),
        ({}, condition(None), condition(T1), False),
        ({"lastTransitionTime": "OnlyWithStatus"}, condition(), condition(T2, reason="S"), True),
        ({"lastTransitionTime": "OnlyWithStatus"}, condition(), condition(status="False"), False),
        ({"lastTransitionTime": "WithStatus"}, condition(), condition(status="False"), True),
        ({"lastTransitionTime": "Ignore"}, condition(), condition(T2), False),
        ({"notBack": True}, condition(T2), condition(T1, reason="S"), True),
        ({"notBack": True}, condition(T2), condition(T1, status="False"), False),
    ],
)
def test_condition_times(spec: Json, old: Json, new: Json, bad: bool) -> None:  # noqa: FBT001
    expected = ["status.conditions[type=A].lastTransitionTime"] if bad else []
    assert broken({"conditions": spec}, items(old), items(new)) == expected


def test_unique_types() -> None:
    twice = items(condition(), condition(), condition(), {"type": "B"})
    assert broken({"conditions": {}}, items(condition()), twice) == ["status.conditions[type=A]"]
    assert broken({"conditions": {}}, None, twice) == ["status.conditions[type=A]"]
    assert not broken({"conditions": {}}, twice, items(condition(), condition(), condition(), {"type": "C"}))
    assert not broken({"conditions": {"uniqueTypes": False}}, None, twice)


# --- require ----------------------------------------------------------------------------------------


def test_require() -> None:
    exists = [{"field": f"status.{name}", "operator": "Exists"} for name in "ab"]
    assert broken({"require": {"all": exists}}, {"a": 1, "b": 1}, {}) == ["status.a", "status.b"]
    assert broken({"require": {"all": exists}}, {"a": 1}, {}) == ["status.a"]
    assert not broken({"require": {"any": exists}}, {"a": 1}, {"b": 1})
    assert broken({"require": {"any": exists}}, {"b": 1}, {}) == ["status.b"]
    when = [{"field": "status.p", "operator": "Exists"}]
    assert broken({"when": when, "require": {"all": exists}}, {"a": 1}, {"a": 1, "p": 1}) == ["status.b"]


# --- coUpdate ---------------------------------------------------------------------------------------

AB = ["status.a", "status.b"]
MEMBERS: Json = {"fields": AB}


def test_identity_and_the_first_member_that_changed() -> None:
    group = {"coUpdate": {**MEMBERS, "identity": ["status.a == status.b", "status.a < 9"]}}
    assert broken(group, {"a": 1, "b": 1}, {"a": 1, "b": 2}) == ["status.b"]
    assert broken(group, {"a": 9, "b": 9}, {"a": 10, "b": 11}) == ["status.a"]
    assert not broken(group, {"a": 1, "b": 1}, {"b": 2})


def test_digest() -> None:
    group = {"coUpdate": {**MEMBERS, "digest": "status.d"}}
    digest = hashlib.sha256(b"[2,null]").hexdigest()
    assert not broken(group, {"a": 1}, {"a": 2})
    assert not broken(group, {"a": 1}, {"a": 2, "d": digest})
    assert not broken(group, None, {"a": 2, "d": digest[:8]})
    for wrong in (digest[:7], digest.upper(), digest + "0", "0" * 8, ""):
        assert broken(group, {"a": 1}, {"a": 2, "d": wrong}) == ["status.a"]
    assert broken(group, {"a": 2, "d": digest}, {"a": 2}) == ["status.a"]
    assert broken(group, None, {"a": 1, "d": digest})


def test_stamp_and_change_together() -> None:
    stamp, together = {"coUpdate": {**MEMBERS, "stamp": "status.s"}}, {"coUpdate": {**MEMBERS, "changeTogether": True}}
    assert broken(stamp, {"a": 1, "s": 1}, {"a": 2, "s": 1}) == ["status.a"]
    assert not broken(stamp, {"a": 1, "s": 1}, {"a": 2, "s": 2})
    assert broken(together, {"a": 1, "b": 1}, {"a": 1, "b": 2}) == ["status.b"]
    assert not broken(together, {"a": 1, "b": 1}, {"a": 2, "b": 2})


def owned(*managers: tuple[str, str, Json]) -> Json:
    entries = [{"manager": name, "apiVersion": version, "fieldsV1": fields} for name, version, fields in managers]
    return {"managedFields": entries}


@pytest.mark.parametrize(
    ("managers", "bad"),
    [
        ([("m", "g/v1", {"f:status": {"f:a": {}, "f:b": {}}})], False),
        ([("m", "g/v1", {"f:status": {"f:a": {}}}), ("m", "g/v1", {"f:status": {"f:b": {}}})], False),
        ([("m", "g/v1", {"f:status": {".": {}, "f:a": {}}}), ("n", "g/v1", {"f:status": {"f:b": {}}})], True),
        ([("m", "g/v1", {"f:status": {}})], False),
        ([("m", "g/v2", {"f:status": {"f:a": {}}})], False),
        ([("m", "g/v1", {"f:status": {"f:c": {}}})], False),  # no entry owns a member
        ([("m", "g/v1", {"f:status": {"f:a": {}}}), ("m", "g/v2", {"f:status": {"f:b": {}}})], True),
    ],
)
def test_single_manager(managers: list[tuple[str, str, Json]], bad: bool) -> None:  # noqa: FBT001
    group = {"coUpdate": {**MEMBERS, "singleManager": True}}
    assert bool(broken(group, {"a": 1, "b": 1}, {"a": 2, "b": 1}, meta=owned(*managers))) is bad
    assert not broken(group, {"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 2}, meta=owned(*managers))


def test_a_manager_of_a_list_item() -> None:
    group = {"coUpdate": {"fields": ["status.conditions[type=A].status", "status.a"], "singleManager": True}}
    for kind, bad in (("A", False), ("B", True)):
        item: Json = {".": {}, "f:status": {}}
        fields: Json = {"f:status": {"f:a": {}, "f:conditions": {f'k:{{"type":"{kind}"}}': item}}}
        meta = owned(("m", "g/v1", fields))
        assert bool(broken(group, {}, {"a": 1, **items(condition())}, meta=meta)) is bad


@pytest.mark.parametrize(
    ("patch", "mode", "bad"),
    [
        (NO_PATCH, "Full", False),
        ({"status": {"a": 2}}, None, True),
        ({"status": {"a": 2, "b": None}}, None, False),
        ({"status": {"a": 2}, "metadata": {"resourceVersion": "7"}}, None, False),
        ({"status": {"a": 2}, "metadata": {"resourceVersion": "7"}}, "Full", True),
        ({"status": {"a": 2}, "metadata": {"resourceVersion": ""}}, None, True),
        ({"status": None}, None, False),
        ([{"op": "replace", "path": "/status/a", "value": 2}], None, True),
        ([{"op": "add", "path": "/status", "value": {"a": 2}}], None, False),
        ([{"op": "move", "path": "/status/a", "from": "/status/b"}], None, False),
        ([{"op": "test", "path": "/status/b"}, {"op": "replace", "path": "/status/a", "value": 2}], None, True),
        (
            [{"op": "test", "path": "/metadata/resourceVersion", "value": "7"}, {"op": "add", "path": "/status/a"}],
            None,
            False,
        ),
    ],
)
def test_patch(patch: object, mode: str | None, bad: bool) -> None:  # noqa: FBT001
    group = {"coUpdate": {**MEMBERS, "patch": mode}}
    assert bool(broken(group, {"a": 1, "b": 1}, {"a": 2, "b": 1}, patch=patch)) is bad
    assert not broken(group, {"a": 1, "b": 1}, {"a": 1, "b": 1}, patch=patch)


# --- only what the write changed --------------------------------------------------------------------


def test_a_fault_that_was_there_before_is_not_judged() -> None:
    invariant = {"relation": {"holds": ["status.a <= status.b"]}}
    assert not broken(invariant, {"a": 2, "b": 1}, {"a": 2, "b": 1, "c": 1})
    when = [{"field": "status.c", "operator": "Exists"}]
    assert broken({"when": when, **invariant}, {"a": 2, "b": 1}, {"a": 2, "b": 1, "c": 1}) == ["status.a"]


def test_create() -> None:
    assert broken({"relation": {"holds": ["status.a <= 1"]}}, None, {"a": 2})
    assert broken({"coUpdate": {**MEMBERS, "identity": ["status.a == status.b"]}}, None, {"a": 2, "b": 1})
    assert broken({"observedGeneration": {}}, None, {"observedGeneration": 4})
    assert broken({"transitions": {"field": "status.x", "initial": ["A"]}}, None, {"x": "B"})
    assert broken({"require": {"all": [{"field": "status.x", "operator": "In", "values": ["A"]}]}}, None, {"x": "B"})
    for not_judged in (
        {"frozen": {"fields": ["status.a"]}},
        {"transitions": {"field": "status.a", "forbid": [{"from": ["*"], "to": ["*"]}]}},
        {"coUpdate": {**MEMBERS, "changeTogether": True, "stamp": "status.s"}},
        {"observedGeneration": {"ignoreValues": [], "fields": ["status.n"]}},
    ):
        assert not broken(not_judged, None, {"a": 2, "n": -3})


def test_cel_is_skipped() -> None:
    assert not broken({"cel": {"expression": "false"}}, {}, {"a": 1})


def test_odd_values_raise_nothing() -> None:
    values: list[Any] = [None, "", "x", 0, -1, 2.5, True, [], {}, [None], [{"type": {}}], {"type": "A"}, "9" * 5000]
    rules: list[Json] = [
        {"observedGeneration": {"fields": ["status.a", "status.a[type].a", "status.a.*"]}},
        {"coUpdate": {"fields": ["status.a", "status.a[type=A].b"], "digest": "status.b", "stamp": "status.a.b"}},
        {"relation": {"holds": ["status.a == sum(status.b[*].a) + sum(status.b[type].a)"], "missing": "Zero"}},
        {"monotonic": {"fields": ["status.a"], "direction": "NonIncreasing"}},
        {"conditions": {"path": "status.a", "notBack": True}},
        {"transitions": {"field": "status.a[type].type", "terminal": ["*"]}},
        {"require": {"any": [{"field": "status.a", "operator": "Matches", "values": ["x"]}]}},
    ]
    dice = random.Random(7)
    for _ in range(2000):
        old, new = ({"a": dice.choice(values), "b": dice.choice(values)} for _ in range(2))
        broken(dice.choice(rules), dice.choice([old, None, {}]), new, patch=dice.choice([NO_PATCH, *values]))
