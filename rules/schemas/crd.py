"""Schemas from a CustomResourceDefinition, or from a list of them as `kubectl get crds --output yaml` prints it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, ValidationError

from rules.diagnosis import problems
from rules.model import Model, ObjectName
from rules.problem import Location, Problem
from rules.schemas.builtin import SCALE
from rules.schemas.resources import InvalidSchemaError, ResourceSchema, ResourceVersion, SchemaSource
from rules.schemas.schema import Schema

_KIND: Final = "CustomResourceDefinition"
_LISTS: Final = frozenset({"List", f"{_KIND}List"})

_SCALE: Final = Schema(SCALE)


class _Part(Model):
    """A part of a CRD, of which only what is needed here is read."""

    model_config = ConfigDict(extra="ignore")


class _Names(_Part):
    plural: ObjectName
    kind: str = ""
    singular: str = ""
    short_names: list[str] = Field(default_factory=list)


class _VersionSchema(_Part):
    open_api_v3_schema: dict[str, Any] = Field(alias="openAPIV3Schema")


class _Subresources(_Part):
    status: dict[str, Any] | None = None
    scale: dict[str, Any] | None = None


class _Version(_Part):
    name: ObjectName
    served: bool
    version_schema: _VersionSchema = Field(alias="schema")
    subresources: _Subresources | None = None


class _Spec(_Part):
    group: ObjectName
    names: _Names
    scope: Literal["Cluster", "Namespaced"]
    versions: Annotated[list[_Version], Field(min_length=1)]


class _Crd(_Part):
    api_version: Literal["apiextensions.k8s.io/v1"]
    kind: Literal["CustomResourceDefinition"]
    spec: _Spec


def is_crd(data: Any) -> bool:
    """Whether a document says of itself that it is a CustomResourceDefinition or a list with one, valid or not."""
    return any(True for _ in _definitions(data))


def read_crds(data: Any) -> SchemaSource:
    """Return what a document describes. Raises InvalidSchemaError with all that is wrong with it."""
    resources: list[ResourceSchema] = []
    wrong: list[Problem] = []
    for below, definition in _definitions(data):
        try:
            resources.append(_resource(_Crd.model_validate(definition).spec))
        except ValidationError as error:
            wrong += [replace(each, location=(*below, *each.location)) for each in problems(error, _Crd)]
    if wrong:
        raise InvalidSchemaError(wrong)
    return SchemaSource(tuple(resources))


def _definitions(data: Any) -> Iterator[tuple[Location, Any]]:
    """Yield the CRDs in a document, each with its location."""
    if not isinstance(data, Mapping):
        return
    kind = data.get("kind")
    if kind == _KIND:
        yield (), data
    items = data.get("items")
    if isinstance(kind, str) and kind in _LISTS and isinstance(items, list):
        for index, item in enumerate(items):
            if kind != "List" or (isinstance(item, Mapping) and item.get("kind") == _KIND):
                yield ("items", index), item


def _resource(spec: _Spec) -> ResourceSchema:
    names = spec.names
    others = {names.kind.lower(), names.singular, *names.short_names} - {names.plural, ""}
    versions = {each.name: _version(each) for each in spec.versions}
    return ResourceSchema(spec.group, names.plural, versions, spec.scope == "Namespaced", frozenset(others))


def _version(version: _Version) -> ResourceVersion:
    root = Schema({**version.version_schema.open_api_v3_schema, "x-kubernetes-embedded-resource": True})
    objects = {"": root}
    subresources = version.subresources or _Subresources()
    if subresources.status is not None:
        objects["status"] = root
    if subresources.scale is not None:
        objects["scale"] = _SCALE
    return ResourceVersion(objects, version.served)
