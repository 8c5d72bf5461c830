"""What every object of Kubernetes has, though the schemas of CRDs do not say it."""

from __future__ import annotations

from typing import Any, Final

_STRING: Final = {"type": "string"}
_TIME: Final = {"type": "string", "format": "date-time"}
_TEXTS: Final = {"type": "object", "additionalProperties": _STRING}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


_OWNER: Final = _object(
    apiVersion=_STRING,
    kind=_STRING,
    name=_STRING,
    uid=_STRING,
    controller={"type": "boolean"},
    blockOwnerDeletion={"type": "boolean"},
)

_METADATA: Final = _object(
    name=_STRING,
    generateName=_STRING,
    namespace=_STRING,
    uid=_STRING,
    resourceVersion=_STRING,
    generation={"type": "integer"},
    creationTimestamp=_TIME,
    deletionTimestamp=_TIME,
    deletionGracePeriodSeconds={"type": "integer"},
    labels=_TEXTS,
    annotations=_TEXTS,
    finalizers={"type": "array", "items": _STRING},
    ownerReferences={
        "type": "array",
        "items": _OWNER,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["uid"],
    },
    managedFields={
        "type": "array",
        "items": _object(
            manager=_STRING,
            operation=_STRING,
            apiVersion=_STRING,
            time=_TIME,
            fieldsType=_STRING,
            fieldsV1={"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            subresource=_STRING,
        ),
    },
    selfLink=_STRING,
)

OBJECT: Final = {"apiVersion": _STRING, "kind": _STRING, "metadata": _METADATA}
"""The fields of an object that has a kind; its metadata are meta/v1 ObjectMeta."""

SCALE: Final = {
    **_object(
        spec=_object(replicas={"type": "integer"}),
        status=_object(replicas={"type": "integer"}, selector=_STRING),
    ),
    "x-kubernetes-embedded-resource": True,
}
"""The object behind a subresource `scale` (autoscaling/v1 Scale), whatever resource it belongs to."""
