"""Bytes of a YAML or JSON file -> documents that know where each of their values is.

What people write is read as they mean it, or refused with its place: see `rules.scalars` for numbers,
`rules.yaml_reader` and `rules.json_reader` for the rest of the syntax, `rules.document_tree` for the bounds.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from rules import block_scalars
from rules.document_tree import Node
from rules.json_reader import read_json
from rules.places import DocumentError, Place, SourceText
from rules.problem import Location
from rules.yaml_reader import read_yaml

__all__ = ["MAX_BYTES", "Document", "DocumentError", "Place", "parse"]

MAX_BYTES: Final = 4 * 1024 * 1024
"""The largest file that is read: four times what a ConfigMap can hold (1 MiB)."""

_PROPERTIES: Final = re.compile(r"\A(?:[&!]\S*\s+)*")
"""The anchor and the tag in front of a YAML value."""

_YAML_1_1_BOOLEANS: Final = frozenset(
    form for word in ("y", "n", "yes", "no", "on", "off") for form in (word, word.capitalize(), word.upper())
)
"""Words that are strings to us, as to YAML 1.2; https://yaml.org/type/bool.html."""

_CHARACTERS: Final = {
    "'": re.compile(r"''|."),
    '"': re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\x..|\\u....|\\U........|\\.|."),
}
"""How a character is written inside each of the quotes."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One document of a file.

    `data` holds dict (with string keys), list, str, int, Decimal, bool and None only. Aliased parts are the same object
    each time: who wants to change `data` copies it.
    """

    data: Any
    _text: SourceText = field(repr=False)
    _root: Node = field(repr=False)

    @property
    def source(self) -> str:
        """The file's name as it was given."""
        return self._text.source

    def place(self, location: Location, offset: int | None = None, *, of_key: bool = False) -> Place:
        """Return the place of the value at `location`, or of its closest ancestor that is there.

        `offset` counts characters from the start of the string at `location`; it is exact for a string written on one
        line or as a block (for others the string's start is returned). With `of_key`, the place is that of the key that
        `location` ends with. An aliased value's place is where it is written.
        """
        node = self._root
        for depth, step in enumerate(location, start=1):
            if of_key and depth == len(location) and step in node.keys:
                return self._text.place(node.keys[str(step)])
            if step not in node.parts:
                return self._text.place(node.start)
            node = node.parts[step]
        return self._text.place(node.start + (0 if offset is None else self._distance(node, offset)))

    def unquoted_booleans(self) -> Iterator[tuple[Location, str]]:
        """Yield the strings that YAML 1.1 takes for true or false, and so `kubectl` does, because they have no quotes."""
        pending: list[tuple[Location, Node]] = [((), self._root)]
        while pending:
            location, node = pending.pop()
            pending += [((*location, step), part) for step, part in node.parts.items()]
            written = self._text.text[node.start : node.end]
            if written in _YAML_1_1_BOOLEANS:
                yield location, written

    def _distance(self, node: Node, offset: int) -> int:
        """Return how far from its first character the text of a scalar has the character `offset` of its value."""
        written = self._text.text[node.start : node.end]
        value = _PROPERTIES.sub("", written)
        properties = len(written) - len(value)
        if value.startswith(("|", ">")):
            return properties + block_scalars.distance(value, offset)
        if len(value.splitlines()) != 1:
            return 0
        characters = _CHARACTERS.get(value[0])
        if characters is None:
            return properties + min(offset, len(value))
        inside = next(islice(characters.finditer(value, 1), offset, None), None)
        return properties + (len(value) if inside is None else inside.start())


def parse(text: bytes, source: str) -> list[Document]:
    """Return the documents of a file's content, empty ones left out.

    A `source` that ends in `.json` is read as JSON, any other as YAML. Raises DocumentError with the first place at
    which the text is not what this package reads.
    """
    if len(text) > MAX_BYTES:
        raise DocumentError(Place(source, 1, 1), f"larger than {MAX_BYTES // 1024**2} MiB")
    decoded = SourceText(source, _decode(text, source))
    read = read_json if source.lower().endswith(".json") else read_yaml
    return [Document(built.data, decoded, built.node) for built in read(decoded)]


def _decode(text: bytes, source: str) -> str:
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DocumentError(Place(source, 1, 1), "in UTF-16: save it as UTF-8")
    text = text.removeprefix(codecs.BOM_UTF8)
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        before = SourceText(source, text[: error.start].decode())
        raise before.error(error.start, "not in UTF-8") from None
