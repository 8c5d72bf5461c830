"""Where a character of a value is written in a YAML block scalar (`|`, `>`): expressions are often written so."""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")
_HEADER: Final = re.compile(r"[|>][-+]?(?:\s+#.*)?\s*")


def distance(written: str, offset: int) -> int:
    """Return how far from its first character a block scalar has the character `offset` of its value.

    0 where that is hard to tell: an indentation that is given, and folded lines that are not one paragraph.
    """
    header, *lines = (match for match in _LINE.finditer(written) if match.group())
    shown = [match[1] for match in lines if match[1].strip()]
    if not shown or _HEADER.fullmatch(header[1]) is None:
        return 0
    indentation = len(shown[0]) - len(shown[0].lstrip(" "))
    is_one_paragraph = all(match[1][indentation : indentation + 1].strip() for match in lines)
    if written.startswith(">") and not is_one_paragraph:
        return 0
    for match in lines:
        length = len(match[1][indentation:])
        if offset <= length:
            return match.start() + min(indentation, len(match[1])) + offset
        offset -= length + 1  # a line break, or the space that it is folded to, is one character
    return len(written.rstrip())
