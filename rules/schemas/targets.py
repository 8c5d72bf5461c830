"""The objects that a rule is about, as far as schemas describe them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rules.api import RuleSpec
from rules.matching import ResourceRule
from rules.schemas.resources import ResourceSchema, SchemaCatalog
from rules.schemas.schema import Schema
from rules.write import Resource


@dataclass(frozen=True, slots=True)
class Target:
    """An object that a rule is about. `is_generic`: the rule does not name its resource, but all resources."""

    resource: str
    version: str
    schema: Schema
    is_generic: bool


class Match(NamedTuple):
    """An entry of `resources`, by its index, and a resource that it names.

    `subresource` is empty for the resource itself and `*` for that and everything below it.
    """

    entry: int
    subresource: str
    resource: ResourceSchema
    is_generic: bool


def matches(resources: ResourceRule, catalog: SchemaCatalog) -> Iterator[Match]:
    """Yield the described resources that a resource rule names, whatever their versions and subresources."""
    described = catalog.in_groups(resources.api_groups)
    for index, written in enumerate(resources.resources):
        plural, _, subresource = written.partition("/")
        is_generic = plural == "*" or "*" in resources.api_groups
        for resource in described:
            if plural in {"*", resource.plural}:
                yield Match(index, subresource, resource, is_generic)


def versions(resources: ResourceRule, resource: ResourceSchema) -> list[str]:
    """Return the served versions of a resource that a resource rule names."""
    named = resources.api_versions
    return [version for version in resource.served if "*" in named or version in named]


def targets(spec: RuleSpec, catalog: SchemaCatalog) -> list[Target]:
    """Return the objects that a rule is about, each once."""
    found: dict[tuple[str, str, int], Target] = {}
    for resources in spec.match_constraints.resource_rules:
        for match in matches(resources, catalog):
            for version in versions(resources, match.resource):
                # The object behind the status and most other subresources is that of the resource itself.
                subresource = "" if match.subresource == "*" else match.subresource
                schema = match.resource.versions[version].objects.get(subresource)
                written = Resource(match.resource.group, version, match.resource.plural, subresource)
                if schema is not None and not _is_left_out(written, spec):
                    target = Target(match.resource.title, version, schema, match.is_generic)
                    found.setdefault((target.resource, version, id(schema)), target)
    return list(found.values())


def _is_left_out(resource: Resource, spec: RuleSpec) -> bool:
    """Whether excludeResourceRules leave out every write to a resource."""
    return any(
        rule.covers(resource) and not rule.resource_names and rule.scope == "*" and "UPDATE" in rule.operations
        for rule in spec.match_constraints.exclude_resource_rules
    )
