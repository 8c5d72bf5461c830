"""A serving certificate in two files, followed when they change."""

from __future__ import annotations

import asyncio
import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from ssl import SSLContext

import structlog
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes, PublicKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from webhook.certificates import CertificateError, KeyPair, server_context
from webhook.errors import CannotRunError

LARGEST_FILE = 1024 * 1024
"""Bytes; a chain of certificates is a few KiB."""

log = structlog.stdlib.get_logger(__name__)


class CertificateFiles:
    """A certificate with its chain, and its key, in two PEM files, as a mounted Secret has them."""

    def __init__(self, certificate: Path, key: Path, *, interval: float = 1.0) -> None:
        """Read the files; raise CannotRunError if they cannot serve. `interval`: seconds between two looks at them."""
        self._certificate = certificate
        self._key = key
        self._interval = interval
        self._seen = self._state()
        try:
            self._context = self._load()
        except CertificateError as error:
            raise CannotRunError(str(error)) from error

    @property
    def context(self) -> SSLContext:
        """The TLS settings for the next connection."""
        return self._context

    async def follow(self) -> None:
        """Look for changes until cancelled."""
        while True:
            await asyncio.sleep(self._interval)
            await asyncio.to_thread(self.refresh)

    def refresh(self) -> None:
        """Take the files up if they changed since the last look; keep the last good certificate if they are unusable."""
        state = self._state()
        if state == self._seen:
            return
        self._seen = state
        try:
            # A new context each time: one that is loaded anew would go on offering the old certificate beside a new
            # one if the two have keys of different kinds.
            self._context = self._load()
        except CertificateError as error:
            log.warning("certificate not taken up, the last good one is kept", problem=str(error))
        else:
            log.info("certificate taken up", file=str(self._certificate))

    def _state(self) -> tuple[object, ...]:
        return (_file_state(self._certificate), _file_state(self._key))

    def _load(self) -> SSLContext:
        pair = KeyPair(_read(self._certificate), _read(self._key))
        try:
            _check(pair)
            return server_context(pair)
        except CertificateError as error:
            raise CertificateError(f"{self._certificate}, {self._key}: {error}") from error


def _file_state(path: Path) -> object:
    """Return what differs whenever the file's content may: a mounted Secret changes by what its links lead to."""
    try:
        status = path.stat()
    except OSError as error:
        return error.errno
    return (status.st_mtime_ns, status.st_size, status.st_ino, os.path.realpath(path))


def _read(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise CertificateError(f"{path}: not a regular file")
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise CertificateError(f"{path}: {error.strerror}") from error
    if len(content) > LARGEST_FILE:
        raise CertificateError(f"{path}: larger than {LARGEST_FILE} bytes")
    return content


def _check(pair: KeyPair) -> None:
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
    end = leaf.not_valid_after_utc
    if end <= datetime.now(UTC):
        raise CertificateError(f"the certificate expired at {end:%Y-%m-%d %H:%M} UTC")


def _der(key: CertificatePublicKeyTypes | PublicKeyTypes) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
