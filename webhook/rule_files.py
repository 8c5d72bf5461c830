"""The documents of rule files and folders, looked at again and again.

It knows nothing of rules: a file has documents, or an error and the documents that it had when it was last good.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from rules.documents import MAX_BYTES, Document, DocumentError, parse
from webhook.display import escape
from webhook.rule_folders import Signature, file_error, find, reason

_SETTLED_NS: Final = 2_000_000_000
"""How long after a change another can leave a file's times as they are: the coarsest clock of a file system in use (2 s)."""


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A file and its documents: those of its last good content where `error` says what is wrong with the present one."""

    path: Path
    documents: tuple[Document, ...]
    error: DocumentError | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Scan:
    """What rule files hold now, in the order of their paths. `errors` has those of `files`, and those of paths and folders.

    `changed` tells whether anything differs from the scan before; an unchanged file's documents are the same objects.
    """

    changed: bool
    files: tuple[RuleFile, ...]
    errors: tuple[DocumentError, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a file; without a `signature` its content is looked at again."""

    file: RuleFile
    content: bytes | None
    signature: Signature | None


class RuleFiles:
    """Watches files and folders by looking; see `webhook.rule_folders.find` for what is found where.

    A file that cannot be read or parsed keeps its last good documents; one that is removed takes them along. A file is to be
    replaced whole, as `mv` and a mounted ConfigMap do: one that is still being written is read as far as it got, until the
    next scan. Not to be used by two threads at once.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        self._known: dict[Path, _Known] = {}
        self._last: tuple[tuple[RuleFile, ...], tuple[str, ...]] | None = None

    def scan(self) -> Scan:
        """Look at all files and read those that changed. Blocks; takes some 30 us for each file that did not change."""
        found = find(self._paths)
        known = {path: one for path, one in self._known.items() if any(map(path.is_relative_to, found.unknown))}
        for path, signature in found.files.items():
            one = self._look(path, signature)
            if one is not None:
                known[path] = one
        self._known = known
        files = tuple(known[path].file for path in sorted(known))
        errors = (*found.errors, *(file.error for file in files if file.error is not None))
        now = files, tuple(map(str, errors))
        changed, self._last = now != self._last, now
        return Scan(changed, files, errors)

    def _look(self, path: Path, signature: Signature) -> _Known | None:
        """Return what is known of a file now; None if it was removed since it was found."""
        known = self._known.get(path)
        if known is not None and known.signature == signature:
            return known
        # Times of a change just now may stay the same at the next: the file's content is compared until they cannot.
        settled = signature if time.time_ns() - signature.mtime_ns > _SETTLED_NS else None
        last_good = known.file.documents if known is not None else ()
        try:
            content = _read(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            return _Known(RuleFile(path, last_good, file_error(path, reason(error))), None, None)
        if known is not None and known.content == content:
            return replace(known, signature=settled)
        try:
            file = RuleFile(path, tuple(parse(content, escape(str(path)))))
        except DocumentError as error:
            file = RuleFile(path, last_good, error)
        return _Known(file, content, settled)


def _read(path: Path) -> bytes:
    """Return what is in a file, one byte more than is allowed at most. Raises OSError."""
    # It may have become a pipe since it was looked at: opening must not wait for a writer.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file or folder")
        return file.read(MAX_BYTES + 1)
