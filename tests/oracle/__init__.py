"""A plain, slow interpreter of the Statusguard rule language, written from DESIGN.md alone.

It is the oracle that the tests compare the compiled rules with, so it shares no code with them:
it walks the raw dicts of the rule at every call, one function a kind. `cel` is not judged.
Equal inputs give equal lists; the order is that of the rule, then that of the items.
"""

from __future__ import annotations

from .judge import judge
from .write import NO_PATCH, Broken, Write

__all__ = ["NO_PATCH", "Broken", "Write", "judge"]
