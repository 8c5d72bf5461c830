"""Which parts of the objects a CEL expression reads: only these are compared, decoded and converted.

The expression is read as tokens. `object.status.x` reads `status.x`; what follows a computed index or a method call is part
of what comes before it. So the answer may name more than is read, never less.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from rules.fieldpath import FieldPath, parse
from rules.path_syntax import NAME, FieldPathError

Parts: TypeAlias = tuple[str, ...]
"""The names that lead to a part of an object; empty for the whole of it."""

_TOKEN: Final = re.compile(
    r"""
    (?P<comment>//[^\n]*)
  | (?P<raw>(?:[rR][bB]?|[bB][rR])(?:"{3}.*?"{3}|'{3}.*?'{3}|"[^"]*"|'[^']*'))
  | (?P<text>[bB]?(?:"{3}(?:\\.|[^\\])*?"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<number>[0-9][0-9A-Za-z.]*)
  | (?P<space>\s+)
  | (?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_PLAIN_TEXT: Final = re.compile(r"""(["'])([^"'\\]*)\1""")


@dataclass(frozen=True, slots=True)
class Reads:
    """What an expression reads: parts of `object` and of `oldObject`, and which other variables."""

    new: tuple[Parts, ...]
    old: tuple[Parts, ...]
    variables: frozenset[str]

    @property
    def parts(self) -> tuple[Parts, ...]:
        """The parts that are read of either object, in the order in which they are written."""
        return tuple(dict.fromkeys((*self.new, *self.old)))


def reads_of(expression: str) -> Reads:
    """Return what an expression reads."""
    tokens = [
        (str(match.lastgroup), match.group())
        for match in _TOKEN.finditer(expression)
        if match.lastgroup not in {"comment", "space"}
    ]
    found: dict[str, list[Parts]] = {"object": [], "oldObject": []}
    variables: set[str] = set()
    for index, (kind, written) in enumerate(tokens):
        if kind != "name" or _is_member(tokens, index):
            continue
        variables.add(written)
        if written in found:
            found[written].append(_chain(tokens, index + 1))
    return Reads(_widest(found["object"]), _widest(found["oldObject"]), frozenset(variables))


def _is_member(tokens: list[tuple[str, str]], index: int) -> bool:
    """Whether a name follows a `.` or `.?`: then it is no variable."""
    before = [written for _, written in tokens[max(0, index - 2) : index]]
    return before[-1:] == ["."] or before == [".", "?"]


def _chain(tokens: list[tuple[str, str]], index: int) -> Parts:
    """Return the names that follow a variable, up to a call or an index that is no plain text."""
    names: list[str] = []
    words = [written for _, written in tokens]
    while index < len(words):
        if words[index] == ".":
            index += 2 if words[index + 1 : index + 2] == ["?"] else 1
            if index >= len(tokens) or tokens[index][0] != "name" or words[index + 1 : index + 2] == ["("]:
                break
            names.append(words[index])
            index += 1
        elif words[index] == "[":
            index += 2 if words[index + 1 : index + 2] == ["?"] else 1
            text = _PLAIN_TEXT.fullmatch(words[index]) if index < len(words) else None
            if text is None or words[index + 1 : index + 2] != ["]"]:
                break
            names.append(text.group(2))
            index += 2
        else:
            break
    return tuple(names)


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
