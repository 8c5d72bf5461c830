"""Writes as they come from an API server, and rules around an invariant."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from tests.oracle import Write
from tests.rules.strategies.invariants import Json

_LARGEST = 2**63
_DOUBLE = Decimal("1e308")


def document(rule: Json, *operations: str) -> Json:
    """Return the document of a rule with this spec."""
    match = {
        "apiGroups": ["g"],
        "apiVersions": ["v1"],
        "resources": ["things/status"],
        "operations": list(operations) or ["UPDATE"],
    }
    return {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "ClusterStatusRule",
        "metadata": {"name": "r"},
        "spec": {"matchConstraints": {"resourceRules": [match]}, **rule},
    }


def as_stored(write: Write) -> tuple[Any, Any]:
    """Return both objects as an API server holds them.

    Metadata is an object with an integer generation. Numbers are 64-bit integers or doubles, and an integral double of the old
    object, which was stored, has become an integer.
    """
    old, new = _numbers(write.old or {}, stored=True), _numbers(write.new, stored=False)
    return _with_metadata(old), _with_metadata(new)


def _with_metadata(value: Any) -> Any:
    metadata = value.get("metadata")
    metadata = dict(metadata) if isinstance(metadata, dict) else {}
    generation = metadata.get("generation")
    if type(generation) is not int or generation < 1:
        metadata.pop("generation", None)
    for name in ("labels", "annotations"):
        if not isinstance(metadata.get(name, {}), dict):
            del metadata[name]
    return {**value, "metadata": metadata}


def _numbers(value: Any, *, stored: bool) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(member, stored=stored) for key, member in value.items()}
    if isinstance(value, list):
        return [_numbers(item, stored=stored) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return value
    if isinstance(value, int) and -_LARGEST <= value < _LARGEST:
        return value
    double = float(max(min(Decimal(str(value)), _DOUBLE), -_DOUBLE))
    if stored and double.is_integer() and abs(double) < 1e21 and -_LARGEST <= int(double) < _LARGEST:
        return int(double)
    assert math.isfinite(double)
    return Decimal(repr(double))
