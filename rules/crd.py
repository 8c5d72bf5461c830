"""The CustomResourceDefinitions of our rules, made from the models.

pydantic's JSON schema becomes a structural schema as Kubernetes wants it: references resolved, no `additionalProperties: false`
(unknown fields are pruned or refused by the API server itself), `null` as absent, exact bounds. What one field cannot say is in
`x-kubernetes-validations`, which the models carry beside the validator that says the same.
"""

from __future__ import annotations

from typing import Any, Final

from rules.api import GROUP, ClusterStatusRule, StatusRule
from rules.model import Model
from rules.status import RuleStatus

VERSION: Final = "v1alpha1"

_KEPT: Final = (
    *("description", "type", "enum", "pattern", "format", "nullable"),
    *("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "maxProperties"),
    *("x-kubernetes-validations", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-int-or-string"),
)

_COLUMNS: Final = (
    {
        "name": "Action",
        "type": "string",
        "jsonPath": ".spec.validationActions[0]",
        "description": "What a violation does.",
    },
    {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
    {"name": "Prefilter", "type": "string", "jsonPath": ".status.prefilter.mode"},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
)


def crds() -> list[dict[str, Any]]:
    """Return the two CRDs."""
    return [
        _crd(ClusterStatusRule, "Cluster", "clusterstatusrules", ["csr-rule", "csrule"]),
        _crd(StatusRule, "Namespaced", "statusrules", ["srule"]),
    ]


def _crd(model: type[ClusterStatusRule | StatusRule], scope: str, plural: str, short: list[str]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "description": (model.__doc__ or "").splitlines()[0],
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": _part(model, "spec"),
            "status": structural(RuleStatus),
        },
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": scope,
            "names": {
                "kind": model.__name__,
                "listKind": f"{model.__name__}List",
                "plural": plural,
                "singular": model.__name__.lower(),
                "shortNames": short,
                "categories": ["statusguard"],
            },
            "versions": [
                {
                    "name": VERSION,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": list(_COLUMNS),
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def structural(model: type[Model]) -> dict[str, Any]:
    """Return the structural schema of a model."""
    schema = model.model_json_schema()
    return _structural(schema, schema.get("$defs", {}))


def _part(model: type[Model], name: str) -> dict[str, Any]:
    schema = model.model_json_schema()
    return _structural(schema["properties"][name], schema["$defs"])


def _structural(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        # The only choice that our models offer is to leave a field out.
        (chosen,) = [each for each in schema["anyOf"] if each.get("type") != "null"]
        return _structural(
            {**chosen, **{k: v for k, v in schema.items() if k not in {"anyOf", "default"}}}, definitions
        )
    if "$ref" in schema:
        # What the field says of itself goes before what its type says.
        target = definitions[schema["$ref"].rpartition("/")[2]]
        return _structural({**target, **{k: v for k, v in schema.items() if k != "$ref"}}, definitions)
    if "const" in schema:
        schema = {**schema, "enum": [schema["const"]]}
    found: dict[str, Any] = {name: schema[name] for name in _KEPT if name in schema}
    if "description" in found:
        found["description"] = " ".join(found["description"].split())
    if schema.get("default") is not None and schema["default"] not in ([], {}, ""):
        found["default"] = schema["default"]
    if schema.get("type") == "integer":
        found["format"] = "int64"
    if "items" in schema:
        found["items"] = _structural(schema["items"], definitions)
        found.setdefault("x-kubernetes-list-type", "atomic")
    if "properties" in schema:
        found["properties"] = {name: _structural(each, definitions) for name, each in schema["properties"].items()}
        if schema.get("required"):
            found["required"] = schema["required"]
    elif isinstance(schema.get("additionalProperties"), dict):
        found["additionalProperties"] = _structural(schema["additionalProperties"], definitions)
    return found
