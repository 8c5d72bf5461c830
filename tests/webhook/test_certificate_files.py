"""Certificates from files, and how they are exchanged."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from webhook.certificate_files import CertificateFiles
from webhook.certificates import SelfSigned, self_signed
from webhook.errors import CannotRunError

from .running import LogCapture, write_pair

Paths = tuple[Path, Path]


@pytest.fixture
def paths(tmp_path: Path, certificate: SelfSigned) -> Paths:
    return write_pair(tmp_path, certificate)


def encrypted(key: bytes) -> bytes:
    return load_pem_private_key(key, None).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
    )


def test_a_good_pair_is_served(paths: Paths) -> None:
    assert CertificateFiles(*paths).context.cert_store_stats()["x509"] == 0


def test_the_end_is_that_of_the_certificate_that_is_served(tmp_path: Path) -> None:
    files = CertificateFiles(*write_pair(tmp_path, self_signed(lifetime=timedelta(days=1))))
    first = files.expires
    write_pair(tmp_path, self_signed(lifetime=timedelta(days=3)))
    files.refresh()
    assert timedelta(days=1.9) < files.expires - first < timedelta(days=2.1)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_garbage_is_refused_with_the_files_name(paths: Paths, which: int, content: bytes) -> None:
    paths[which].write_bytes(content)
    kind = ("certificate", "private key")[which]
    with pytest.raises(CannotRunError, match=f"{paths[which].name}.*: no usable {kind} in PEM form$"):
        CertificateFiles(*paths)


def test_a_key_of_another_certificate_is_refused(paths: Paths) -> None:
    paths[1].write_bytes(self_signed().pair.key)
    with pytest.raises(CannotRunError, match=r"the key does not belong to the certificate$"):
        CertificateFiles(*paths)


def test_an_encrypted_key_is_refused_without_asking_for_its_passphrase(paths: Paths) -> None:
    paths[1].write_bytes(encrypted(paths[1].read_bytes()))
    with pytest.raises(CannotRunError, match=r"the key needs a passphrase; give one without$"):
        CertificateFiles(*paths)


def test_an_expired_certificate_is_refused(tmp_path: Path) -> None:
    paths = write_pair(tmp_path, self_signed(lifetime=timedelta(seconds=-1)))
    with pytest.raises(CannotRunError, match=r"the certificate expired at \d{4}-\d\d-\d\d \d\d:\d\d UTC$"):
        CertificateFiles(*paths)


def test_a_file_that_is_not_there_is_named(paths: Paths) -> None:
    paths[1].unlink()
    with pytest.raises(CannotRunError, match=f"^{paths[1]}: No such file or directory$"):
        CertificateFiles(*paths)


def test_a_pipe_is_refused_without_waiting_for_its_writer(paths: Paths) -> None:
    paths[1].unlink()
    os.mkfifo(paths[1])
    with pytest.raises(CannotRunError, match=f"^{paths[1]}: not a regular file$"):
        CertificateFiles(*paths)


def test_a_file_that_can_be_no_certificate_is_not_read_to_its_end(paths: Paths) -> None:
    with paths[0].open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(CannotRunError, match=r"larger than 1048576 bytes$"):
        CertificateFiles(*paths)


def test_nothing_is_loaded_anew_while_the_files_are_the_same(paths: Paths, log: LogCapture) -> None:
    files = CertificateFiles(*paths)
    context = files.context
    files.refresh()
    assert files.context is context
    assert log.events() == []


def test_a_new_pair_is_taken_up(paths: Paths, log: LogCapture) -> None:
    files = CertificateFiles(*paths)
    context = files.context
    write_pair(paths[0].parent, self_signed())
    files.refresh()
    assert files.context is not context
    assert [event["event"] for event in log.events()] == ["certificate taken up"]


def test_a_broken_pair_is_reported_once_and_the_last_good_one_kept(paths: Paths, log: LogCapture) -> None:
    files = CertificateFiles(*paths)
    context = files.context
    paths[0].write_bytes(self_signed().pair.certificate)
    for _ in range(3):
        files.refresh()
    assert files.context is context
    (event,) = log.events()
    assert event["problem"].endswith("the key does not belong to the certificate")
    paths[0].unlink()
    files.refresh()
    assert files.context is context
    write_pair(paths[0].parent, self_signed())
    files.refresh()
    assert files.context is not context


def test_the_swaps_of_a_mounted_secret_are_seen(tmp_path: Path) -> None:
    def swap(version: str) -> None:
        (tmp_path / version).mkdir()
        write_pair(tmp_path / version, self_signed())
        (tmp_path / "..new").symlink_to(version)
        (tmp_path / "..new").rename(tmp_path / "..data")

    swap("..1")
    for name in ("tls.crt", "tls.key"):
        (tmp_path / name).symlink_to(f"..data/{name}")
    files = CertificateFiles(tmp_path / "tls.crt", tmp_path / "tls.key")
    for version in ("..2", "..3"):
        context = files.context
        swap(version)
        files.refresh()
        assert files.context is not context


async def test_following_takes_changes_up_until_it_is_cancelled(paths: Paths) -> None:
    taken_up = asyncio.Event()

    class Watched(CertificateFiles):
        def refresh(self) -> None:
            before = self.context
            super().refresh()
            if self.context is not before:
                loop.call_soon_threadsafe(taken_up.set)

    loop = asyncio.get_running_loop()
    following = asyncio.create_task(Watched(*paths, interval=0.01).follow())
    write_pair(paths[0].parent, self_signed())
    async with asyncio.timeout(5):
        await taken_up.wait()
    following.cancel()
    await asyncio.wait([following])
    assert following.cancelled()
