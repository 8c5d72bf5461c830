"""Finding and reading the files that a person names on the command line."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from rules.documents import MAX_BYTES, Document, parse
from webhook.errors import InputError

SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files named, and those in the folders named, each folder sorted; names that begin with a dot are passed over.

    Raises InputError for a path that is not there.
    """
    for path in paths:
        if path.is_dir():
            yield from _in_folder(path)
        elif path.exists():
            yield path
        else:
            raise InputError(f"{path}: no such file or folder")


def _in_folder(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from None
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            # A link to a folder above would be searched for ever.
            if not entry.is_symlink():
                yield from _in_folder(entry)
        elif entry.suffix.lower() in SUFFIXES:
            yield entry


def read_file(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Return a file's content. Raises InputError if it is no file, cannot be read, or is larger than `limit` bytes."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path}: not a file")
        if status.st_size > limit:
            raise InputError(f"{path}: larger than {limit // 1024**2} MiB")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def read_documents(path: Path) -> list[Document]:
    """Return the documents of a file. Raises InputError and DocumentError."""
    return parse(read_file(path), str(path))
