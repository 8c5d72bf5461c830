"""How much an expression may go through, so that what it costs is known before it is used."""

from __future__ import annotations

from typing import Final

from rules.fieldpath import FieldPath
from rules.path_syntax import Keyed, MapValues

MAX_TURNS: Final = 256
"""Items of a list (entries of a map) that are gone through at most; a write with a longer one is a suspect."""

MAX_NESTED_TURNS: Final = 24
"""The same for lists in lists, each: together some hundred turns."""

MAX_NAMES: Final = 16
"""Names in a row in a path: each is written as often as there are names after it."""

MAX_MEMBERS: Final = 16
"""Members of an object or a list that is compared as a whole, at each level."""

MAX_TWINS: Final = 24
"""Items of a list that are compared each with each."""

MAX_NESTED_TWINS: Final = 12
"""The same for lists in lists."""

MAX_KEYS: Final = MAX_TWINS * 64
"""Characters of all keys of a list of which no two may be alike: the API server charges for searching in them."""

MAX_TEXT: Final = 256
"""Characters of a text that a pattern is tried on."""

MAX_SUMMAND: Final = 2**53
"""The largest number that is added up: two hundred of them, more than a relation holds, stay far below the 64 bits of CEL."""

MAX_SUMMED: Final = MAX_SUMMAND // MAX_TURNS
"""The largest number in a sum over many: MAX_TURNS of them are at most MAX_SUMMAND."""


def turns_along(path: FieldPath) -> int:
    """Return how many items of each list a path leads through, so that all together stay bounded."""
    many = sum(isinstance(segment, Keyed | MapValues) for segment in path.segments)
    return MAX_TURNS if many < 2 else MAX_NESTED_TURNS if many == 2 else MAX_TWINS // 3
