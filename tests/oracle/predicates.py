"""Section 2, 'Predicates': {field, operator, values, of}."""

from __future__ import annotations

import re
from typing import Any

from .paths import parse, read, show_path
from .values import equal, text
from .write import Write


def holds(predicate: dict[str, Any], write: Write) -> bool:
    """'`of` is `new` (default) or `old`'; 'Absent: In is false unless "" is listed, NotIn true,
    Matches false'; 'objects and lists never match'."""
    root = write.before if predicate.get("of") == "old" else write.new
    value = read(parse(predicate["field"]), root)
    values: list[str] = predicate.get("values") or []
    operator = predicate["operator"]
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if operator == "In":
        return ("" if value is None else text(value)) in values
    if operator == "NotIn":
        return value is None or text(value) not in values
    if operator == "Matches":
        as_text = text(value)
        return as_text is not None and any(re.fullmatch(each, as_text, re.ASCII) for each in values)
    raise ValueError(f"unknown operator {operator}")


def reads_change(predicate: dict[str, Any], write: Write) -> bool:
    """'something that [it] reads differs between old and new (`of` does not matter for that)'."""
    path = parse(predicate["field"])
    return not equal(read(path, write.before), read(path, write.new))


def require(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """'must hold in the new object'; the checks are 'one predicate of require.all' and 'the whole of
    require.any'; 'for require the predicate's field'."""
    broken = []
    for predicate in spec.get("all") or []:
        made = when_changed or reads_change(predicate, write)
        if made and not holds(predicate, write):
            broken.append(concrete(predicate))
    alternatives: list[dict[str, Any]] = spec.get("any") or []
    changed = [predicate for predicate in alternatives if reads_change(predicate, write)]
    made = when_changed or bool(changed)
    if alternatives and made and not any(holds(predicate, write) for predicate in alternatives):
        broken.append(concrete((changed or alternatives)[0]))
    return broken


def concrete(predicate: dict[str, Any]) -> str:
    return show_path(parse(predicate["field"]))
