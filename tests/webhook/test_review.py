from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.values import equal
from rules.write import Request, Resource, UndecodableError
from tests.widgets import review
from webhook import review as reviews
from webhook.review import NotAReviewError, decode

GOOD = review(1, 2)


def test_what_is_read_of_a_request() -> None:
    body = review(
        1,
        2,
        uid="u",
        dryRun=True,
        userInfo={"username": "alice", "groups": ["a", "b"], "extra": {"x": ["y"]}, "uid": "7"},
        options={"kind": "PatchOptions", "fieldManager": "kubectl", "force": True},
    )
    assert decode(body).request == Request(
        Resource("example.test", "v1", "widgets", "status"),
        operation="UPDATE",
        kind="Widget",
        namespace="default",
        name="w",
        username="alice",
        groups=("a", "b"),
        field_manager="kubectl",
        dry_run=True,
        uid="u",
    )


def test_everything_but_the_uid_may_be_left_out_or_null() -> None:
    bare = decode(b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u"}}').request
    nulls = dict.fromkeys(
        ["kind", "resource", "subResource", "name", "namespace", "operation", "userInfo", "dryRun", "options", "object"]
    )
    assert (
        bare == decode(review(1, 2, uid="u", **nulls)).request == Request(Resource("", "", ""), operation="", uid="u")
    )
    empty = decode(review(1, 2, uid="u", userInfo={"username": None, "groups": None}, options={"fieldManager": None}))
    assert (empty.request.username, empty.request.groups, empty.request.field_manager) == ("", (), "")


def test_only_the_roots_that_are_read_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    class Spy:
        def __init__(self, decoder: msgspec.json.Decoder[Any]) -> None:
            self.decoder = decoder

        def decode(self, raw: Any) -> Any:
            decoded.append(bytes(raw))
            return self.decoder.decode(raw)

    monkeypatch.setattr(reviews, "_value_decoder", Spy(reviews._value_decoder))
    write = decode(GOOD).write()
    assert decoded == []
    assert write.new["status"] == {"observedGeneration": 2}
    assert write.new["status"] == {"observedGeneration": 2}
    assert write.new["gone"] is None
    assert decoded == [b'{"observedGeneration": 2}']
    assert write.old["status"] == {"observedGeneration": 1}
    assert len(decoded) == 2


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"3", 3),
        (b"3.0", Decimal("3.0")),
        (b"0.1", Decimal("0.1")),
        (b"-0.0", Decimal("-0.0")),
        (b"1e2", Decimal("1e2")),
        (b"1e400", Decimal("1e400")),
        (b"1e999999999", Decimal("1e999999999")),
        (b"9" * 400, int("9" * 400)),
        (b"9007199254740993", 9007199254740993),
        (rb'"\ud83d\ude00\u202e"', "😀\u202e"),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b"null", None),
    ],
)
def test_values_are_exact(written: bytes, expected: Any) -> None:
    found = decode(GOOD.replace(b'{"observedGeneration": 2}', written)).write().new["status"]
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(b"9" * 5000, id="5,000 digits"),
        pytest.param(b"1e99999999999999999999", id="an exponent that nobody can hold"),
        pytest.param(b'"\xff"', id="not UTF-8"),
        pytest.param(b'{"\xff":1}', id="a key that is not UTF-8"),
    ],
)
def test_what_cannot_be_decoded_is_said_where_it_is_read(written: bytes) -> None:
    write = decode(GOOD.replace(b'{"observedGeneration": 2}', written)).write()
    assert write.new["kind"] == "Widget"
    with pytest.raises(UndecodableError, match=r"^object\.status cannot be decoded: "):
        write.new["status"]
    assert write.old["status"] == {"observedGeneration": 1}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "the request has no object"),
        ([], "object is no object"),
        ("x", "object is no object"),
        (3, "object is no object"),
    ],
)
def test_an_object_that_is_none_is_said_where_it_is_read(value: Any, message: str) -> None:
    write = decode(review(1, 2, object=value)).write()
    with pytest.raises(UndecodableError, match=f"^{message}$"):
        write.new["status"]
    assert write.old["status"] == {"observedGeneration": 1}


def test_a_write_that_creates_has_no_object_before() -> None:
    write = decode(review(1, 2, operation="CREATE")).write()
    assert write.creates
    assert write.old["status"] is None


def why_not(body: bytes) -> NotAReviewError | UndecodableError | None:
    """Return what keeps a body, or a root of the objects in it, from being read."""
    try:
        write = decode(body).write()
        for side in (write.old, write.new):
            side["metadata"], side["status"]
    except (NotAReviewError, UndecodableError) as error:
        return error
    return None


@pytest.mark.parametrize("depth", [10, 100, 500, 900, 1_000, 100_000])
def test_what_is_nested_too_deeply_is_said(depth: int) -> None:
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    error = why_not(GOOD.replace(b'{"observedGeneration": 2}', deep))
    # How deep the decoder goes depends on the Python version, and on how deep its stack is just now.
    if depth == 100_000 or error is not None:
        assert "nested too deeply" in str(error)


@given(st.binary() | st.integers(0, len(GOOD)).map(lambda end: GOOD[:end]))
def test_any_bytes_are_a_review_or_one_line(body: bytes) -> None:
    error = why_not(body)
    if body == GOOD:
        assert error is None
    else:
        assert isinstance(error, NotAReviewError)
        assert error.reason in {"empty", "not_json", "not_a_review"}
        assert len(str(error).splitlines()) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
MEMBERS = [
    *("uid", "kind", "resource", "subResource", "name", "namespace", "operation", "userInfo", "dryRun", "options"),
    *("object", "oldObject"),
]


@given(st.dictionaries(st.sampled_from(MEMBERS), JSON, max_size=4))
def test_any_members_are_a_review_or_one_line(members: dict[str, Any]) -> None:
    error = why_not(review(1, 2, **members))
    assert error is None or len(str(error).splitlines()) == 1


@given(JSON)
def test_any_value_reads_as_it_was_written(value: Any) -> None:
    written = json.dumps(value)
    found = decode(GOOD.replace(b'{"observedGeneration": 2}', written.encode())).write().new["status"]
    assert equal(found, json.loads(written, parse_float=Decimal))
