"""Which rule files there are: the files named, and what is found in the folders named."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from rules.documents import DocumentError, Place
from webhook.display import escape
from webhook.files import SUFFIXES

MAX_ENTRIES: Final = 10_000
"""The most files and folders that are looked at, each second anew."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What differs once a file's content was changed or exchanged. `mtime_ns` is in nanoseconds since the epoch."""

    mtime_ns: int
    size: int
    inode: int
    real_path: str


@dataclass(frozen=True, slots=True)
class Found:
    """The rule files that are there, what is wrong, and the files and folders of which nothing can be said now."""

    files: dict[Path, Signature] = field(default_factory=dict)
    errors: list[DocumentError] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)


def find(paths: Sequence[Path]) -> Found:
    """Look at `paths` and, where one is a folder, for all files in and below it that end in .yaml, .yml or .json.

    In a folder, names that begin with "." are passed over: so a mounted ConfigMap's files are seen by their links only, not
    also where these lead. Every real file and folder is taken once, whatever leads to it. What is wrong with a path is an
    error in the result, never an exception.
    """
    search = _Search()
    for path in paths:
        search.look(path, is_named=True)
        search.look_into_folders()
    return search.found


def file_error(path: Path, message: str) -> DocumentError:
    """Return the error that `message` holds for the whole of a file or folder."""
    return DocumentError(Place(escape(str(path)), 1, 1), message)


def reason(error: OSError) -> str:
    """Return what the operating system says is wrong, without the path."""
    return error.strerror or "cannot be read"


class _Search:
    __slots__ = ("_entries", "_folders", "_seen", "found")

    def __init__(self) -> None:
        self.found = Found()
        self._entries = 0
        self._folders: list[Path] = []
        self._seen: set[str] = set()

    def look(self, path: Path, *, is_named: bool = False) -> None:
        """Take up a file or folder. One that a person named must be there, and a file may then end in anything."""
        is_wanted = is_named or path.suffix.lower() in SUFFIXES
        try:
            status = path.stat()
            if is_wanted or stat.S_ISDIR(status.st_mode):
                self._take(path, status, os.path.realpath(path, strict=True))
        except (FileNotFoundError, NotADirectoryError):
            if is_wanted and _is_link(path):
                self.found.errors.append(file_error(path, "a link that leads nowhere"))
            elif is_named:
                self.found.errors.append(file_error(path, "no such file or folder"))
        except OSError as error:
            self._fail(path, reason(error))

    def look_into_folders(self) -> None:
        """Take up what is in the folders taken up, and in those found there."""
        while self._folders:
            folder = self._folders.pop()
            try:
                entries = sorted(islice(folder.iterdir(), MAX_ENTRIES + 1))
            except FileNotFoundError:
                continue  # removed since it was looked at
            except OSError as error:
                self._fail(folder, reason(error))
                continue
            self._entries += len(entries)
            if self._entries > MAX_ENTRIES:
                self._fail(folder, f"more than {MAX_ENTRIES:,} files and folders in all: name a smaller folder")
                self.found.unknown.extend(self._folders)
                self._folders.clear()
                return
            for entry in entries:
                if not entry.name.startswith("."):
                    self.look(entry)

    def _take(self, path: Path, status: os.stat_result, real_path: str) -> None:
        if real_path in self._seen:
            return
        self._seen.add(real_path)
        if stat.S_ISDIR(status.st_mode):
            self._folders.append(path)
        elif stat.S_ISREG(status.st_mode):
            self.found.files[path] = Signature(status.st_mtime_ns, status.st_size, status.st_ino, real_path)
        else:
            self._fail(path, "not a regular file or folder")

    def _fail(self, path: Path, message: str) -> None:
        self.found.errors.append(file_error(path, message))
        self.found.unknown.append(path)


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except OSError:
        return False
