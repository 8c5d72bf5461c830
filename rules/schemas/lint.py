"""A rule is held against schemas: mistakes in its paths and in what it says that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rules.compile import CompiledRule
from rules.problem import Problem
from rules.schemas.finding import Finding
from rules.schemas.resource_check import check_resources
from rules.schemas.resources import SchemaCatalog
from rules.schemas.targets import Target, targets
from rules.schemas.use_check import check
from rules.schemas.uses import Use, uses

_MAX_NAMED = 3
"""Resources that a message names."""


def schema_problems(rule: CompiledRule, catalog: SchemaCatalog) -> Iterator[Problem]:
    """Yield what schemas say against a rule; locations start at its document.

    A path that is wrong in every object that the rule is about is a mistake. One that is right in some is a warning: it may be
    meant, and in the others it is never judged. What a rule for all resources reads need not be in all.
    """
    spec = rule.source.spec
    yield from check_resources(rule, catalog)
    about = targets(spec, catalog)
    if not about:
        return
    for together in _groups(uses(spec)):
        told: dict[Finding, list[Target]] = {}
        broken = 0
        for target in about:
            findings = _of_target(together, target)
            broken += any(finding.severity == "error" for finding in findings)
            for finding in findings:
                told.setdefault(finding, []).append(target)
        if broken < len(about):
            told = _softened(told)
        for finding, where in told.items():
            message = f"{finding.what} in {_titles(where)}{finding.rest}"
            yield Problem(finding.location, message, finding.code, finding.severity, finding.offset)


def _groups(found: Iterable[Use]) -> Iterator[list[Use]]:
    """Yield each use by itself; those of one field that the document leaves to its default together."""
    defaults: dict[object, list[Use]] = {}
    for use in found:
        if use.default_of is None:
            yield [use]
        else:
            defaults.setdefault(use.default_of, []).append(use)
    yield from defaults.values()


def _of_target(together: Sequence[Use], target: Target) -> list[Finding]:
    """Return what the schema of one object says against uses of which one has to be right."""
    by_use = [list(check(use, target.schema)) for use in together]
    is_wrong = [any(finding.severity == "error" for finding in findings) for findings in by_use]
    if all(is_wrong):
        findings = by_use[0]
    else:
        findings = [finding for wrong, found in zip(is_wrong, by_use, strict=True) if not wrong for finding in found]
    if target.is_generic:
        return [replace(each, severity="warning") for each in findings if each.code != "unknown-path"]
    return findings


def _softened(told: Mapping[Finding, Sequence[Target]]) -> dict[Finding, list[Target]]:
    """Return findings about a path that is right in other objects: there is nothing to be corrected in the path."""
    softened: dict[Finding, list[Target]] = {}
    for finding, where in told.items():
        is_error = finding.severity == "error"
        soft = replace(finding, rest=", where it is never judged", severity="warning") if is_error else finding
        softened.setdefault(soft, []).extend(where)
    return softened


def _titles(where: Sequence[Target]) -> str:
    """Return the objects in words: `widgets.example.test/v1, gadgets.example.test/v1 and 3 more`."""
    by_resource: dict[str, list[str]] = {}
    for target in where:
        by_resource.setdefault(target.resource, []).append(target.version)
    titles = [f"{resource}/{','.join(versions)}" for resource, versions in by_resource.items()]
    more = len(titles) - _MAX_NAMED
    return ", ".join(titles[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
