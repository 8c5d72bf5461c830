"""A document's data and where each part of it is, built step by step from what a reader of YAML or JSON sees.

The builder holds its own stack, so that no text can overflow Python's, and it bounds what a text can make of itself:
its depth, and its size with every alias written out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from rules.places import SourceText, quoted

MAX_DEPTH: Final = 200
"""The most levels of nesting: what walks a document may take a few Python frames a level and stays below Python's
recursion limit of 1,000."""

MAX_NODES: Final = 300_000
"""The most values in a file, each alias counted as all that it stands for. 1,000 usual rules have 50,000; this many are
read in two seconds."""

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Node:
    """Where a value is in the text.

    `start` is the index of its first character, `end` that after its last (of a mapping or list: `start`). `parts` are the
    nodes in a mapping or list by key or index, `keys` the index of the first character of each key of a mapping.
    """

    start: int
    end: int
    parts: dict[str | int, Node] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Built:
    """A value and where it is; `size` counts the values in it and itself, `height` its levels of mappings and lists."""

    data: Any
    node: Node
    size: int
    height: int


@dataclass(slots=True)
class _Open:
    """A mapping or list that is not closed yet."""

    data: dict[str, Any] | list[Any]
    node: Node
    anchor: str | None
    expects_key: bool
    key: str | None = ""
    size: int = 1
    height: int = 1
    merged: list[tuple[dict[str, Any], Node]] = field(default_factory=list)

    def attach(self, built: Built) -> None:
        if isinstance(self.data, list):
            self.node.parts[len(self.data)] = built.node
            self.data.append(built.data)
        elif self.key is None:
            self.merged += _mappings(built)
            self.expects_key = True
        else:
            self.node.parts[self.key] = built.node
            self.data[self.key] = built.data
            self.expects_key = True
        self.size += built.size
        self.height = max(self.height, built.height + 1)

    def merge(self) -> None:
        """Take over what the merge keys name: an entry that is written here wins, then one of an earlier mapping."""
        assert isinstance(self.data, dict)  # noqa: S101  a list has no keys
        for data, node in self.merged:
            for key, value in data.items():
                if key not in self.data:
                    self.data[key] = value
                    self.node.parts[key] = node.parts[key]
                    self.node.keys[key] = node.keys[key]


def _is_mergeable(data: Any) -> bool:
    return isinstance(data, dict) or (isinstance(data, list) and all(isinstance(each, dict) for each in data))


def _mappings(built: Built) -> list[tuple[dict[str, Any], Node]]:
    """Return the mappings that the value of a merge key stands for."""
    if isinstance(built.data, dict):
        return [(built.data, built.node)]
    return [(each, built.node.parts[index]) for index, each in enumerate(built.data)]


class TreeBuilder:
    """Builds the documents of one file. Every method raises DocumentError for what a document may not hold."""

    __slots__ = ("_anchors", "_root", "_size", "_stack", "_text")

    def __init__(self, text: SourceText) -> None:
        self._text = text
        self._size = 0
        self._stack: list[_Open] = []
        self._anchors: dict[str, Built | None] = {}
        self._root: Built | None = None

    @property
    def expects_key(self) -> bool:
        """Whether a mapping's key comes next."""
        return bool(self._stack) and self._stack[-1].expects_key

    def finish(self) -> Built | None:
        """Return the document built since the last call (None if there was none) and begin the next."""
        built, self._root = self._root, None
        self._anchors.clear()
        return built

    def open_mapping(self, start: int, anchor: str | None = None) -> None:
        """Begin a mapping: its keys and values follow by turns."""
        self._open(_Open({}, Node(start, start), anchor, expects_key=True))

    def open_list(self, start: int, anchor: str | None = None) -> None:
        """Begin a list."""
        self._open(_Open([], Node(start, start), anchor, expects_key=False))

    def close(self) -> None:
        """End the innermost mapping or list."""
        done = self._stack.pop()
        if done.merged:
            done.merge()
        built = Built(done.data, done.node, done.size, done.height)
        if done.anchor is not None:
            self._anchors[done.anchor] = built
        self._attach(built)

    def merge_key(self, start: int) -> None:
        """Add the key `<<`: the entries of the mapping that follows, or of each in a list, are taken over."""
        self._count(1, start)
        mapping = self._stack[-1]
        if mapping.merged:
            raise self._text.error(start, "key '<<' is there twice in one mapping: give it a list")
        mapping.key, mapping.expects_key = None, False

    def scalar(self, value: Any, start: int, end: int, anchor: str | None = None) -> None:
        """Add a scalar: the key where one comes next, else a value."""
        if isinstance(value, str) and not value.isascii() and _SURROGATE.search(value):
            raise self._text.error(start, "a string with half of a surrogate pair, which is no character")
        built = Built(value, Node(start, end), size=1, height=0)
        if anchor is not None:
            self._declare(anchor, start)
            self._anchors[anchor] = built
        self._add(built, start)

    def alias(self, anchor: str, start: int) -> None:
        """Add what `anchor` names once more."""
        if anchor not in self._anchors:
            raise self._text.error(start, f"alias {quoted(anchor)} has no anchor before it")
        built = self._anchors[anchor]
        if built is None:
            raise self._text.error(start, f"alias {quoted(anchor)} is inside the value that it stands for")
        self._check_depth(built.height, start)
        self._add(built, start)

    def _open(self, opened: _Open) -> None:
        start = opened.node.start
        self._count(1, start)
        if self.expects_key:
            raise self._text.error(start, "a key must be a string, not a mapping or list")
        self._check_depth(1, start)
        if opened.anchor is not None:
            self._declare(opened.anchor, start)
        self._stack.append(opened)

    def _add(self, built: Built, start: int) -> None:
        self._count(built.size, start)
        if self.expects_key:
            self._set_key(built.data, start)
        else:
            self._attach(built)

    def _set_key(self, key: Any, start: int) -> None:
        mapping = self._stack[-1]
        if not isinstance(key, str):
            raise self._text.error(start, "a key must be a string: put it in quotes")
        if key in mapping.node.keys:
            raise self._text.error(start, f"key {quoted(key)} is there twice in one mapping")
        mapping.node.keys[key] = start
        mapping.key = key
        mapping.expects_key = False

    def _attach(self, built: Built) -> None:
        if self._stack:
            if self._stack[-1].key is None and not _is_mergeable(built.data):
                raise self._text.error(built.node.start, "a merge key (<<) takes a mapping, or a list of mappings")
            self._stack[-1].attach(built)
        else:
            self._root = built

    def _declare(self, anchor: str, start: int) -> None:
        if anchor in self._anchors:
            raise self._text.error(start, f"anchor {quoted(anchor)} is there twice")
        self._anchors[anchor] = None

    def _check_depth(self, levels: int, start: int) -> None:
        if len(self._stack) + levels > MAX_DEPTH:
            raise self._text.error(start, f"nested deeper than {MAX_DEPTH} levels")

    def _count(self, size: int, start: int) -> None:
        self._size += size
        if self._size > MAX_NODES:
            raise self._text.error(start, f"more than {MAX_NODES:,} values in one file (aliases count in full)")
