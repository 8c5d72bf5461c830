"""The base of every type in a rule document: camelCase in documents, unknown fields refused, no guessing of types."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainValidator, StringConstraints, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from rules.fieldpath import MAX_LENGTH, FieldPath, paired, single

MAX_FIELDS = 32
"""Fields in one invariant; with MAX_INVARIANTS it bounds the work that one write can cause (contract, "Bounds")."""
MAX_RELATIONS = 16
MAX_PREDICATES = 16
MAX_INVARIANTS = 64


class Model(BaseModel):
    """A part of a document."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,
    )


MAP_BY_NAME: dict[str, Any] = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
"""A list whose entries have names, each once: the API server sees to it, and server-side apply merges by it."""


def also_in_cel(*rules: tuple[str, str]) -> ConfigDict:
    """Return the configuration of a model whose validator the API server runs too, as CEL in the CRD: (rule, message) pairs.

    The API server then refuses at `kubectl apply` what it can tell by itself, even while we are away.
    """
    return ConfigDict(json_schema_extra={"x-kubernetes-validations": [{"rule": r, "message": m} for r, m in rules]})


Text: TypeAlias = Annotated[str, StringConstraints(max_length=MAX_LENGTH)]
"""Any string of a rule."""

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
ObjectName: TypeAlias = Annotated[
    str, StringConstraints(min_length=1, max_length=253, pattern=rf"^{_LABEL}(\.{_LABEL})*$")
]
"""A name as Kubernetes gives to objects: lower case letters, digits, "-" and "." (RFC 1123 subdomain)."""

OnePath: TypeAlias = Annotated[FieldPath, AfterValidator(single)]
"""A path that names one value."""
PairedPath: TypeAlias = Annotated[FieldPath, AfterValidator(paired)]
"""A path along which old and new are paired: no `[*]`."""


def _scalar(value: Any) -> int | Decimal | str:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise PydanticCustomError("scalar", "must be a number or a string")
    if isinstance(value, str) and len(value) > MAX_LENGTH:
        raise PydanticCustomError("scalar", "is longer than {max_length} characters", {"max_length": MAX_LENGTH})
    return value


Scalar: TypeAlias = Annotated[Any, PlainValidator(_scalar), WithJsonSchema({"x-kubernetes-int-or-string": True})]
"""A number or a string."""
