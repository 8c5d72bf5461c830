"""The resources whose schemas are known: groups, plurals, versions and subresources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rules.problem import Problem
from rules.schemas.schema import Schema


class InvalidSchemaError(Exception):
    """A document that should hold schemas and holds none that can be used; `problems` has at least one error."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problem.message for problem in self.problems))


@dataclass(frozen=True, slots=True)
class ResourceVersion:
    """One version of a resource: the schema of the object behind each subresource, `""` for the resource itself."""

    objects: Mapping[str, Schema]
    is_served: bool = True


@dataclass(frozen=True, slots=True)
class ResourceSchema:
    """A resource and the versions of it that are known.

    `other_names` are what people call it by mistake: its kind in lower case, its singular and its short names.
    `has_all_versions` is false where versions may exist that are not here.
    """

    group: str
    plural: str
    versions: Mapping[str, ResourceVersion]
    is_namespaced: bool
    other_names: frozenset[str] = frozenset()
    has_all_versions: bool = True

    @property
    def title(self) -> str:
        """The name of the resource as CRDs have it: `widgets.example.test`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def served(self) -> tuple[str, ...]:
        """The versions that are served."""
        return tuple(name for name, version in self.versions.items() if version.is_served)


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """What one document describes: resources, and the (group, version) pairs of which it has every resource.

    The version `*` stands for every version of a group.
    """

    resources: tuple[ResourceSchema, ...]
    complete: frozenset[tuple[str, str]] = frozenset()


class SchemaCatalog:
    """Everything that is described; of two descriptions of one version the first counts."""

    def __init__(self, sources: Iterable[SchemaSource]) -> None:
        self._by_group: dict[str, dict[str, ResourceSchema]] = {}
        self._complete: set[tuple[str, str]] = set()
        for source in sources:
            self._complete |= source.complete
            for resource in source.resources:
                self._add(resource)

    def in_groups(self, groups: Iterable[str]) -> list[ResourceSchema]:
        """Return the resources of some groups; `*` is every group."""
        wanted = self._by_group if "*" in groups else groups
        return [resource for group in wanted for resource in self._by_group.get(group, {}).values()]

    def is_complete(self, groups: Iterable[str], versions: Iterable[str]) -> bool:
        """Tell whether there can be no resource in these groups and versions but those described."""
        named = set(versions)
        return all(
            (group, "*") in self._complete or named <= {version for of, version in self._complete if of == group}
            for group in groups
        )

    def _add(self, resource: ResourceSchema) -> None:
        group = self._by_group.setdefault(resource.group, {})
        known = group.get(resource.plural)
        if known is None:
            group[resource.plural] = resource
            return
        group[resource.plural] = ResourceSchema(
            known.group,
            known.plural,
            {**resource.versions, **known.versions},
            known.is_namespaced,
            known.other_names | resource.other_names,
            known.has_all_versions or resource.has_all_versions,
        )
