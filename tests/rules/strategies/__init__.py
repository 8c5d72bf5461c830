"""Rules and writes for hypothesis: small enough to collide, hostile enough to hurt."""

from __future__ import annotations

from .cases import Case, cases, reordered_cases

__all__ = ["Case", "cases", "reordered_cases"]
