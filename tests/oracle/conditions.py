"""Section 2, `conditions`: {path, lastTransitionTime, notBack, uniqueTypes}."""

from __future__ import annotations

from typing import Any

from .pairing import pairs
from .paths import parse, show
from .values import canonical, equal, instant
from .write import Write

Condition = dict[str, Any]


def conditions(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """The check is 'one condition (all items of one type together)'."""
    broken = []
    for pair in pairs(parse(spec.get("path") or "status.conditions"), write.before, write.new):
        before, after = by_type(pair.old), by_type(pair.new)
        for kind, now in after.items():  # a type that is gone takes its fields with it
            then = before.get(kind, [])
            field = f"{pair.field}[type={show(now[0]['type'])}]"
            if not (when_changed or not equal(then, now)):
                continue
            if spec.get("uniqueTypes") is not False and len(now) > 1:
                broken.append(field)  # 'for a duplicate type `status.conditions[type=X]`, one per type'
            elif then and time_is_wrong(spec, then[0], now[0]):
                broken.append(field + ".lastTransitionTime")
    return broken


def by_type(value: object) -> dict[str, list[Condition]]:
    """'Items that are no objects or lack a key are not there.'"""
    found: dict[str, list[Condition]] = {}
    for item in value if isinstance(value, list) else []:
        if isinstance(item, dict) and item.get("type") is not None:
            found.setdefault(canonical(item["type"]), []).append(item)
    return found


def time_is_wrong(spec: dict[str, Any], then: Condition, now: Condition) -> bool:
    mode = spec.get("lastTransitionTime") or "OnlyWithChange"
    moved = time_moved(then.get("lastTransitionTime"), now.get("lastTransitionTime"))
    status_moved = not equal(then.get("status"), now.get("status"))
    any_moved = any(not equal(then.get(name), now.get(name)) for name in ("status", "reason", "severity", "message"))
    if mode == "OnlyWithChange" and moved and not any_moved:
        return True  # 'the time moves only if status, reason, severity or message moved'
    if mode in ("OnlyWithStatus", "WithStatus") and moved and not status_moved:
        return True  # 'as the Kubernetes conventions say'
    if mode == "WithStatus" and status_moved and equal_times(then, now):
        return True  # 'also the converse'
    return bool(spec.get("notBack")) and not status_moved and is_earlier(then, now)


def time_moved(then: object, now: object) -> bool:
    """The same instant in another offset is no move, and neither is a first time; a time that
    disappears from an item that stays has moved."""
    return then is not None and not same_time(then, now)


def equal_times(then: Condition, now: Condition) -> bool:
    return same_time(then.get("lastTransitionTime"), now.get("lastTransitionTime"))


def same_time(then: object, now: object) -> bool:
    before, after = instant(then), instant(now)
    return equal(then, now) or (before is not None and before == after)


def is_earlier(then: Condition, now: Condition) -> bool:
    """'never earlier unless the status moved'."""
    before, after = instant(then.get("lastTransitionTime")), instant(now.get("lastTransitionTime"))
    return before is not None and after is not None and after < before
