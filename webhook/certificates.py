"""What a TLS listener presents to its peers, and the self-signed certificate for when nobody gives one."""

from __future__ import annotations

import os
import re
import ssl
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Protocol

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes, PublicKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from webhook.errors import CannotRunError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
ONE_YEAR = timedelta(days=365)
CLOCK_SKEW = timedelta(minutes=5)
"""A fresh certificate is valid since this long ago, for peers whose clock is behind."""
MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - only a private folder inside it is used
"""Where Linux keeps files in memory: a key there never reaches a disk, and it is writable in a container whose root
file system is not."""
DNS_NAME = re.compile(r"(?=.{1,253}\Z)(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_-]+)*")


class CertificateError(Exception):
    """A certificate and key that cannot serve; `str()` is one line."""


class Certificate(Protocol):
    """What a listener presents to its peers."""

    @property
    def context(self) -> ssl.SSLContext:
        """The TLS settings for the next connection. Connections that exist keep theirs."""

    async def follow(self) -> None:
        """Keep `context` current for as long as this is awaited; return if it never changes."""


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A certificate, with the chain that goes with it, and its private key; both PEM."""

    certificate: bytes
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SelfSigned:
    """A serving certificate that lives in memory, and the authority (PEM) by which clients trust it.

    The authority's own key is forgotten once it has signed.
    """

    authority: bytes
    pair: KeyPair
    context: ssl.SSLContext = field(repr=False)

    async def follow(self) -> None:
        """Return: it stays as it is until the process ends."""


def self_signed(names: Iterable[str] = (), *, lifetime: timedelta = ONE_YEAR) -> SelfSigned:
    """Make an ECDSA P-256 authority and a certificate for `names` (DNS names, IP addresses) and for loopback.

    Raises CannotRunError for a name that is neither.
    """
    now = datetime.now(UTC)
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority_name = _name("Statusguard self-signed authority")
    issued = (
        x509.CertificateBuilder()
        .issuer_name(authority_name)
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(now + lifetime)
        .add_extension(_authority_identifier(authority_key), critical=False)
    )
    authority = (
        issued.subject_name(authority_name)
        .serial_number(x509.random_serial_number())
        .public_key(authority_key.public_key())
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    key = ec.generate_private_key(ec.SECP256R1())
    alternatives = [_alternative_name(name) for name in dict.fromkeys((*LOOPBACK_NAMES, *names))]
    certificate = (
        issued.subject_name(_name("Statusguard"))
        .serial_number(x509.random_serial_number())
        .public_key(key.public_key())
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    pair = KeyPair(
        certificate.public_bytes(Encoding.PEM),
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    )
    return SelfSigned(authority.public_bytes(Encoding.PEM), pair, server_context(pair))


def leaf_of(pair: KeyPair) -> x509.Certificate:
    """Return the serving certificate of a pair, without its chain; it may have expired.

    Raises CertificateError if there is none, or if the key is not the certificate's own or needs a passphrase.
    """
    try:
        leaf = x509.load_pem_x509_certificates(pair.certificate)[0]
    except ValueError as error:
        raise CertificateError("no usable certificate in PEM form") from error
    try:
        key = load_pem_private_key(pair.key, password=None)
    except TypeError as error:
        raise CertificateError("the key needs a passphrase; give one without") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise CertificateError("no usable private key in PEM form") from error
    if _der(key.public_key()) != _der(leaf.public_key()):
        raise CertificateError("the key does not belong to the certificate")
    return leaf


def covers(leaf: x509.Certificate, names: Iterable[str]) -> bool:
    """Tell whether a certificate is for all `names`. Raises CannotRunError for a name that no certificate can carry."""
    try:
        carried = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return False
    return all(_alternative_name(name) in carried for name in names)


def server_context(pair: KeyPair) -> ssl.SSLContext:
    """Return the TLS settings for serving with `pair`: TLS 1.2 or newer, HTTP/1.1 only, session tickets as OpenSSL has them.

    Raises CertificateError if OpenSSL refuses the pair.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # A peer could otherwise ask for one expensive handshake after the other on a connection of TLS 1.2.
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    with _as_files(pair) as (certificate, key):
        try:
            context.load_cert_chain(certificate, key)
        except ssl.SSLError as error:
            raise CertificateError(f"OpenSSL refuses the certificate or the key: {error.reason}") from error
    return context


@contextmanager
def _as_files(pair: KeyPair) -> Iterator[tuple[Path, Path]]:
    """Lend the pair as files that only we can read: the standard library takes certificates in no other form."""
    parent = MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="statusguard-", dir=parent) as folder:
        certificate, key = Path(folder, "tls.crt"), Path(folder, "tls.key")
        certificate.write_bytes(pair.certificate)
        key.write_bytes(pair.key)
        yield certificate, key


def _der(key: CertificatePublicKeyTypes | PublicKeyTypes) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _authority_identifier(key: ec.EllipticCurvePrivateKey) -> x509.AuthorityKeyIdentifier:
    return x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key())


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        if DNS_NAME.fullmatch(name) is None:
            raise CannotRunError(
                f"no certificate can be made for {name!r}: neither a DNS name nor an IP address"
            ) from None
        return x509.DNSName(name)
