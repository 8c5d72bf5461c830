"""The digest of a co-updated group: what a controller writes beside the members, so that a torn write can be told."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from rules.check import present
from rules.values import canonical


def digest_of(members: Sequence[Any]) -> str:
    """Return the SHA-256, in lower-case hex, of the canonical JSON array of the members' values, null where absent."""
    whole = canonical([present(value) for value in members])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
