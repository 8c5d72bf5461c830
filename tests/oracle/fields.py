"""Section 2, the invariants whose check is 'one paired field': observedGeneration, monotonic,
writeOnce, preserved, transitions, frozen. Each returns the concrete fields that are broken."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from .pairing import Pair, pairs
from .paths import Keyed, Select, parse, read
from .values import Instant, equal, measure, number, text
from .write import Write

DEFAULT_GENERATIONS = ["status.observedGeneration", "status.conditions[type].observedGeneration"]
ZERO = Decimal(0)


def checked(fields: list[str], write: Write, *, always: bool) -> Iterator[Pair]:
    """'A check is made only if something that it reads, or that its invariant's `when` reads,
    differs between old and new'."""
    for field in fields:
        for pair in pairs(parse(field), write.before, write.new):
            if always or pair.differs:
                yield pair


def observed_generation(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """'Broken when a value goes back, disappears, or is ahead of metadata.generation'."""
    return [
        pair.field
        for field in spec.get("fields") or DEFAULT_GENERATIONS
        for pair in checked([field], write, always=when_changed or _generation_moved(spec, write))
        if not pair.gone and _generation_is_broken(field, pair, spec, write)
    ]


def _generation_moved(spec: dict[str, Any], write: Write) -> bool:
    """'`metadata.generation` is read by `notAhead` only.'"""
    path = parse("metadata.generation")
    return _asks_ahead(spec) and not equal(read(path, write.before), read(path, write.new))


def _asks_ahead(spec: dict[str, Any]) -> bool:
    return spec.get("notAhead") is not False


def _generation_is_broken(field: str, pair: Pair, spec: dict[str, Any], write: Write) -> bool:
    old, new = number(pair.old) or ZERO, number(pair.new) or ZERO  # '0 and absent are the same'
    old_generation, generation = (
        number(read(parse("metadata.generation"), side)) for side in (write.before, write.new)
    )
    generation = generation or ZERO
    asked = _asks_ahead(spec) and generation != 0  # 'not asked where that is absent or 0'
    ignored: list[object] = spec.get("ignoreValues") or []
    may_clear = spec.get("mayClear")
    if may_clear is None:  # 'A path through list items may clear by default (omitempty)'
        may_clear = any(isinstance(step, Select | Keyed) for step in parse(field))
    if _listed(new, ignored):  # 'Values in ignoreValues (Flux's -1) never compare'
        return False
    if asked and new > generation:
        return True
    if write.creates or _listed(old, ignored):
        return False
    if asked and old > (old_generation or generation):  # 'above the generation': its own, where that is known
        return False  # 'was impossible: any value up to the generation repairs it'
    if new == 0 and may_clear:
        return False
    return new < old


def monotonic(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """'`{fields, direction: NonDecreasing|NonIncreasing, mayClear: false, ignoreValues}`'."""
    return [
        pair.field
        for pair in checked(spec["fields"], write, always=when_changed)
        if not write.creates and not pair.gone and _goes_the_wrong_way(spec, pair)
    ]


def _goes_the_wrong_way(spec: dict[str, Any], pair: Pair) -> bool:
    ignored: list[object] = spec.get("ignoreValues") or []
    if _listed(pair.old, ignored) or _listed(pair.new, ignored):
        return False
    old, new = measure(pair.old), measure(pair.new)
    if old is None:
        return False
    order = compare(old, new)  # None: absent, for 'what cannot be compared is absent'
    if spec["direction"] == "NonIncreasing":  # 'absent is never broken'
        return order == 1
    if order is None:  # 'disappearing is going to zero'; 'a time that disappears is broken'
        return not spec.get("mayClear") and (isinstance(old, Instant) or old > 0)
    return order == -1


def compare(old: Decimal | Instant, new: Decimal | Instant | None) -> int | None:
    """1 if the new value is greater, -1 if it is less; 'a time and a number do not [compare]'."""
    if isinstance(old, Instant) and isinstance(new, Instant):
        return (new > old) - (new < old)
    if isinstance(old, Decimal) and isinstance(new, Decimal):
        return (new > old) - (new < old)
    return None


def _listed(value: object, ignored: list[object]) -> bool:
    """Equal as a value, or as what is compared ("0" and 0, one instant written twice)."""
    compared = measure(value)
    return any(equal(value, each) or (compared is not None and compared == measure(each)) for each in ignored)


def write_once(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """'once set, never changes or disappears'."""
    return [
        pair.field
        for pair in checked(spec["fields"], write, always=when_changed)
        if pair.old is not None and pair.differs and not pair.gone and not (pair.new is None and spec.get("mayClear"))
    ]


def preserved(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """'what was present stays present; with a keyed or map path no item is dropped'."""
    return [
        pair.field
        for pair in checked(spec["fields"], write, always=when_changed)
        if pair.old is not None and pair.new is None
    ]


def frozen(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """'may not change'; 'Pairing compares what both lists (maps) hold', so an added item is none."""
    return [
        pair.field
        for pair in checked(spec["fields"], write, always=when_changed)
        if not write.creates and pair.differs and not pair.gone and not pair.added
    ]


def transitions(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """'`{field, allow: [{from: [], to: []}], forbid: [...], initial: [], terminal: []}`'."""
    return [
        pair.field
        for pair in checked([spec["field"]], write, always=when_changed)
        if not pair.gone and _may_not_turn(spec, pair, write)
    ]


def _may_not_turn(spec: dict[str, Any], pair: Pair, write: Write) -> bool:
    old = "" if pair.old is None else text(pair.old)  # '"" is unset'
    new = "" if pair.new is None else text(pair.new)
    if (old is not None and old == new) or not pair.differs:
        return False  # staying is no transition
    initial = spec.get("initial") or []
    if old == "" and initial and not _matches(new, initial):
        return True
    if write.creates:
        return False
    if _matches(old, spec.get("terminal") or []):  # 'never left, not even to unset'
        return True
    allow: list[dict[str, Any]] = spec.get("allow") or []
    if allow and not (old == "" and initial):  # '`initial`: ... (then `allow` is not asked)'
        return not _any_turn(allow, old, new)
    return _any_turn(spec.get("forbid") or [], old, new)


def _any_turn(turns: list[dict[str, Any]], old: str | None, new: str | None) -> bool:
    return any(_matches(old, turn.get("from") or []) and _matches(new, turn.get("to") or []) for turn in turns)


def _matches(value: str | None, listed: list[str]) -> bool:
    """'`*` is any, unset included'; 'objects and lists never match'."""
    return value is not None and (value in listed or "*" in listed)
