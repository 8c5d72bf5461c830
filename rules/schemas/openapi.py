"""Schemas from a cluster's OpenAPI: `/openapi/v2`, and `/openapi/v3/apis/GROUP/VERSION`.

Which resources there are is read from the paths, what their objects hold from the definition of the path's kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from rules.schemas.resources import ResourceSchema, ResourceVersion, SchemaSource
from rules.schemas.schema import UNKNOWN, Schema

_PATH: Final = re.compile(
    r"/(?:api|apis/(?P<group>[a-z0-9.-]+))/(?P<version>[a-z0-9.-]+)/(?P<namespaced>namespaces/\{namespace\}/)?"
    r"(?P<plural>[a-z0-9.-]+)/\{name\}(?:/(?P<subresource>[a-z0-9.-]+))?"
)
_GVK: Final = "x-kubernetes-group-version-kind"

Kind: TypeAlias = tuple[str, str, str]
"""Group, version and kind."""


class _Endpoint(NamedTuple):
    """A path at which an object is written."""

    group: str
    version: str
    plural: str
    subresource: str
    is_namespaced: bool
    kind: Kind | None


def is_openapi(data: Any) -> bool:
    """Whether a document says of itself that it is an OpenAPI document, valid or not."""
    return isinstance(data, Mapping) and ("swagger" in data or "openapi" in data)


def read_openapi(data: Mapping[str, Any]) -> SchemaSource:
    """Return what an OpenAPI document describes: nothing if it is about no resource of Kubernetes."""
    definitions = _definitions(data)
    schemas: dict[Kind, Schema] = {}
    for definition in definitions.values():
        schema = Schema(definition, definitions, is_structural=False)
        for kind in _kinds(definition):
            schemas.setdefault(kind, schema)
    by_resource: dict[tuple[str, str], list[_Endpoint]] = {}
    for each in _endpoints(data.get("paths")):
        by_resource.setdefault((each.group, each.plural), []).append(each)
    is_whole_cluster = "swagger" in data
    return SchemaSource(
        tuple(_resource(of, schemas, has_all_versions=is_whole_cluster) for of in by_resource.values()),
        frozenset(
            (each.group, "*" if is_whole_cluster else each.version) for of in by_resource.values() for each in of
        ),
    )


def _resource(
    endpoints: Sequence[_Endpoint], schemas: Mapping[Kind, Schema], *, has_all_versions: bool
) -> ResourceSchema:
    objects: dict[str, dict[str, Schema]] = {}
    for each in endpoints:
        schema = schemas.get(each.kind, UNKNOWN) if each.kind else UNKNOWN
        objects.setdefault(each.version, {})[each.subresource] = schema
    return ResourceSchema(
        endpoints[0].group,
        endpoints[0].plural,
        {version: ResourceVersion(of_version) for version, of_version in objects.items()},
        any(each.is_namespaced for each in endpoints),
        frozenset(each.kind[2].lower() for each in endpoints if each.kind and not each.subresource),
        has_all_versions,
    )


def _definitions(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the named schemas: `definitions` in version 2 of OpenAPI, `components.schemas` in version 3."""
    components = data.get("components")
    found = components.get("schemas") if isinstance(components, Mapping) else data.get("definitions")
    return found if isinstance(found, Mapping) else {}


def _kinds(said: Any) -> Iterator[Kind]:
    """Yield the kinds that a definition (a list) or an operation (one) is said to be about."""
    found = said.get(_GVK) if isinstance(said, Mapping) else None
    for kind in found if isinstance(found, list) else [found]:
        if isinstance(kind, Mapping):
            yield str(kind.get("group")), str(kind.get("version")), str(kind.get("kind"))


def _endpoints(paths: Any) -> Iterator[_Endpoint]:
    for path, operations in paths.items() if isinstance(paths, Mapping) else ():
        match = _PATH.fullmatch(path)
        if match is None or not isinstance(operations, Mapping):
            continue
        writes = [operation for method in ("put", "patch") if isinstance(operation := operations.get(method), Mapping)]
        if writes:
            yield _Endpoint(
                match["group"] or "",
                match["version"],
                match["plural"],
                match["subresource"] or "",
                match["namespaced"] is not None,
                next((kind for operation in writes for kind in _kinds(operation)), None),
            )
