from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.fieldpath import parse
from webhook.sensitive import Sensitive


def sensitive(*paths: str) -> Sensitive:
    return Sensitive([parse(path) for path in paths])


@pytest.mark.parametrize(
    ("path", "field", "hidden"),
    [
        ("status.token", "status.token", True),
        ("status.token", "status.tokens", False),
        ("status.token", "spec.token", False),
        pytest.param("status.token", "status", True, id="it holds a sensitive one"),
        pytest.param("status.token", "status.token.value", True, id="it belongs to a sensitive one"),
        ('status["a.b"]', 'status["a.b"]', True),
        ('status["a.b"]', "status.a.b", False),
        ("status.items[*].token", "status.items[name=x].token", True),
        ("status.items[name].token", 'status.items[name="a]b.c"].token', True),
        ("status.items[name].token", "status.items[name=a[b].token", True),
        ("status.items[name].token", 'status.items[name=a"b].token', True),
        ("status.items[name].token", "status.items[name=1.5].token", True),
        ("status.items[name].token", "status.items[name=x].other", False),
        ("status.items[name].token", "status.items", True),
        ("status.items[ref].token", 'status.items[ref={"a":"]","b":[1,"}"]}].token', True),
        ("status.items[ref].token", 'status.items[ref=["]"],other=x].token', True),
        ("status.items[ref].token", 'status.items[ref={"token":1}].name', False),
        ("status.secrets.*", "status.secrets.a", True),
        ("status.secrets.*", 'status.secrets["a.b"].c', True),
        ("status.secrets.a", "status.secrets.*", True),
        ("status.versions[*].token", "status.versions[*].token", True),
        pytest.param("status.token", "object", True, id="an expression that reads the whole object"),
    ],
)
def test_hides(path: str, field: str, *, hidden: bool) -> None:
    assert sensitive(path).hides(field) is hidden
    assert sensitive("other", path).hides(field) is hidden
    assert not Sensitive().hides(field)


@pytest.mark.parametrize(
    ("path", "field", "shown"),
    [
        ("status.token", "status.token", "status.token"),
        ("status.items[name].name", "status.items[name=x].token", "status.items[name=<hidden>].token"),
        ("status.items[name].name", "status.items[kind=k,name=x].token", "status.items[kind=k,name=<hidden>].token"),
        ("status.items[ref].ref", 'status.items[ref={"a":"]"}].x', "status.items[ref=<hidden>].x"),
        ("status.items[ref].ref.a", 'status.items[ref={"a":"]"}].x', "status.items[ref=<hidden>].x"),
        ("status.items", "status.items[name=x].token", "status.items[name=<hidden>].<hidden>"),
        ("status.secrets", "status.secrets.key", "status.secrets.<hidden>"),
        ("status.secrets", 'status.secrets["a.b"].c', "status.secrets.<hidden>.<hidden>"),
        ("status.other", 'status.items[name="a b"].x["a.b"].y[*]', 'status.items[name="a b"].x["a.b"].y[*]'),
    ],
)
def test_a_field_is_shown_without_what_is_sensitive_in_it(path: str, field: str, shown: str) -> None:
    assert sensitive(path).field(field) == shown
    assert Sensitive().field(field) == field


KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
OBJECT_KEYS = KEYS | st.integers() | st.dictionaries(KEYS, KEYS, min_size=1, max_size=2) | st.lists(KEYS, max_size=2)


@given(OBJECT_KEYS, KEYS)
def test_no_key_hides_that_a_field_is_sensitive(item: object, entry: str) -> None:
    path = parse("status.items[k].map.*.token")
    field = path.concrete(((item,), (entry,)))
    assert Sensitive([path]).hides(field)
    assert sensitive("status.items[*].map").hides(field)
    assert not sensitive("status.items[*].map.*.other").hides(field)
    assert sensitive("spec").field(field) == field
