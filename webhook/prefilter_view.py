"""What `explain --prefilter` says of a rule: what the API server asks before it calls, and what it cannot ask."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any, Final

from rules.compile import CompiledRule
from rules.native.line_breaks import broken
from rules.native.prefilter import MAX_COST, MAX_SIZE, Mode, Prefilter, prefilter_of

_WIDTH: Final = 110

_MEANING: Final[dict[Mode, str]] = {
    "Full": "The API server calls the webhook only for writes that may break the rule.",
    "Partial": "The API server also calls the webhook for writes of which it cannot tell.",
    "Off": "The API server calls the webhook for every write.",
}


def as_text(rule: CompiledRule) -> Iterator[str]:
    """Yield the lines that a person reads."""
    found = prefilter_of(rule)
    yield f"{rule.title} ({rule.source.kind}): prefilter {found.mode}"
    yield from wrap(_MEANING[found.mode], _WIDTH)
    if found.reason:
        yield from wrap(f"Why: {found.reason}.", _WIDTH)
    if found.suspect is not None:
        yield f"True of a suspect ({_size(found)}):"
        yield ""
        yield from (f"  {line}" for line in broken(found.suspect.text).splitlines())


def as_json(rule: CompiledRule) -> dict[str, Any]:
    """Return all of it for programs; `expression`, `size` (characters) and `cost` (units of CEL) are null in mode Off."""
    found = prefilter_of(rule)
    suspect = found.suspect
    return {
        "rule": rule.title,
        "kind": rule.source.kind,
        "mode": found.mode,
        "reason": found.reason,
        "expression": suspect and suspect.text,
        "size": suspect and len(suspect.text),
        "cost": suspect and suspect.cost,
    }


def _size(found: Prefilter) -> str:
    assert found.suspect is not None  # noqa: S101  the caller has seen it
    size, cost = len(found.suspect.text), found.suspect.cost
    return f"{size:,} of {MAX_SIZE:,} characters, at most {cost:,} of {MAX_COST:,} units of CEL's budget"
