"""What Events and reports say alike of an incident. Pure."""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from webhook.observe.incident import Incident

SOURCE: Final = "statusguard"

Key: TypeAlias = tuple[str, ...]

_NAMESPACE: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def key_of(incident: Incident) -> Key:
    """Return what makes two incidents one that repeats: rule, invariant, object and writer."""
    return (
        incident.rule,
        incident.invariant,
        api_version(incident),
        incident.kind,
        incident.namespace,
        incident.name,
        incident.writer,
        incident.manager,
    )


def is_placed(incident: Incident) -> bool:
    """Tell whether something can be written into the namespace of the object.

    Reviews come from the network: what is no name of a namespace gets into no path.
    """
    return not incident.namespace or _NAMESPACE.fullmatch(incident.namespace) is not None


def api_version(incident: Incident) -> str:
    """Return group and version as in a manifest: `apps/v1`, `v1`."""
    return f"{incident.resource.group}/{incident.resource.version}".removeprefix("/")


def reference(incident: Incident) -> dict[str, Any]:
    """Return an ObjectReference to the object."""
    members = {
        "apiVersion": api_version(incident),
        "kind": incident.kind,
        "namespace": incident.namespace,
        "name": incident.name,
        "uid": incident.object_uid,
    }
    return {name: value for name, value in members.items() if value}


def sentence(incident: Incident) -> str:
    """Return what happened to the field, and which rule says so."""
    return f"{incident.field}: {incident.problem} (rule {incident.rule}, invariant {incident.invariant})"
