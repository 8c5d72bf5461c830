"""What the certificate Secret holds, and what it is read from."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from webhook.certificates import CertificateError, server_context
from webhook.cluster.certificate_material import Issued, Material, authorities_in, material_of, secret_data

from .pairs import accepts, new_pair

ONE, OTHER, THIRD = new_pair(), new_pair(), new_pair()


def written(material: Material) -> dict[str, Any]:
    return {"data": secret_data(material)}


def encoded(value: bytes) -> str:
    return base64.b64encode(value).decode()


@pytest.mark.parametrize(
    "material",
    [Material(ONE), Material(ONE, OTHER), Material(ONE, None, frozenset({OTHER.authority, THIRD.authority}))],
    ids=["first", "staged", "former"],
)
def test_a_secret_reads_as_it_was_written(material: Material) -> None:
    assert material_of(written(material)) == material


def test_the_bundle_is_the_same_before_and_after_the_turn() -> None:
    staged = Material(ONE, OTHER)
    promoted = staged.promoted(OTHER)
    assert promoted.serving is OTHER
    assert promoted.staged is None
    assert promoted.bundle == staged.bundle
    assert authorities_in(promoted.bundle) == {ONE.authority, OTHER.authority}


def test_a_client_that_trusts_the_bundle_accepts_the_old_and_the_new() -> None:
    bundle = Material(ONE, OTHER).bundle
    assert accepts(bundle, server_context(ONE.pair))
    assert accepts(bundle, server_context(OTHER.pair))
    assert not accepts(bundle, server_context(THIRD.pair))


def test_a_tls_secret_has_the_names_that_kubernetes_wants() -> None:
    assert secret_data(Material(ONE)).keys() == {"tls.crt", "tls.key", "ca.crt"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"tls.crt": None}, "tls.crt is missing"),
        ({"tls.key": 5}, "tls.key is missing"),
        ({"ca.crt": "%"}, "ca.crt is not Base64"),
        ({"ca.crt": "é"}, "ca.crt is not Base64"),
        ({"ca.crt": encoded(b"x")}, "no usable authority in PEM form"),
        ({"ca.crt": encoded(Material(OTHER).bundle)}, "tls.crt is signed by no authority in ca.crt"),
        ({"tls.crt": encoded(b"")}, "no usable certificate in PEM form"),
        ({"tls.key": encoded(OTHER.pair.key)}, "the key does not belong to the certificate"),
    ],
)
def test_a_secret_without_a_usable_serving_pair_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(CertificateError, match=f"^{problem}$"):
        material_of({"data": secret_data(Material(ONE, OTHER)) | change})


@pytest.mark.parametrize("data", [{}, {"data": None}, {"data": []}])
def test_a_secret_without_data_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(CertificateError, match="is missing"):
        material_of(data)


def test_a_staged_pair_that_is_unusable_is_left_out() -> None:
    secret = written(Material(ONE, OTHER))
    secret["data"]["next.key"] = encoded(ONE.pair.key)
    assert material_of(secret) == Material(ONE, None, frozenset({OTHER.authority}))


@given(st.dictionaries(st.sampled_from(["tls.crt", "tls.key", "ca.crt", "next.crt"]), st.text(max_size=20)))
def test_any_other_content_is_refused_in_one_line(data: dict[str, str]) -> None:
    with pytest.raises(CertificateError) as caught:
        material_of({"data": data})
    assert str(caught.value).isprintable()


def test_what_is_printed_does_not_hold_a_key() -> None:
    assert "PRIVATE" not in repr(Material(ONE, OTHER))


def test_a_pair_ends_with_the_first_of_leaf_and_authority() -> None:
    short_lived: x509.Certificate = new_pair(days=1).authority
    assert Issued(ONE.pair, ONE.leaf, short_lived).expires == short_lived.not_valid_after_utc
    assert ONE.expires == ONE.leaf.not_valid_after_utc
