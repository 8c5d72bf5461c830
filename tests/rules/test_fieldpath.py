from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from rules.fieldpath import MAX_LENGTH, FieldPath, ItemKey, parse, parse_prefix
from rules.model import OnePath, PairedPath
from rules.path_syntax import Select
from rules.values import text

NAMES = st.from_regex(r"[A-Za-z_$][A-Za-z0-9_-]{0,5}", fullmatch=True)
STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6).map(json.dumps)
BARE = st.from_regex(r'[^\],"=\s][^\],]{0,5}', fullmatch=True)
SELECTS = st.dictionaries(NAMES, STRINGS | BARE, min_size=1, max_size=3).map(
    lambda keys: "[" + ",".join(f"{key}={value}" for key, value in keys.items()) + "]"
)
KEYED = st.lists(NAMES, min_size=1, max_size=3, unique=True).map(lambda keys: f"[{','.join(keys)}]")
SEGMENTS = st.one_of(
    NAMES.map(lambda name: f".{name}"),
    st.just(".*"),
    st.just("[*]"),
    STRINGS.map(lambda key: f"[{key}]"),
    SELECTS,
    KEYED,
)
PATHS = st.tuples(NAMES, st.lists(SEGMENTS, max_size=4)).map(lambda parts: parts[0] + "".join(parts[1]))


@given(PATHS)
def test_a_path_is_spelt_as_it_was_written(written: str) -> None:
    path = parse(written)
    assert str(path) == written
    assert parse(str(path)) == path


@given(PATHS, st.text(max_size=3))
def test_a_path_ends_where_its_grammar_ends(written: str, rest: str) -> None:
    path, end = parse_prefix(f"x <= {written} {rest}", 5)
    assert str(path) == written
    assert end == 5 + len(written)


SCALAR_KEYS = st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.lists(SCALAR_KEYS, min_size=1, max_size=3))
def test_a_concrete_item_reads_back_as_the_one_item(keys: list[Any]) -> None:
    names = [f"k{index}" for index in range(len(keys))]
    concrete = parse(f"status.items[{','.join(names)}].field").concrete((tuple(keys),))
    path = parse(concrete)
    select = path.segments[2]
    assert isinstance(select, Select)
    assert select.keys == tuple(zip(names, map(text, keys), strict=True))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_a_concrete_map_value_reads_back_as_that_name(key: str) -> None:
    assert [segment.name for segment in parse(parse("s.m.*").concrete(((key,),))).segments] == ["s", "m", key]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("written", "where", "expected"),
    [
        ("status.a", (), "status.a"),
        ("status.conditions[type].reason", (("Ready",),), "status.conditions[type=Ready].reason"),
        ("status.conditions[type=Ready].reason", (), "status.conditions[type=Ready].reason"),
        ('status.conditions[type="Ready"].reason', (), 'status.conditions[type="Ready"].reason'),
        ("s.p[a,b].c[type].x", (("u", "v"), ("T",)), "s.p[a=u,b=v].c[type=T].x"),
        ("s.p[b,a]", (("u", "v"),), "s.p[b=u,a=v]"),
        ("s.p[k]", (("a]b",),), 's.p[k="a]b"]'),
        ("s.p[k]", (("a,b",),), 's.p[k="a,b"]'),
        ("s.p[k]", (('a"b',),), r's.p[k="a\"b"]'),
        ("s.p[k]", (("a=b",),), 's.p[k="a=b"]'),
        ("s.p[k]", (("a b",),), 's.p[k="a b"]'),
        ("s.p[k]", (("a\u3000b",),), 's.p[k="a\u3000b"]'),
        ("s.p[k]", (("",),), 's.p[k=""]'),
        ("s.p[k]", (("a.b/c",),), "s.p[k=a.b/c]"),
        ("s.p[k]", ((80,),), "s.p[k=80]"),
        ("s.p[k]", ((True,),), "s.p[k=true]"),
        ("s.p[k]", ((Decimal("1.50"),),), "s.p[k=1.5]"),
        ("s.p[k]", (({"name": "b", "kind": "a", "x": None},),), 's.p[k={"kind":"a","name":"b"}]'),
        ("s.p[k]", ((["a"],),), 's.p[k=["a"]]'),
        ("s.m.*", (("a-b",),), "s.m.a-b"),
        ("s.m.*", (("a.b",),), 's.m["a.b"]'),
        ("s.m.*.x", (("1",),), 's.m["1"].x'),
        ("s.m.*", (("*",),), 's.m["*"]'),
        ('s.m["a.b"].*', (("c",),), 's.m["a.b"].c'),
        ("s.v[*].x", (), "s.v[*].x"),
    ],
)
def test_concrete(written: str, where: tuple[ItemKey, ...], expected: str) -> None:
    assert parse(written).concrete(where) == expected


@pytest.mark.parametrize(
    ("written", "one_value", "paired", "list_items"),
    [
        ("status.a", True, True, False),
        ('metadata.annotations["a.b/c"]', True, True, False),
        ("status.conditions[type=Ready].status", True, True, True),
        ("status.conditions[type].status", False, True, True),
        ("status.holds.*", False, True, False),
        ("status.versions[*].replicas", False, False, True),
    ],
)
def test_what_a_path_names(written: str, *, one_value: bool, paired: bool, list_items: bool) -> None:
    path = parse(written)
    assert (path.names_one_value, path.is_paired, path.has_list_items) == (one_value, paired, list_items)
    assert path.root == written.split(".", maxsplit=1)[0]


@pytest.mark.parametrize(
    ("kind", "written", "offset"),
    [
        (OnePath, "status.conditions[type].status", 17),
        (OnePath, "status.holds.*", 12),
        (OnePath, 'status["a"].b[x=y].versions[*]', 27),
        (PairedPath, "status.a[type].versions[*].x", 23),
    ],
)
def test_the_first_step_that_does_not_fit_is_named(kind: Any, written: str, offset: int) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(written)
    (error,) = caught.value.errors()
    assert error["ctx"]["offset"] == offset


def test_in_documents_a_path_is_a_string() -> None:
    adapter = TypeAdapter(FieldPath)
    assert adapter.validate_python("status.a") == parse("status.a")
    assert adapter.dump_json(parse("status.a[type]")) == b'"status.a[type]"'
    assert adapter.json_schema() == {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH}
    for bad in ("", "a" * (MAX_LENGTH + 1), 1, None, ["status"]):
        with pytest.raises(ValidationError):
            adapter.validate_python(bad)
