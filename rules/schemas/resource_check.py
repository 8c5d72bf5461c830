"""The resources, versions, subresources and the scope that a rule names are held against the resources described."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from rules.api import StatusRule
from rules.compile import CompiledRule
from rules.diagnosis import suggestion
from rules.matching import ResourceRule
from rules.problem import Location, Problem
from rules.schemas.finding import Severity, listed
from rules.schemas.resources import SchemaCatalog
from rules.schemas.targets import Match, matches, versions

_NEAR: Final = 0.9
"""How alike a plural and a known one must be to be taken for a misspelling where others may exist: `machinesets` and
`machines` are 0.84, a letter too few in `machinesets` is 0.95."""


def check_resources(rule: CompiledRule, catalog: SchemaCatalog) -> Iterator[Problem]:
    """Yield what is wrong with the resource rules of a rule; locations start at its document."""
    for index, resources in enumerate(rule.source.spec.match_constraints.resource_rules):
        below: Location = ("spec", "matchConstraints", "resourceRules", index)
        named = [match for match in matches(resources, catalog) if not match.is_generic]
        for each in _undescribed(resources, named):
            yield from _of_name(resources, each, catalog, below)
        yield from _of_versions(resources, named, below)
        yield from _of_scope(rule, resources, named, below)
        for match in named:
            yield from _of_subresource(resources, match, below)


def undescribed(rule: CompiledRule, catalog: SchemaCatalog) -> Iterator[str]:
    """Yield the resources of which no schema tells anything, nor that they do not exist."""
    for resources in rule.source.spec.match_constraints.resource_rules:
        named = [match for match in matches(resources, catalog) if not match.is_generic]
        for index in _undescribed(resources, named):
            if not any(_of_name(resources, index, catalog, ())):
                plural = resources.resources[index].partition("/")[0]
                yield " or ".join(f"{plural}.{group}" if group else plural for group in resources.api_groups)
        for match in named:
            if not match.resource.has_all_versions and not versions(resources, match.resource):
                yield match.resource.title


def _undescribed(resources: ResourceRule, named: Iterable[Match]) -> list[int]:
    """Return the indices of the entries of `resources` that name no described resource, and not all resources either."""
    known = {match.entry for match in named}
    is_generic = "*" in resources.api_groups
    return [
        index
        for index, written in enumerate(resources.resources)
        if index not in known and not is_generic and not written.startswith("*")
    ]


def _of_name(resources: ResourceRule, index: int, catalog: SchemaCatalog, below: Location) -> Iterator[Problem]:
    plural, slash, subresource = resources.resources[index].partition("/")
    known = catalog.in_groups(resources.api_groups)
    groups = " and ".join(group or "the core group" for group in resources.api_groups)
    what = f'no resource "{plural}" in {groups}'
    location = (*below, "resources", index)
    meant = next((resource.plural for resource in known if plural in resource.other_names), None)
    if meant is not None:
        message = f'{what}, did you mean "{meant}{slash}{subresource}"?'
        yield Problem(location, message, "unknown-resource")
    elif catalog.is_complete(resources.api_groups, resources.api_versions):
        plurals = sorted({resource.plural for resource in known})
        yield Problem(location, f"{what}{suggestion(plural, plurals) or listed(plurals)}", "unknown-resource")
    elif near := get_close_matches(plural, [resource.plural for resource in known], n=1, cutoff=_NEAR):
        message = f'{what} that a schema describes, did you mean "{near[0]}{slash}{subresource}"?'
        yield Problem(location, message, "unknown-resource", "warning")


def _of_versions(resources: ResourceRule, named: Sequence[Match], below: Location) -> Iterator[Problem]:
    """Say which versions exist nowhere, and which resources exist in no version, of those that a resource rule names."""
    known = [match for match in named if match.resource.has_all_versions]
    idle = [match for match in known if not versions(resources, match.resource)]
    is_idle = bool(known) and len(idle) == len(named)
    for index, version in enumerate(resources.api_versions):
        if version != "*" and known and not any(version in match.resource.served for match in named):
            is_there = any(version in match.resource.versions for match in known)
            what = "is not served" if is_there else "does not exist"
            message = f"version {version} of {_titles(known)} {what}, served: {_served(known)}"
            yield Problem((*below, "apiVersions", index), message, "unknown-version", "error" if is_idle else "warning")
    for match in idle if not is_idle else ():
        message = f"{match.resource.title} has none of these versions, served: {_served([match])}"
        yield Problem((*below, "resources", match.entry), message, "unknown-version")


def _of_scope(
    rule: CompiledRule, resources: ResourceRule, named: Sequence[Match], below: Location
) -> Iterator[Problem]:
    for match in named:
        title, is_namespaced = match.resource.title, match.resource.is_namespaced
        if resources.scope != "*" and (resources.scope == "Namespaced") != is_namespaced:
            has = "are in namespaces" if is_namespaced else "have no namespace"
            message = f"scope {resources.scope} never matches {title}, whose objects {has}"
            yield Problem((*below, "scope"), message, "scope")
        elif isinstance(rule.source, StatusRule) and not is_namespaced:
            message = (
                f"{title} has objects without a namespace, which a StatusRule never matches: use a ClusterStatusRule"
            )
            yield Problem((*below, "resources", match.entry), message, "scope")


def _of_subresource(resources: ResourceRule, match: Match, below: Location) -> Iterator[Problem]:
    if match.subresource in {"", "*"}:
        return
    of = match.resource
    named = versions(resources, of)
    without = [version for version in named if match.subresource not in of.versions[version].objects]
    if not without:
        return
    message = f"{of.title}/{', '.join(without)} has no subresource {match.subresource}"
    if match.subresource == "status":
        message += f': its status is written with the object itself, name "{of.plural}"'
    severity: Severity = "error" if len(without) == len(named) else "warning"
    yield Problem((*below, "resources", match.entry), message, "no-subresource", severity)


def _titles(named: Iterable[Match]) -> str:
    return " and ".join(dict.fromkeys(match.resource.title for match in named))


def _served(named: Iterable[Match]) -> str:
    served = dict.fromkeys(version for match in named for version in match.resource.served)
    return ", ".join(served) or "none"
