"""What the API server does with a CRD's transition rules: of which nodes they are asked, and what they see there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from rules.native.crd_field import escape
from rules.native.crd_validations import CrdValidations, Validation
from rules.path_syntax import Keyed, MapValues, Name, Segment, Select
from tests.rules.strategies.invariants import Json

from .engine import evaluate

_ABSENT: Final = object()
_FRACTION: Final = re.compile(r"\.(\d+)")


def broken(found: CrdValidations, schema: Json, old: Any, new: Any) -> set[str]:
    """Return the invariants that an update breaks; raises NativeError."""
    before, after = _typed(old, schema), _typed(new, schema)
    return {
        validation.invariant
        for validation in found.validations
        for was, is_ in _nodes(before, after, validation.place.segments)
        if not _is_fine(validation, was, is_)
    }


def _is_fine(validation: Validation, old: Any, new: Any) -> bool:
    if new is _ABSENT or (old is _ABSENT and not validation.optional):
        return True
    rule = validation.holds.text
    if validation.optional:
        rule = rule.replace("oldSelf.hasValue()", "false" if old is _ABSENT else "true")
        rule = rule.replace("oldSelf.value()", "oldSelf")
    known = {"self": new} | ({} if old is _ABSENT else {"oldSelf": old})
    fine = evaluate(rule if old is not _ABSENT else rule.replace("oldSelf", "self"), known)
    assert isinstance(fine, bool)
    return fine


def _nodes(old: Any, new: Any, segments: tuple[Segment, ...]) -> Iterator[tuple[Any, Any]]:
    if not segments or new is _ABSENT:
        yield old, new
        return
    segment, *below = segments
    match segment:
        case Name(name):
            yield from _nodes(_member(old, escape(name)), _member(new, escape(name)), tuple(below))
        case MapValues():
            for key in new:
                yield from _nodes(_member(old, key), new[key], tuple(below))
        case Keyed() | Select():
            keys = segment.keys if isinstance(segment, Keyed) else [key for key, _ in segment.keys]
            for item in new:
                twins = [] if old is _ABSENT else [each for each in old if all(each[key] == item[key] for key in keys)]
                yield from _nodes(twins[0] if twins else _ABSENT, item, tuple(below))


def _member(value: Any, name: str) -> Any:
    return value.get(name, _ABSENT) if isinstance(value, dict) else _ABSENT


def _nanoseconds(time: str) -> int:
    """Return what a time is compared by: the engine takes no times in lists and maps."""
    match = _FRACTION.search(time)
    fraction = match.group(1) if match else ""
    whole = datetime.fromisoformat(_FRACTION.sub("", time))
    return int(whole.timestamp()) * 10**9 + int(fraction.ljust(9, "0"))


def _typed(value: Any, schema: Json) -> Any:
    """Return a value as rules see it: times, doubles, and escaped names."""
    if value is None or schema.get("x-kubernetes-int-or-string"):
        return value
    match schema["type"]:
        case "object":
            others = schema.get("additionalProperties")
            if others:
                return {key: _typed(member, others) for key, member in value.items()}
            return {escape(key): _typed(member, schema["properties"][key]) for key, member in value.items()}
        case "array":
            return [_typed(item, schema["items"]) for item in value]
        case "number":
            return float(value)
    if schema.get("format") == "date-time":
        return _nanoseconds(value)
    return float(value) if isinstance(value, Decimal) else value
