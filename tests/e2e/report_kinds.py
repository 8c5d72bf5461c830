"""The kinds of policy reports, with schemas of the same shape as those that their projects publish."""

from __future__ import annotations

from typing import Any, Final

from .api import Api, Object
from .install import apply
from .process import eventually

TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}


def _struct(*required: str, **members: Any) -> Object:
    schema: Object = {"type": "object", "properties": members}
    return {**schema, "required": list(required)} if required else schema


def _texts(*names: str) -> Object:
    return dict.fromkeys(names, TEXT)


REFERENCE: Final = _struct(**_texts("apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"))

RESULT: Final = _struct(
    "policy",
    **_texts("category", "message", "policy", "rule", "source"),
    properties={"type": "object", "additionalProperties": TEXT},
    resources={"type": "array", "items": REFERENCE},
    result={**TEXT, "enum": ["pass", "fail", "warn", "error", "skip"]},
    scored={"type": "boolean"},
    severity={**TEXT, "enum": ["critical", "high", "low", "medium", "info"]},
    timestamp=_struct("nanos", "seconds", nanos={**NUMBER, "format": "int32"}, seconds={**NUMBER, "format": "int64"}),
)

SUMMARY: Final = ("pass", "fail", "warn", "error", "skip")

_APIS: Final = {
    "openreports.io": ("v1alpha1", {"Report": "Namespaced", "ClusterReport": "Cluster"}, {"source": TEXT}),
    "wgpolicyk8s.io": ("v1alpha2", {"PolicyReport": "Namespaced", "ClusterPolicyReport": "Cluster"}, {}),
}


def define(api: Api, group: str) -> None:
    """Define both kinds of a group, and wait until they are served."""
    version, kinds, besides = _APIS[group]
    for kind, scope in kinds.items():
        apply(api, _definition(group, version, kind, scope, besides))
    served = [f"/apis/{group}/{version}/{kind.lower()}s" for kind in kinds]
    eventually(lambda: all(map(api.exists, served)))


def _definition(group: str, version: str, kind: str, scope: str, besides: Object) -> Object:
    schema = _struct(
        **_texts("apiVersion", "kind"),
        metadata={"type": "object"},
        results={"type": "array", "items": RESULT},
        scope=REFERENCE,
        summary=_struct(**dict.fromkeys(SUMMARY, NUMBER)),
        **besides,
    )
    columns = [{"name": name.title(), "type": "integer", "jsonPath": f".summary.{name}"} for name in SUMMARY]
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    "additionalPrinterColumns": columns,
                    "subresources": {},
                }
            ],
        },
    }
