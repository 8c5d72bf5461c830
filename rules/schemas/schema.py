"""One place in a resource's schema: what may be there. The structural schemas of CRDs and OpenAPI definitions alike.

Nothing is copied or converted: a cluster's OpenAPI has megabytes, of which a rule's paths need little. What a schema says
in a form that Kubernetes does not publish is taken for no statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from rules.schemas.builtin import OBJECT
from rules.values import text

INT_OR_STRING: Final = frozenset({"integer", "string"})

_QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"
"""OpenAPI v2 calls it a mere string."""

_MAX_PARTS: Final = 64
"""References and allOf branches that make up one place; more are a circle."""

_WORDS: Final = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
}


@dataclass(frozen=True, eq=False)
class Schema:
    """What may be at one place of an object.

    `definitions` are what `$ref` leads to. In a structural schema the API server prunes every field that is not declared; in a
    built-in type's OpenAPI an object without properties is one of which nothing is said.
    """

    raw: Any
    definitions: Mapping[str, Any] = field(default_factory=dict, repr=False)
    is_structural: bool = True

    @cached_property
    def types(self) -> frozenset[str]:
        """The JSON types that may be there, as JSON Schema calls them; none if the schema does not tell."""
        return self._types(self._merged)

    @cached_property
    def format(self) -> str | None:
        """The format of a string or number: `date-time`."""
        found = self._merged.get("format")
        return found if isinstance(found, str) else None

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The only values that may be there, as text; none if the schema leaves them open."""
        if self.types == {"boolean"}:
            return ("true", "false")
        return tuple(found for value in _items(self._merged.get("enum")) if (found := text(value)) is not None)

    @cached_property
    def list_keys(self) -> tuple[str, ...]:
        """The keys that tell the items of a list apart, where the API server keeps them unique."""
        if self._merged.get("x-kubernetes-list-type") != "map":
            return ()
        return tuple(key for key in _items(self._merged.get("x-kubernetes-list-map-keys")) if isinstance(key, str))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The fields that are declared."""
        return tuple(self._properties)

    @property
    def item(self) -> Schema:
        """What is in each item of a list."""
        return self._at(self._merged.get("items"))

    @property
    def value(self) -> Schema:
        """What is in each value of a map; of an object with fixed fields nothing is said."""
        return self._at(self._merged.get("additionalProperties"))

    def field(self, name: str) -> Schema | None:
        """Return what is in a field of an object; None if there can be no such field."""
        if name in self._properties:
            return self._at(self._properties[name])
        others = self._merged.get("additionalProperties")
        if isinstance(others, Mapping):
            return self._at(others)
        is_open = others is True or self._merged.get("x-kubernetes-preserve-unknown-fields") is True
        is_silent = not self.is_structural and others is None and not self._properties
        return UNKNOWN if is_open or is_silent or not self.types else None

    @property
    def title(self) -> str:
        """What is there, in words."""
        if self.format == "date-time" and self.types == {"string"}:
            return "a time"
        return " or ".join(_WORDS[name] for name in sorted(self.types))

    @cached_property
    def _properties(self) -> dict[str, Any]:
        declared = self._merged.get("properties")
        found = dict(declared) if isinstance(declared, Mapping) else {}
        if self._merged.get("x-kubernetes-embedded-resource") is True:
            found |= OBJECT
        return found

    @cached_property
    def _merged(self) -> dict[str, Any]:
        """What is said of the place: here, behind references, and in all branches of allOf."""
        merged: dict[str, Any] = {}
        for part in self._parts():
            for key, said in part.items():
                before = merged.get(key)
                if key == "properties" and isinstance(said, Mapping) and isinstance(before, Mapping):
                    merged[key] = {**said, **before}
                elif key == "enum" and isinstance(said, list) and isinstance(before, list):
                    merged[key] = [value for value in before if value in said]
                else:
                    merged.setdefault(key, said)
        return merged

    def _parts(self) -> Iterator[Mapping[str, Any]]:
        pending = [self.raw]
        for _ in range(_MAX_PARTS):
            if not pending:
                return
            part = pending.pop(0)
            if not isinstance(part, Mapping):
                continue
            yield part
            reference = part.get("$ref")
            if isinstance(reference, str):
                name = reference.rpartition("/")[2]
                pending.append({"format": "int-or-string"} if name == _QUANTITY else self.definitions.get(name))
            pending += _items(part.get("allOf"))

    def _types(self, said: Mapping[str, Any]) -> frozenset[str]:
        if said.get("x-kubernetes-int-or-string") is True or said.get("format") == "int-or-string":
            return INT_OR_STRING
        if declared := _type(said):
            return frozenset({declared})
        for key in ("oneOf", "anyOf"):
            branches = _items(said.get(key))
            names = [name for branch in branches if (name := _type(branch))]
            if names and len(names) == len(branches):
                return frozenset(names)
        return frozenset({"object"}) if isinstance(said.get("properties"), Mapping) else frozenset()

    def _at(self, raw: Any) -> Schema:
        return Schema(raw, self.definitions, self.is_structural) if isinstance(raw, Mapping) else UNKNOWN


def _type(said: Any) -> str | None:
    declared = said.get("type") if isinstance(said, Mapping) else None
    return declared if isinstance(declared, str) and declared in _WORDS else None


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


UNKNOWN: Final = Schema({})
"""A place of which a schema says nothing: everything may be there."""
