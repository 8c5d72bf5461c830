"""The paths that a rule reads, as a tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from tests.oracle.paths import EveryItem, EveryValue, Keyed, Name, Select, Step, parse

from .values import Values

Reads: TypeAlias = Iterable[tuple[str, Values]]
"""Paths, and what values the fields have."""


@dataclass
class Node:
    """What the paths say of one place: which values it has where paths end, and the steps that lead on."""

    values: list[Values] = field(default_factory=list)
    below: dict[Step, Node] = field(default_factory=dict)

    def add(self, written: str, values: Values) -> None:
        node = self
        for step in parse(written):
            node = node.below.setdefault(step, Node())
        node.values.append(values)

    def at(self, key: str) -> Node:
        """What the paths say of one member of an object."""
        steps = (Name(key), EveryValue())
        return merged(self.below[step] for step in steps if step in self.below)

    @property
    def names(self) -> list[str]:
        return [step.key for step in self.below if isinstance(step, Name)]

    @property
    def items(self) -> list[Step]:
        return [step for step in self.below if isinstance(step, Select | Keyed | EveryItem)]


def tree(reads: Reads) -> Node:
    root = Node()
    for written, values in reads:
        root.add(written, values)
    return root


def merged(nodes: Iterable[Node]) -> Node:
    whole = Node()
    for node in nodes:
        whole.values += node.values
        for step, below in node.below.items():
            whole.below[step] = merged([whole.below[step], below]) if step in whole.below else below
    return whole
