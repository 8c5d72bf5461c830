"""Warnings of paths that parse and that no status has, as far as the conventions of Kubernetes tell without a schema."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Final

from rules.api import RuleSpec
from rules.diagnosis import suggestion
from rules.path_syntax import Keyed, Name, Segment
from rules.problem import Location, Problem
from rules.schemas.uses import Use, uses

_PARTS: Final = ("apiVersion", "kind", "metadata", "spec", "status")
"""What an object with a status consists of."""

_CEL_VARIABLES: Final = frozenset({"object", "oldObject"})

_WRITTEN_WITH_STATUS: Final = frozenset({"metadata", "status"})
"""What a write of the status may change: the API server takes the rest from the object before (metadata at least in parts)."""


def path_warnings(spec: RuleSpec) -> Iterator[Problem]:
    """Yield the warnings of the paths of a rule; locations start at its document."""
    found = [use for use in uses(spec) if use.default_of is None]
    for use in found:
        yield from _of_conditions(use)
    if not _is_about_status(spec):
        return
    for use in found:
        yield from _of_root(use)
    judged = (use for use in found if use.location[1] == "invariants" and use.location[3] != "when")
    for below, group in groupby(judged, lambda use: use.location[:3]):
        yield from _of_invariant(below, list(group))


def _is_about_status(spec: RuleSpec) -> bool:
    return all(name.endswith("/status") for each in spec.match_constraints.resource_rules for name in each.resources)


def _of_conditions(use: Use) -> Iterator[Problem]:
    for step, following in pairwise(use.path.segments):
        if isinstance(step, Name) and step.name == "conditions" and (given := _instead_of_type(following)):
            message = (
                f"{use.path}: conditions are a list, known by their type: "
                f"write conditions[type={given}] for one or conditions[type] for each"
            )
            yield Problem(use.location, message, "condition-path", "warning", use.offset)


def _instead_of_type(step: Segment) -> str | None:
    """Return the type of a condition that stands where a field should: types are in CamelCase, fields in camelCase."""
    match step:
        case Name(word) | Keyed((word,)) if word[:1].isupper():
            return word
    return None


def _of_root(use: Use) -> Iterator[Problem]:
    root = use.path.root
    if root in _PARTS:
        return
    hint = suggestion(root, list(_PARTS)) or f", expected one of {', '.join(_PARTS)}"
    if root in _CEL_VARIABLES:
        hint = f": paths start inside the object, without {root}"
    message = f"{use.path}: an object with a status has no {root}{hint}"
    yield Problem(use.location, message, "unknown-root", "warning", use.offset)


def _of_invariant(below: Location, group: list[Use]) -> Iterator[Problem]:
    roots = {use.path.root for use in group}
    if roots & _WRITTEN_WITH_STATUS or not roots <= set(_PARTS):
        return
    message = (
        f"no write of a status changes {' or '.join(sorted(roots))}: it is judged only when what `when` reads changes"
    )
    yield Problem(below, message, "never-changes", "warning")
