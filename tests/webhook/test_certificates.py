"""The self-signed certificate and the TLS settings."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st

from webhook.certificates import CertificateError, KeyPair, SelfSigned, self_signed, server_context
from webhook.errors import CannotRunError


def leaf(certificate: SelfSigned) -> x509.Certificate:
    return x509.load_pem_x509_certificate(certificate.pair.certificate)


def handshake(certificate: SelfSigned, name: str, **versions: ssl.TLSVersion) -> ssl.SSLObject:
    """Shake hands in memory with the strictest client that the standard library has, and return its end."""
    context = ssl.create_default_context(cadata=certificate.authority.decode())
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    for field, version in versions.items():
        setattr(context, field, version)
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(to_client, to_server, server_hostname=name)
    server = certificate.context.wrap_bio(to_server, to_client, server_side=True)
    for end in (client, server) * 3:
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return client


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "::1", "statusguard.system.svc", "10.1.2.3"])
def test_clients_accept_it_for_all_its_names(name: str) -> None:
    certificate = self_signed(["statusguard.system.svc", "10.1.2.3", "localhost"])
    assert handshake(certificate, name).version() == "TLSv1.3"


def test_clients_refuse_it_for_other_names(certificate: SelfSigned) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match=r"not valid for 'example\.com'"):
        handshake(certificate, "example.com")


def test_tls_1_2_is_the_oldest_version(certificate: SelfSigned) -> None:
    assert handshake(certificate, "localhost", maximum_version=ssl.TLSVersion.TLSv1_2).version() == "TLSv1.2"
    assert certificate.context.minimum_version == ssl.TLSVersion.TLSv1_2


def test_the_keys_are_on_p_256_and_the_leaf_is_no_authority(certificate: SelfSigned) -> None:
    key = leaf(certificate).public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert isinstance(key.curve, ec.SECP256R1)
    assert not leaf(certificate).extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_it_is_valid_for_as_long_as_it_was_asked_for() -> None:
    certificate = leaf(self_signed(lifetime=timedelta(hours=2)))
    now = datetime.now(UTC)
    assert certificate.not_valid_before_utc < now - timedelta(minutes=4)
    assert timedelta(minutes=119) < certificate.not_valid_after_utc - now <= timedelta(hours=2)


def test_two_certificates_share_nothing() -> None:
    one, other = self_signed(), self_signed()
    assert one.authority != other.authority
    assert leaf(one).serial_number != leaf(other).serial_number


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "a..b", "-", "bücher.example", "a/b", "1.2.3.4.5 ", "a\n\x1b[31m", "x" * 254]
)
def test_a_name_that_no_certificate_can_carry_is_refused(name: str) -> None:
    with pytest.raises(CannotRunError, match="neither a DNS name nor an IP address") as caught:
        self_signed([name])
    assert str(caught.value).isprintable()


@given(st.text(max_size=30))
def test_any_name_is_taken_as_it_is_or_refused(name: str) -> None:
    try:
        certificate = leaf(self_signed([name]))
    except CannotRunError:
        return
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert x509.DNSName(name) in names or x509.IPAddress(ip_address(name)) in names


def test_what_is_printed_does_not_hold_the_key(certificate: SelfSigned) -> None:
    assert "PRIVATE" not in repr(certificate)


def test_what_openssl_refuses_is_one_line(certificate: SelfSigned) -> None:
    with pytest.raises(CertificateError, match=r"^OpenSSL refuses the certificate or the key: KEY_VALUES_MISMATCH$"):
        server_context(KeyPair(certificate.pair.certificate, self_signed().pair.key))


async def test_a_certificate_in_memory_needs_no_following(certificate: SelfSigned) -> None:
    await certificate.follow()
