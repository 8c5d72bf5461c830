"""What the certificate Secret holds: the pair that is served, the pair that comes next, and whom clients shall trust.

An authority signs one certificate and its key is forgotten at once, so a pair and its authority come and go together.
`ca.crt` holds every authority that clients shall trust: that of the serving pair, of the staged one, and former ones.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from webhook.certificates import CertificateError, KeyPair, SelfSigned, leaf_of

SERVING = ("tls.crt", "tls.key")
STAGED = ("next.crt", "next.key")
AUTHORITIES = "ca.crt"


@dataclass(frozen=True, slots=True)
class Issued:
    """A key pair, its serving certificate, and the authority that signed it."""

    pair: KeyPair
    leaf: x509.Certificate
    authority: x509.Certificate

    @property
    def expires(self) -> datetime:
        """When clients stop to accept it."""
        return min(self.leaf.not_valid_after_utc, self.authority.not_valid_after_utc)


@dataclass(frozen=True, slots=True)
class Material:
    """`serving` is what replicas present; `staged` will be, once clients are known to trust it."""

    serving: Issued
    staged: Issued | None = None
    former: frozenset[x509.Certificate] = frozenset()

    @property
    def bundle(self) -> bytes:
        """All authorities to trust, PEM; in one order whatever they are there for."""
        trusted = {self.serving.authority, *self.former} | ({self.staged.authority} if self.staged else set())
        return bundle_of(trusted)

    def promoted(self, pair: Issued) -> Material:
        """Return the material once `pair` is served instead; what was served is trusted a little longer."""
        return Material(pair, None, self.former | {self.serving.authority})


def bundle_of(authorities: set[x509.Certificate] | frozenset[x509.Certificate]) -> bytes:
    """Return authorities as PEM, the oldest first."""
    in_order = sorted(authorities, key=lambda each: (each.not_valid_before_utc, each.fingerprint(SHA256())))
    return b"".join(each.public_bytes(Encoding.PEM) for each in in_order)


def issued(made: SelfSigned) -> Issued:
    """Return a self-signed pair together with its authority."""
    return Issued(made.pair, leaf_of(made.pair), x509.load_pem_x509_certificate(made.authority))


def authorities_in(bundle: bytes) -> frozenset[x509.Certificate]:
    """Return the certificates of a bundle. Raises CertificateError if it is none."""
    try:
        return frozenset(x509.load_pem_x509_certificates(bundle))
    except ValueError as error:
        raise CertificateError("no usable authority in PEM form") from error


def material_of(secret: Mapping[str, Any]) -> Material:
    """Return what a Secret holds. Expired certificates are taken as they are.

    Raises CertificateError if the serving pair is unusable, or if no authority in the Secret signed it. A staged pair that is
    unusable is left out: another one can be staged.
    """
    authorities = authorities_in(secret_value(secret, AUTHORITIES))
    serving = _issued(secret, SERVING, authorities)
    try:
        staged = _issued(secret, STAGED, authorities)
    except CertificateError:
        staged = None
    needed = {serving.authority} | ({staged.authority} if staged else set())
    return Material(serving, staged, authorities - needed)


def secret_data(material: Material) -> dict[str, str]:
    """Return the `data` of the Secret that holds the material."""
    values = {AUTHORITIES: material.bundle}
    for names, held in ((SERVING, material.serving), (STAGED, material.staged)):
        if held is not None:
            values |= zip(names, (held.pair.certificate, held.pair.key), strict=True)
    return {name: base64.b64encode(value).decode("ascii") for name, value in values.items()}


def secret_value(secret: Mapping[str, Any], name: str) -> bytes:
    """Return one value of a Secret. Raises CertificateError with its name if it is not there or not Base64."""
    data = secret.get("data")
    written = data.get(name) if isinstance(data, Mapping) else None
    if not isinstance(written, str):
        raise CertificateError(f"{name} is missing")
    try:
        return base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError) as error:
        raise CertificateError(f"{name} is not Base64") from error


def _issued(secret: Mapping[str, Any], names: tuple[str, str], authorities: frozenset[x509.Certificate]) -> Issued:
    pair = KeyPair(*(secret_value(secret, name) for name in names))
    leaf = leaf_of(pair)
    authority = next((each for each in authorities if _signed(leaf, each)), None)
    if authority is None:
        raise CertificateError(f"{names[0]} is signed by no authority in {AUTHORITIES}")
    return Issued(pair, leaf, authority)


def _signed(leaf: x509.Certificate, authority: x509.Certificate) -> bool:
    try:
        leaf.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True
