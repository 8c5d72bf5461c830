"""Which parts of its variables a CEL expression reads: only these are compared, decoded and converted.

`object.status.x` reads `status.x`, `object["status"].?x` too; what follows a computed index or a function is part of what comes
before it.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from rules.cel.tree import Call, Literal, Loop, Name, Node, Select, parts_of
from rules.fieldpath import FieldPath, parse
from rules.path_syntax import NAME, FieldPathError

Parts: TypeAlias = tuple[str, ...]
"""The names that lead to a part of a variable; empty for the whole of it."""

_MEMBER_OF: Final = frozenset({"_[_]", "_[?_]", "_?._"})
"""The functions that take a member of their first argument: `a[b]`, `a[?b]` and `a.?b`."""


@dataclass(frozen=True, slots=True)
class Reads:
    """What an expression reads: of each variable the parts, in the order in which they are written."""

    variables: Mapping[str, tuple[Parts, ...]]

    def of(self, variable: str) -> tuple[Parts, ...]:
        """Return the parts that are read of a variable."""
        return self.variables.get(variable, ())

    @property
    def parts(self) -> tuple[Parts, ...]:
        """The parts that are read of `object` or of `oldObject`."""
        return tuple(dict.fromkeys((*self.of("object"), *self.of("oldObject"))))


def reads_in(tree: Node) -> Reads:
    """Return what an expression reads."""
    found: dict[str, list[Parts]] = {}
    for variable, parts in _chains(tree, frozenset()):
        found.setdefault(variable, []).append(parts)
    return Reads({variable: _widest(chains) for variable, chains in found.items()})


def chain(node: Node, bound: Container[str]) -> tuple[str, Parts] | None:
    """Return the variable of the expression and the names after it, if the node is nothing else: `object.a["b"].?c`.

    `bound` are the variables of the macros around the node: they hide those of the expression.
    """
    names: list[str] = []
    while True:
        match node:
            case Name(name):
                return None if name in bound else (name.removeprefix("."), tuple(reversed(names)))
            case Select(operand, field):
                names.append(field)
                node = operand
            case Call(function, (operand, Literal(str(text)))) if function in _MEMBER_OF:
                names.append(text)
                node = operand
            case _:
                return None


def _chains(node: Node, bound: frozenset[str]) -> Iterator[tuple[str, Parts]]:
    found = chain(node, bound)
    if found is not None:
        yield found
    elif isinstance(node, Loop):
        accumulated = bound | {node.accumulator}
        within = accumulated | {node.variable}
        scopes = (bound, bound, within, within, accumulated)
        for part, scope in zip(parts_of(node), scopes, strict=True):
            yield from _chains(part, scope)
    else:
        for part in parts_of(node):
            yield from _chains(part, bound)


def _widest(chains: list[Parts]) -> tuple[Parts, ...]:
    """Leave out what is part of another: `status` covers `status.replicas`."""
    kept = [chain for chain in chains if not any(chain[: len(other)] == other != chain for other in chains)]
    return tuple(dict.fromkeys(kept))


def path_of(parts: Parts) -> str:
    """Return parts as a field path; the whole object is `object`."""
    written = "".join(
        f".{name}" if NAME.fullmatch(name) else f"[{json.dumps(name, ensure_ascii=False)}]" for name in parts
    )
    return written.removeprefix(".") or "object"


def field_paths(parts: Iterable[Parts]) -> list[FieldPath]:
    """Return the parts as parsed paths, without the whole object and what is no field path."""
    found: list[FieldPath] = []
    for part in filter(None, parts):
        try:
            found.append(parse(path_of(part)))
        except FieldPathError:
            continue  # a root that is no name
    return found
