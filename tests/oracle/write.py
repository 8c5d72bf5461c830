"""What goes in (a write) and what comes out (broken invariants)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


class _NoPatch:
    def __repr__(self) -> str:
        return "NO_PATCH"


NO_PATCH: Final[object] = _NoPatch()


@dataclass(frozen=True)
class Write:
    """One status write: the object before, the object after and, from the audit log, the body."""

    old: dict[str, Any] | None
    new: dict[str, Any]
    operation: str = "UPDATE"
    subresource: str = "status"
    patch: object = NO_PATCH

    @property
    def creates(self) -> bool:
        return self.operation == "CREATE" or self.old is None

    @property
    def before(self) -> dict[str, Any]:
        """'On CREATE everything present has changed': before it there was nothing."""
        return {} if self.creates or self.old is None else self.old


@dataclass(frozen=True)
class Broken:
    """'One per failed check, with field: the concrete path'."""

    invariant: str
    field: str
