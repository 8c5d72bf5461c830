"""A serving certificate in two files, followed when they change."""

from __future__ import annotations

import asyncio
import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from ssl import SSLContext

import structlog

from webhook.certificates import CertificateError, KeyPair, leaf_of, server_context
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
            self._context, self._expires = self._load()
        except CertificateError as error:
            raise CannotRunError(str(error)) from error

    @property
    def context(self) -> SSLContext:
        """The TLS settings for the next connection."""
        return self._context

    @property
    def expires(self) -> datetime:
        """When the certificate that is served ends."""
        return self._expires

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
            self._context, self._expires = self._load()
        except CertificateError as error:
            log.warning("certificate not taken up, the last good one is kept", problem=str(error))
        else:
            log.info("certificate taken up", file=str(self._certificate))

    def _state(self) -> tuple[object, ...]:
        return (_file_state(self._certificate), _file_state(self._key))

    def _load(self) -> tuple[SSLContext, datetime]:
        pair = KeyPair(_read(self._certificate), _read(self._key))
        try:
            # OpenSSL, which asks the terminal for a passphrase, gets only what was checked.
            expires = _end_of(pair)
            return server_context(pair), expires
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


def _end_of(pair: KeyPair) -> datetime:
    expires = leaf_of(pair).not_valid_after_utc
    if expires <= datetime.now(UTC):
        raise CertificateError(f"the certificate expired at {expires:%Y-%m-%d %H:%M} UTC")
    return expires
