"""Which writes a rule is about: matchConstraints, as in ValidatingAdmissionPolicy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from rules.fieldpath import custom_error
from rules.model import Model, Text, also_in_cel
from rules.places import quoted
from rules.write import Request, Resource, Write

_RESOURCE: Final = re.compile(r"(\*|[a-z0-9]([-a-z0-9.]*[a-z0-9])?)(/(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?))?", re.ASCII)

Names: TypeAlias = Annotated[list[Text], Field(min_length=1, max_length=64)]


class ResourceRule(Model):
    """Writes to some resources. `*` alone means any."""

    api_groups: Names = Field(description='API groups; "" is the core group.')
    api_versions: Names = Field(description="Versions, as the API server converted the object to (request.resource).")
    resources: Names = Field(
        description='"x/status" the status of x, "x" the object itself, "x/scale"; "*/status" the status of everything.',
    )
    resource_names: Annotated[list[Text], Field(max_length=64)] = Field(
        default_factory=list,
        description="Names of objects; none means all.",
    )
    operations: Annotated[list[Text], Field(min_length=1, max_length=2)] = Field(
        default_factory=lambda: ["UPDATE"],
        json_schema_extra={"default": ["UPDATE"]},
        description="UPDATE (the default) and CREATE.",
    )
    scope: Literal["Cluster", "Namespaced", "*"] = Field(
        default="*",
        description="Whether only objects with (Namespaced) or without a namespace (Cluster) are meant.",
    )

    @field_validator("api_groups", "api_versions", "resources")
    @classmethod
    def _stands_alone(cls, names: list[str]) -> list[str]:
        if "*" in names and len(names) > 1:
            raise custom_error("wildcard", '"*" means all and stands alone', None, names.index("*"))
        return names

    @field_validator("resources")
    @classmethod
    def _are_resources(cls, resources: list[str]) -> list[str]:
        for index, resource in enumerate(resources):
            if _RESOURCE.fullmatch(resource) is None:
                raise custom_error(
                    "resource",
                    f'{quoted(resource)} is no resource: write a plural in lower case, as "deployments/status"',
                    None,
                    index,
                )
        return resources

    @field_validator("operations")
    @classmethod
    def _are_writes(cls, operations: list[str]) -> list[str]:
        for index, operation in enumerate(operations):
            if operation not in {"UPDATE", "CREATE"}:
                message = f"{quoted(operation)} is not judged: name UPDATE or CREATE, which leave an object"
                raise custom_error("operation", message, None, index)
        if len(set(operations)) < len(operations):
            raise custom_error("operation", "an operation is named twice")
        return operations

    def covers(self, resource: Resource) -> bool:
        """Tell whether the rule names a resource, as far as the resource alone decides."""
        return (
            _names(self.api_groups, resource.group)
            and _names(self.api_versions, resource.version)
            and any(_is_resource(pattern, resource) for pattern in self.resources)
        )

    def admits(self, request: Request) -> bool:
        """Tell whether the rule, which covers the resource, is about a request for it."""
        return (
            request.operation in self.operations
            and (not self.resource_names or request.name in self.resource_names)
            and (self.scope == "*" or (self.scope == "Namespaced") == bool(request.object_namespace))
        )


class LabelRequirement(Model):
    """One requirement on labels."""

    model_config = also_in_cel(
        (
            "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
            "In and NotIn need values, Exists and DoesNotExist take none",
        ),
    )

    key: Text = Field(description="The label's key.")
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"] = Field(description="How the label is asked.")
    values: Annotated[list[Text], Field(max_length=64)] = Field(
        default_factory=list,
        description="The values for In and NotIn.",
    )

    @model_validator(mode="after")
    def _values_fit(self) -> LabelRequirement:
        if (self.operator in {"In", "NotIn"}) != bool(self.values):
            wants = "needs" if self.operator in {"In", "NotIn"} else "takes no"
            raise PydanticCustomError(
                "label-values", "{operator} {wants} `values`", {"operator": self.operator, "wants": wants}
            )
        return self

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Tell whether labels fulfil the requirement; NotIn holds where the label is absent."""
        match self.operator:
            case "In":
                return labels.get(self.key) in self.values
            case "NotIn":
                return labels.get(self.key) not in self.values
            case "Exists":
                return self.key in labels
            case "DoesNotExist":
                return self.key not in labels


