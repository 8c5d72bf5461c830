"""What differs between two values as they are shown."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from webhook.sensitive import HIDDEN

UNSET: Final = "unset"
"""How an absent value is shown; the string of that name has quotes."""

_PART: Final = re.compile(r"\w+|\W", re.DOTALL)


class Marked(NamedTuple):
    """One value: what is before the difference, what differs, and what is behind it."""

    before: str
    differs: str
    behind: str


def is_word(shown: str) -> bool:
    """Tell whether what is shown stands for a value that is not."""
    return shown in {UNSET, HIDDEN}


def difference(old: str, new: str) -> tuple[Marked, Marked]:
    """Return both values with what differs, in whole words: of 12 and 13 both, not their last digit."""
    if is_word(old) or is_word(new):
        return Marked("", old, ""), Marked("", new, "")
    parts = _PART.findall(old), _PART.findall(new)
    shortest = min(map(len, parts))
    before = next((at for at in range(shortest) if parts[0][at] != parts[1][at]), shortest)
    room = shortest - before
    behind = next((at for at in range(room) if parts[0][-1 - at] != parts[1][-1 - at]), room)
    first, second = (
        Marked("".join(each[:before]), "".join(each[before : len(each) - behind]), "".join(each[len(each) - behind :]))
        for each in parts
    )
    return first, second
