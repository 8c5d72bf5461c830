"""JSON documents from a stream: one a line or pretty-printed over many, plain or gzip, each with the line it starts on.

Read line by line, so that a log of any length takes the memory of its largest document. One broken document is one error;
the next is found again.
"""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, cast

from webhook.errors import InputError

MAX_DOCUMENT: Final = 64 * 1024 * 1024
"""Bytes of one document: eight times the largest AdmissionReview that the server takes, for pretty-printed ones."""

_STRUCTURE: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]')
_GZIP_MAGIC: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Chunk:
    """The text of one document, not yet decoded; `line` counts from 1."""

    text: bytes
    source: str
    line: int

    @property
    def place(self) -> str:
        """Where the document starts: `file:line`."""
        return f"{self.source}:{self.line}"


def chunks(name: str) -> Iterator[Chunk]:
    """Yield the documents of a file, or of standard input if it is called `-`. Raises InputError if it cannot be read."""
    source = "<stdin>" if name == "-" else name
    with _opened(name) as stream:
        try:
            yield from _split(stream, source)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{source}: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield _unpacked(sys.stdin.buffer)
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115  closed below; only opening it may fail as a missing file
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}") from None
    with stream:
        yield _unpacked(stream)


def _unpacked(stream: BinaryIO) -> BinaryIO:
    peek = getattr(stream, "peek", None)
    if peek is not None and peek(2)[:2] == _GZIP_MAGIC:
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    return stream


def _split(stream: BinaryIO, source: str) -> Iterator[Chunk]:
    lines: list[bytes] = []
    size = depth = first = 0
    number = 0
    while text := stream.readline(MAX_DOCUMENT + 1):
        number += 1
        if lines and _begins_anew(lines, text):
            yield Chunk(b"".join(lines), source, first)
            lines, size, depth = [], 0, 0
        if not lines:
            if not text.strip():
                continue
            first = number
        lines.append(text)
        size += len(text)
        if size > MAX_DOCUMENT:
            raise InputError(f"{source}:{first}: larger than {MAX_DOCUMENT // 1024**2} MiB")
        depth += _nesting(text)
        if depth <= 0:
            yield Chunk(b"".join(lines), source, first)
            lines, size, depth = [], 0, 0
    if lines:
        yield Chunk(b"".join(lines), source, first)


def _begins_anew(lines: list[bytes], text: bytes) -> bool:
    """Whether a line starts a document though the one before it is not complete: a broken one among JSON lines."""
    return len(lines) == 1 and len(lines[0].strip()) > 1 and text.startswith(b"{")


def _nesting(text: bytes) -> int:
    return sum((token in b"{[") - (token in b"}]") for token in _STRUCTURE.findall(text) if len(token) == 1)
