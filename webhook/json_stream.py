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
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, cast

from webhook.errors import InputError

MAX_DOCUMENT: Final = 64 * 1024 * 1024
"""Bytes of one document: eight times the largest AdmissionReview that the server takes, for pretty-printed ones."""

_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""Brackets in strings do not count. A string without an end takes the rest of the line: to look for the end from each of its
quotes anew would take quadratic time."""

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


@dataclass(slots=True)
class _Document:
    """A document whose end has not come yet."""

    line: int
    text: bytearray = field(default_factory=bytearray)
    depth: int = 0
    interruptible: bool = False

    def add(self, text: bytes) -> None:
        """Take the next line."""
        self.interruptible = text[:1].isspace() if self.text else text.strip() != b"["
        self.text += text
        self.depth += _nesting(text)

    def ends_before(self, text: bytes) -> bool:
        """Whether a line starts another document though this one is not complete: a broken one among others.

        In a pretty-printed document that is indented no brace begins a line but the first, and in one that is not indented
        no line is; only a list may be opened by a line of its own that a brace follows.
        """
        return self.interruptible and text.startswith(b"{")


def _split(stream: BinaryIO, source: str) -> Iterator[Chunk]:
    document = _Document(line=1)
    number = 0
    while text := stream.readline(MAX_DOCUMENT + 1):
        number += 1
        if document.ends_before(text):
            yield Chunk(bytes(document.text), source, document.line)
            document = _Document(number)
        if not document.text:
            if not text.strip():
                continue
            document.line = number
        document.add(text)
        if len(document.text) > MAX_DOCUMENT:
            raise InputError(f"{source}:{document.line}: larger than {MAX_DOCUMENT // 1024**2} MiB")
        if document.depth <= 0:
            yield Chunk(bytes(document.text), source, document.line)
            document = _Document(number)
    if document.text:
        yield Chunk(bytes(document.text), source, document.line)


def _nesting(text: bytes) -> int:
    bare = _STRING.sub(b"", text)
    return bare.count(b"{") + bare.count(b"[") - bare.count(b"}") - bare.count(b"]")
