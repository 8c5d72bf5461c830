"""Section 2, `relation`, and the relations of `coUpdate.identity`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .paths import Path, gather, parse, show_path
from .values import ABSURD_EXPONENT, equal, number
from .write import Write


@dataclass(frozen=True)
class Term:
    """`+ path`, `- 3`, `sum(path)`: a path is read by `gather`, which gives one value for a plain one."""

    sign: int
    integer: int = 0
    path: Path = ()


@dataclass(frozen=True)
class Relation:
    left: list[Term]
    operator: str
    right: list[Term]

    @property
    def paths(self) -> list[Path]:
        return [term.path for term in self.left + self.right if term.path]


_OPERATOR = re.compile(r"\s*(<=|<|==|!=|>=|>)\s*")
_SIGN = re.compile(r"\s*([+-])\s+")
_INTEGER = re.compile(r"\s*(-?\d+)", re.ASCII)
_PATH = (
    r"[A-Za-z_$][A-Za-z0-9_-]*"
    r"(?:\.\*|\.[A-Za-z_$][A-Za-z0-9_-]*|\[(?:\"(?:[^\"\\]|\\.)*\"|[^\]\"])*\])*"
)
_SUM = re.compile(rf"\s*sum\(\s*({_PATH})\s*\)")
_PLAIN = re.compile(rf"\s*({_PATH})")


def parse_relation(source: str) -> Relation:
    """'paths, integers, `+`, `-` (with spaces), `sum()`, one of `<= < == != >= >`'."""
    left, at = _parse_side(source, 0)
    operator = _OPERATOR.match(source, at)
    if operator is None:
        raise ValueError(f"no relation: {source!r} at {at}")
    right, at = _parse_side(source, operator.end())
    if source[at:].strip():
        raise ValueError(f"no relation: {source!r} at {at}")
    return Relation(left, operator.group(1), right)


def _parse_side(source: str, at: int) -> tuple[list[Term], int]:
    terms: list[Term] = []
    sign = 1
    while True:
        integer = _INTEGER.match(source, at)
        path = _SUM.match(source, at) or _PLAIN.match(source, at)
        if integer:
            terms.append(Term(sign, integer=int(integer.group(1))))
            at = integer.end()
        elif path:
            terms.append(Term(sign, path=parse(path.group(1))))
            at = path.end()
        else:
            raise ValueError(f"no relation: {source!r} at {at}")
        following = _SIGN.match(source, at)
        if following is None:
            return terms, at
        sign = -1 if following.group(1) == "-" else 1
        at = following.end()


def relation(spec: dict[str, Any], write: Write, *, when_changed: bool) -> list[str]:
    """'one relation of holds or identity' is a check; 'for a relation the first path in it that changed'."""
    broken = []
    for source in spec["holds"]:
        parsed = parse_relation(source)
        changed = changed_fields(parsed, write)
        if (when_changed or changed) and not satisfied(parsed, spec.get("missing"), write.new):
            broken.append((changed or [show_path(path) for path in parsed.paths])[0])
    return broken


def changed_fields(parsed: Relation, write: Write) -> list[str]:
    """The paths, as written, of which the write changed what the relation reads, from left to right.
    An absent list differs from an empty one: '[] is not absent'."""
    return [show_path(path) for path in parsed.paths if not equal(gather(path, write.before), gather(path, write.new))]


def satisfied(parsed: Relation, missing: str | None, new: object) -> bool:
    """Skipped relations are satisfied."""
    if missing == "Zero" and all(_is_absent(gather(path, new)) for path in parsed.paths):
        return True  # 'absent is 0, unless all are absent'
    left = _total(parsed.left, missing, new)
    right = _total(parsed.right, missing, new)
    if left is None or right is None:
        return True
    return {
        "<=": left <= right,
        "<": left < right,
        "==": left == right,
        "!=": left != right,
        ">=": left >= right,
        ">": left > right,
    }[parsed.operator]


def _is_absent(values: list[object] | None) -> bool:
    """An empty list is present."""
    return values is None or (values != [] and all(value is None for value in values))


def _total(terms: list[Term], missing: str | None, new: object) -> Fraction | None:
    """'`Skip` (default): an absent path skips the relation; `Zero`: absent is 0. An absent list in
    `sum`, or a value that is no number, always skips'. None: skipped."""
    total = Fraction(0)
    for term in terms:
        if not term.path:
            total += term.sign * term.integer
            continue
        values = gather(term.path, new)
        if values is None:
            return None
        for value in values:
            if value is None and missing == "Zero":
                continue
            exact = _fraction(number(value))
            if exact is None:
                return None
            total += term.sign * exact
    return total


def _fraction(value: Decimal | None) -> Fraction | None:
    """Exact; a number with an absurd exponent counts as none, so that nothing hangs."""
    if value is None:
        return None
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > ABSURD_EXPONENT:
        return None
    return Fraction(value)
