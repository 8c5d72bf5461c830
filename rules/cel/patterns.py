"""The patterns of `matches`: how large they are, for the engine compiles them at each call."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rules.pattern_syntax import Translator

_UNICODE_CLASS: Final = re.compile(r"\\[pP]")


@lru_cache(maxsize=1_024)
def pattern_parts(pattern: str) -> tuple[int, bool]:
    """Return how many parts a pattern has, repetitions written out, and whether any may be a class of Unicode.

    Raises PatternError for what is not in the syntax of the operator `Matches`.
    """
    translator = Translator(pattern)
    translator.translate()
    return translator.size, _UNICODE_CLASS.search(pattern) is not None