class LabelSelector(Model):
    """A Kubernetes label selector; an empty one selects everything."""

    match_labels: Annotated[dict[Text, Text], Field(max_length=64)] = Field(
        default_factory=dict,
        description="Labels with their values, all of which must be there.",
    )
    match_expressions: Annotated[list[LabelRequirement], Field(max_length=64)] = Field(
        default_factory=list,
        description="Requirements, all of which must hold.",
    )

    @property
    def is_empty(self) -> bool:
        """Whether the selector asks for nothing: it selects everything."""
        return not self.match_labels and not self.match_expressions

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Tell whether the selector selects something with these labels."""
        return all(labels.get(key) == value for key, value in self.match_labels.items()) and all(
            requirement.holds(labels) for requirement in self.match_expressions
        )

    def keys(self) -> set[str]:
        """Return the labels that the selector asks for."""
        return {*self.match_labels, *(requirement.key for requirement in self.match_expressions)}


class MatchConstraints(Model):
    """Which writes a rule is about; everything given must fit."""

    resource_rules: Annotated[list[ResourceRule], Field(min_length=1, max_length=64)] = Field(
        description="The resources; one of them must fit.",
    )
    exclude_resource_rules: Annotated[list[ResourceRule], Field(max_length=64)] = Field(
        default_factory=list,
        description="Resources that are left out.",
    )
    namespace_selector: LabelSelector = Field(
        default_factory=LabelSelector,
        description="Labels of the object's namespace; objects without a namespace always fit.",
    )
    object_selector: LabelSelector = Field(
        default_factory=LabelSelector,
        description="Labels of the object, before or after the write.",
    )
    match_policy: Literal["Exact", "Equivalent"] = Field(
        default="Exact",
        description="Exact: only the versions named. Equivalent: other versions too, converted; then every write of them "
        "depends on the resource's conversion webhook.",
    )

    def covering(self, resource: Resource) -> tuple[list[ResourceRule], list[ResourceRule]]:
        """Return the resource rules, and those that leave out, that cover a resource."""
        return (
            [rule for rule in self.resource_rules if rule.covers(resource)],
            [rule for rule in self.exclude_resource_rules if rule.covers(resource)],
        )


NAMESPACE_NAME_LABEL: Final = "kubernetes.io/metadata.name"
"""The label that the API server puts on every namespace: its name."""


class UnknownLabelsError(Exception):
    """The namespace's labels, for which a namespaceSelector asks, are not known; the message says so in one line."""


def selects_namespace(selector: LabelSelector, write: Write) -> bool:
    """Tell whether a namespaceSelector selects the namespace of the written object. Raises UnknownLabelsError."""
    request = write.request
    if selector.is_empty:
        return True
    if request.is_for_a_namespace:
        return selector.selects(labels_of(write.new["metadata"]))
    if not request.namespace:
        return True
    labels = request.namespace_labels
    if labels is None and selector.keys() - {NAMESPACE_NAME_LABEL}:
        message = f"the labels of namespace {request.namespace}, for which namespaceSelector asks, are not known"
        raise UnknownLabelsError(message)
    return selector.selects({NAMESPACE_NAME_LABEL: request.namespace, **(labels or {})})


def selects_object(selector: LabelSelector, write: Write) -> bool:
    """Tell whether an objectSelector selects the object as it was or as it will be."""
    if selector.is_empty:
        return True
    sides = (write.new,) if write.creates else (write.new, write.old)
    return any(selector.selects(labels_of(side["metadata"])) for side in sides)


def labels_of(metadata: Any) -> dict[str, str]:
    """Return the labels in an object's metadata."""
    labels = metadata.get("labels") if type(metadata) is dict else None
    return {k: v for k, v in labels.items() if type(v) is str} if type(labels) is dict else {}


def _names(names: Iterable[str], name: str) -> bool:
    return any(candidate in {"*", name} for candidate in names)


def _is_resource(pattern: str, resource: Resource) -> bool:
    # As in the API server: "x/*" also names x itself, and "*" no subresource.
    name, _, subresource = pattern.partition("/")
    return name in {"*", resource.resource} and subresource in {"*", resource.subresource}
