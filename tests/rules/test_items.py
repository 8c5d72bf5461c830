from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from rules.items import entries, is_item, selected
from rules.path_syntax import Keyed, MapValues, Select
from rules.values import MISSING

from .judging import snippet


@pytest.mark.parametrize(
    ("item", "fits"),
    [
        ("{type: Ready}", True),
        ("{type: Ready, status: 'True'}", True),
        ("{type: ready}", False),
        ("{status: Ready}", False),
        ("{type: null}", False),
        ("{type: {a: Ready}}", False),
        ("Ready", False),
        ("[Ready]", False),
        ("null", False),
    ],
)
def test_the_one_item(item: str, *, fits: bool) -> None:
    assert is_item(snippet(f"[{item}]")[0], Select((("type", "Ready"),), "[type=Ready]")) is fits


@pytest.mark.parametrize("port", [80, Decimal("80.0"), "80"])
def test_key_values_compare_as_text(port: Any) -> None:
    assert is_item({"port": port, "tls": True}, Select((("port", "80"), ("tls", "true")), "[port=80,tls=true]"))


def test_of_several_items_with_one_key_the_first_is_read() -> None:
    select = Select((("k", "a"),), "[k=a]")
    assert selected(select, [1, {"k": "b"}, {"k": "a", "n": 1}, {"k": "a", "n": 2}]) == {"k": "a", "n": 1}
    assert selected(select, [{"k": "b"}]) is MISSING
    found = entries(Keyed(("k",)), [{"k": "a", "n": 1}, {"k": "a", "n": 2}])
    assert [item for _, item in found.values()] == [{"k": "a", "n": 1}]


def test_items_that_are_no_objects_or_lack_a_key_are_not_there() -> None:
    items = snippet("[{a: 1, b: 2}, {a: 1}, {a: 1, b: null}, {b: 2}, text, 3, null, [{a: 1, b: 2}]]")
    assert [key for key, _ in entries(Keyed(("a", "b")), items).values()] == [(1, 2)]


def test_a_value_of_a_map_that_is_null_is_not_there() -> None:
    found = entries(MapValues(), {"a": 0, "b": None, "c": {}})
    assert list(found.values()) == [(("a",), 0), (("c",), {})]


def test_keys_are_told_apart_as_values_are() -> None:
    keys = ["1", 1, True, "true", {"a": 1}, '{"a":1}', [1], "[1]"]
    assert len(entries(Keyed(("k",)), [{"k": key} for key in keys])) == len(keys)
    assert len(entries(Keyed(("j", "k")), [{"j": "x", "k": key} for key in keys])) == len(keys)


@pytest.mark.parametrize(
    ("one", "other"),
    [(3, Decimal("3.0")), ({"a": 1, "b": None}, {"a": Decimal("1.0")}), ({"a": 1, "b": 2}, {"b": 2, "a": 1})],
)
def test_equal_keys_are_one_key(one: Any, other: Any) -> None:
    assert len(entries(Keyed(("k",)), [{"k": one}, {"k": other}])) == 1
